import { expect } from 'chai';
import * as checks from '../../cli/demo/demo-checks.ts';
import { findingsOf } from '../../cli/demo/demo-findings.ts';

describe('The demo', () => {
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
