import { Readable } from 'node:stream';

/** Approximate number of characters written at a time. */
const PIECE = 64 * 1024;

/**
 * Streams a list of unknown length as fast as the client reads. The list is never in memory as a whole and does not block other requests.
 */
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
