import type { IncomingMessage } from 'node:http';
import type { Context } from 'koa';
import { HttpError } from './errors.ts';
import { dropRest } from './unwanted-body.ts';

export interface BodyLimits {
  readonly maxBytes: number;
  readonly maxDepth: number;
  /** Maximum number of texts, numbers, lists and objects in a body. Parsing a million small values takes seconds. */
  readonly maxValues: number;
  /** Time until a body must be complete: milliseconds. Without it, an endless body would keep the connection open. */
  readonly maxMs: number;
}

/** Multiple of the size limit that is read and discarded. A client that is still sending then gets the answer, not a broken pipe. */
const OVERSIZE_FACTOR = 8;

/** Reads a JSON body. @throws HttpError 413 if it is too large, 408 if it does not end, 400 if it is no JSON or nested too deeply */
export async function readJson(ctx: Context, limits: BodyLimits): Promise<unknown> {
  const text = await readText(ctx, limits);
  if (text.length > LARGE) await nextTurn();
  return parseJson(text, limits);
}

/** Number of characters from which a body takes some milliseconds to parse. */
const LARGE = 256 * 1024;
let turn = Promise.resolve();

/** Waits until a large body may be parsed. Between two large bodies, the event loop handles all other pending work. */
function nextTurn(): Promise<void> {
  turn = turn.then(() => new Promise((resolve) => setImmediate(resolve)));
  return turn;
}

/** Reads a text body (UTF-8). @throws HttpError 413 if it is too large, 408 if it does not end, 400 if it is missing or no text */
export async function readText(ctx: Context, { maxBytes, maxMs }: BodyLimits): Promise<string> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new HttpError('body-timeout', `The body did not end within ${maxMs} ms.`)),
      maxMs,
    );
  });
  try {
    return await Promise.race([readAll(ctx, maxBytes), late]);
  } catch (error) {
    // The rest of this body would be parsed as the next request.
    if (error instanceof HttpError && error.status === 408) ctx.set('Connection', 'close');
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

async function readAll(ctx: Context, maxBytes: number): Promise<string> {
  const most = maxBytes * OVERSIZE_FACTOR;
  const gathered = new Gathered();
  let size = Number(ctx.get('content-length') || 0) > most ? Infinity : 0;
  try {
    if (size <= most)
      for await (const chunk of piecesOf(ctx.req)) {
        size += chunk.length;
        if (size <= maxBytes) gathered.add(chunk);
        if (size > most) break;
      }
  } catch {
    throw new HttpError('body-incomplete', 'The body is incomplete.');
  }
  if (size > maxBytes) {
    if (!ctx.req.readableEnded) {
      dropRest(ctx.req);
      // The client may have asked to close the connection. If the server closes it too early, the client cannot read the answer.
      ctx.res.shouldKeepAlive = true;
    }
    throw new HttpError('body-too-large', `The body is larger than ${maxBytes} bytes.`);
  }
  const { bytes } = gathered;
  if (bytes.length === 0) throw new HttpError('body-missing', 'The request has no body.');
  return orInvalid(() => new TextDecoder('utf-8', { fatal: true }).decode(bytes));
}

/** Iterates over the pieces of a body. The request stays open after an early return, because its answer still needs the connection. */
const piecesOf = (request: IncomingMessage): AsyncIterable<Buffer> =>
  request.iterator({ destroyOnReturn: false });

/** Collects the pieces of a body in one buffer. Separate pieces of one byte would need a hundred times the memory. */
class Gathered {
  #space = Buffer.alloc(0);
  #size = 0;

  add(piece: Buffer): void {
    const size = this.#size + piece.length;
    if (size > this.#space.length) {
      const larger = Buffer.allocUnsafe(Math.max(size, 2 * this.#space.length));
      this.#space.copy(larger, 0, 0, this.#size);
      this.#space = larger;
    }
    piece.copy(this.#space, this.#size);
    this.#size = size;
  }

  get bytes(): Buffer {
    return this.#space.subarray(0, this.#size);
  }
}

export function parseJson(
  text: string,
  { maxDepth, maxValues }: Pick<BodyLimits, 'maxDepth' | 'maxValues'>,
): unknown {
  const { depth, values } = shapeOf(Buffer.from(text));
  if (depth > maxDepth)
    throw new HttpError('body-too-deep', `The body is nested more than ${maxDepth} levels deep.`);
  if (values > maxValues)
    throw new HttpError(
      'body-too-large',
      `The body has more than ${maxValues} texts, numbers, lists and objects. Send it in several requests.`,
    );
  // A member with this name would be lost before it is stored, so the request is refused.
  if (/"__proto__"\s*:/.test(text))
    throw new HttpError('invalid-body', 'A member cannot have the name "__proto__".');
  return orInvalid(() => JSON.parse(text) as unknown);
}

function orInvalid<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw new HttpError(
      'invalid-json',
      `The body is not valid JSON: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

/** Returns the maximum nesting of objects and arrays, and the number of values (without member names), without building the values. */
function shapeOf(json: Uint8Array): { readonly depth: number; readonly values: number } {
  let depth = 0;
  let deepest = 0;
  let values = 1;
  let inText = false;
  for (let i = 0; i < json.length; i++) {
    const byte = json[i];
    if (inText) {
      if (byte === 0x5c) i++;
      else if (byte === 0x22) inText = false;
    } else if (byte === 0x22) inText = true;
    else if (byte === 0x2c) values++;
    else if (byte === 0x7b || byte === 0x5b) {
      values++;
      deepest = Math.max(deepest, ++depth);
    } else if (byte === 0x7d || byte === 0x5d) depth--;
  }
  return { depth: deepest, values };
}
