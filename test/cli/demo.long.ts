/** The complete demo. CI also runs it before the tests. */
import { existsSync, statSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { DEMO, Place } from './support/support.ts';

describe('The demo', () => {
  it('finds all known answers in the sample media, says where the documents are, and ends with 0', async function () {
    this.timeout(240_000);
    const place = new Place();
    try {
      const { code, stdout, stderr } = await place.start([], {}, DEMO).ended;
      expect(code, `${stdout}\n${stderr}`).to.equal(0);
      expect(stdout).not.to.include('NOT FOUND');
      expect(stdout)
        .to.match(/^(\d+) of \1 known answers, /m)
        .and.to.include('DATA_DIR=data/demo npm start');
      expect(stderr).to.match(/^faces +100 % +COMPLETE$/m);
      const documents = [...stdout.matchAll(/^Document: (.*)$/gm)].map(([, file = '']) => file);
      expect(documents).to.have.length(8);
      for (const file of documents) expect(existsSync(file), file).to.equal(true);
      const copies = [...stdout.matchAll(/^ {2}marked up: (.*)$/gm)].map(([, file = '']) =>
        path.resolve(place.folder, file),
      );
      // The last picture has no faces, so its copy is unchanged.
      expect(copies.map((file) => path.extname(file))).to.deep.equal(['.webm', '.png', '.png']);
      for (const file of copies) expect(statSync(file).size, file).to.be.above(10_000);
      expect(stdout)
        .to.match(/^ {2}medium \d+ of \S+\.pdf: \S+\.png {2}image\/png, 597x321$/m)
        .and.to.match(/^ {4}TEXT .*"UNIVERSAL DECLARATION OF HUMAN RIGHTS" {2}LINE_NUM=\d+$/m)
        .and.to.match(/^ {2}annotated by LANGUAGE .*, KEYWORD /m)
        .and.to.match(/^ {2}\d+ artifacts in \S+artifacts\S+$/m);
      expect(path.dirname(place.dataDir)).to.equal(place.folder);
    } finally {
      await place.leave();
    }
  });
});
