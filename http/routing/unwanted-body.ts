import type { IncomingMessage } from 'node:http';

/** Maximum size of an unwanted body that is read and dropped, so that a client that is still sending gets the answer. */
const MAX_DISCARDED_BYTES = 64 * 1024 * 1024;

/** Who sends it slowly gets no longer than this: he would hold his connection for as long as he likes. */
const MAX_DISCARD_MS = 5_000;

export function dropRest(request: IncomingMessage, withinMs = MAX_DISCARD_MS): void {
  let left = MAX_DISCARDED_BYTES;
  const late = setTimeout(() => request.complete || request.destroy(), withinMs).unref();
  request.once('end', () => clearTimeout(late)).once('close', () => clearTimeout(late));
  request.on('data', (chunk: Buffer) => {
    left -= chunk.length;
    if (left < 0) request.destroy();
  });
  // Who hangs up now is no error.
  request.on('error', () => undefined);
}
