import { existsSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { checkFaces, checkMotion, checkScenes, checkSpeech, checkText } from '../../cli/demo-checks.ts';
import { DEMO, Place } from './support.ts';

describe('The demo', () => {
  it('finds all known answers in the sample media, tells where the documents lie, and ends with 0', async function () {
    this.timeout(120_000);
    const place = new Place();
    try {
      const { code, stdout, stderr } = await place.start([], {}, DEMO).ended;
      expect(code, `${stdout}\n${stderr}`).to.equal(0);
      expect(stdout)
        .to.match(/^(\d+) of \1 known answers, /m)
        .and.not.to.include('NOT FOUND');
      expect(stderr).to.match(/^faces +100 % +COMPLETE$/m);
      const documents = [...stdout.matchAll(/^Document: (.*)$/gm)].map(([, file = '']) => file);
      expect(documents).to.have.length(5);
      for (const file of documents) expect(existsSync(file), file).to.equal(true);
      expect(path.dirname(place.dataDir)).to.equal(place.folder);
    } finally {
      await place.leave();
    }
  });

  for (const [name, check] of Object.entries({
    checkFaces,
    checkMotion,
    checkScenes,
    checkSpeech,
    checkText,
  }))
    it(`does not take a job without a document for a known answer (${name})`, () => {
      expect(
        check(new Map()).filter(({ what, found }) => found && !what.includes('nothing else')),
      ).to.deep.equal([]);
    });
});
