import type { IncomingMessage } from 'node:http';

/** So much of a body that is not wanted is read and dropped, so that a client that is still sending sees the answer. */
const MAX_DISCARDED_BYTES = 64 * 1024 * 1024;

export function dropRest(request: IncomingMessage): void {
  let left = MAX_DISCARDED_BYTES;
  request.on('data', (chunk: Buffer) => {
    left -= chunk.length;
    if (left < 0) request.destroy();
  });
  // Who hangs up now is no error.
  request.on('error', () => undefined);
}
