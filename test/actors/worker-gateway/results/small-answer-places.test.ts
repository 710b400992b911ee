import { expect } from 'chai';
import type { Checked, GoodResult } from '../../../../actors/worker-gateway/results/sent-answer.ts';
import { isReadAgain, placesOf } from '../../../../actors/worker-gateway/results/small-answer-places.ts';

const facts = { mediaType: 'IMAGE', mimeType: 'image/png', sha256: 'a', length: 1, metadata: {} } as const;
const prepared = { facts, inspected: true, path: 'media/a', warnings: [], ranges: [] } as const;
const frameTimes = { fps: 25, constantRate: true, startTime: 0 } as never;

describe('Small answers that come together', () => {
  const answer = (said: Checked['said'], lines: string) => ({ said, answer: { token: 't', lines } });
  const found: GoodResult = { ok: true, kind: 'DETECT', tracks: 1, detections: 1, derived: 0, warnings: 0 };
  const of = (medium: object) => ({ ok: true, kind: 'PREPARE', prepared: medium }) as unknown as GoodResult;

  it('are stored where they say more than the row of the sub-job keeps', () => {
    expect(isReadAgain(answer(found, '{}\n')), 'tracks').to.equal(true);
    expect(
      isReadAgain(answer(of({ ...prepared, facts: { ...facts, frameTimes } }), '{}\n')),
      'a table of frame times',
    ).to.equal(true);
  });

  it('need no file where they do not', () => {
    expect(isReadAgain(answer({ ...found, tracks: 0 }, '')), 'nothing was found').to.equal(false);
    expect(isReadAgain(answer(of(prepared), '{}\n')), 'a picture').to.equal(false);
    const failure = { type: 'workFailed', key: 'k', token: 't', code: 'OTHER', message: '', ms: 1 } as const;
    expect(isReadAgain(answer(failure, '')), 'a failure').to.equal(false);
  });

  it('lie one after the other in their file, by bytes', () => {
    const [first, second] = [answer(found, 'é\n'), answer(found, 'two\n')];
    expect([...placesOf([first, second]).values()]).to.deep.equal([
      { offset: 0, bytes: 3 },
      { offset: 3, bytes: 4 },
    ]);
  });
});
