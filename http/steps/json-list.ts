import { Readable } from 'node:stream';

/** About so many characters are written at a time. */
const PIECE = 64 * 1024;

/** A list of which nobody can say how long it is: it is made as fast as it is read, so that it never stands whole in memory or holds up others. */
export const jsonList = (items: Iterable<unknown>): Readable => Readable.from(pieces(items));

function* pieces(items: Iterable<unknown>): Generator<string> {
  let text = '[';
  let between = '';
  for (const item of items) {
    text += between + JSON.stringify(item);
    between = ',';
    if (text.length < PIECE) continue;
    yield text;
    text = '';
  }
  yield `${text}]`;
}
