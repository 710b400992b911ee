import { Readable } from 'node:stream';
import type { Context } from 'koa';

/** About so many characters are written at a time. */
const PIECE = 64 * 1024;

/** Answers a list of which nobody can say how long it is: it is made as fast as it is read, so that it never stands whole in memory or holds up others. */
export function answerList(ctx: Context, items: Iterable<unknown>): void {
  ctx.type = 'application/json';
  ctx.body = Readable.from(pieces(items));
}

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
