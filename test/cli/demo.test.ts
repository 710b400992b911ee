import { existsSync, statSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import * as checks from '../../cli/demo-checks.ts';
import { findingsOf } from '../../cli/demo-findings.ts';
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
      expect(documents).to.have.length(8);
      for (const file of documents) expect(existsSync(file), file).to.equal(true);
      const copies = [...stdout.matchAll(/^ {2}marked up: (.*)$/gm)].map(([, file = '']) =>
        path.resolve(place.folder, file),
      );
      // The last is of a picture without faces: as it is.
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

  for (const [name, check] of Object.entries(checks))
    it(`does not take a job without a document for a known answer (${name})`, () => {
      expect(
        check(new Map()).filter(({ what, found }) => found && !what.includes('nothing else')),
      ).to.deep.equal([]);
    });

  it('does not take a marked-up copy that is not there for one', async () => {
    const copy = { status: 'COMPLETE' as const, path: 'file:///none/copy.webm' };
    const medium = {
      mediaId: 1,
      parentMediaId: -1,
      status: 'COMPLETE' as const,
      markupResult: copy,
      output: {},
    };
    const findings = await findingsOf({ media: [{ ...medium, path: 'file:///a/face_move.mp4' }] });
    const found = checks.checkFaces(findings).filter(({ what }) => what.includes('marked-up'));
    expect(found.map((check) => check.found)).to.deep.equal([false, false]);
  });
});
