import type { IncomingMessage } from 'node:http';

/** Maximum size of an unwanted body that is read and discarded, so that a client that is still sending gets the answer. */
const MAX_DISCARDED_BYTES = 64 * 1024 * 1024;

/** Time limit for discarding a body. Without it, a slow client could keep its connection open without limit. */
const MAX_DISCARD_MS = 5_000;

export function dropRest(request: IncomingMessage, withinMs = MAX_DISCARD_MS): void {
  let left = MAX_DISCARDED_BYTES;
  const late = setTimeout(() => request.complete || request.destroy(), withinMs).unref();
  request.once('end', () => clearTimeout(late)).once('close', () => clearTimeout(late));
  request.on('data', (chunk: Buffer) => {
    left -= chunk.length;
    if (left < 0) request.destroy();
  });
  // A client that disconnects is no error.
  request.on('error', () => undefined);
}
