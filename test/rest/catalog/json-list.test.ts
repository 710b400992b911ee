/** Streamed JSON lists: an entry is produced only when the client reads it. */
import type { Readable } from 'node:stream';
import { expect } from 'chai';
import { jsonList } from '../../../http/steps/json-list.ts';

/** The body of a list response, and the number of entries produced so far. */
function answerOf(length: number, text = 'x') {
  const made = { count: 0 };
  function* items() {
    for (; made.count < length; made.count++) yield { n: made.count, text };
  }
  return { made, body: jsonList(items()) };
}

async function read(body: Readable): Promise<unknown> {
  let text = '';
  for await (const piece of body) text += String(piece);
  return JSON.parse(text);
}

describe('A list that is answered', () => {
  for (const length of [0, 1, 2, 1_000])
    it(`is JSON with ${length} entries`, async () => {
      const { body } = answerOf(length);
      const expected = Array.from({ length }, (_, n) => ({ n, text: 'x' }));
      expect(await read(body)).to.deep.equal(expected);
    });

  it('is made no faster than it is read', async () => {
    const { made, body } = answerOf(10_000, 'x'.repeat(10_000));
    await new Promise((resolve) => body.once('readable', resolve));
    expect(made.count).to.be.within(1, 500);
    body.destroy();
  });
});
