import type { ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import type { Context } from 'koa';
import { answerWith } from '../routing/declaration.ts';

/** Acts when the connection closes. Of one that has closed already nothing more is heard: a process may die while the server takes its result. */
export function whenClosed(response: ServerResponse, act: () => void): void {
  if (response.destroyed) act();
  else response.once('close', act);
}

/** Aborted when the client has left before its answer. */
export function leftBy(response: ServerResponse): AbortSignal {
  const left = new AbortController();
  whenClosed(response, () => left.abort());
  return left.signal;
}

/** Server-sent events. Whoever has hung up in the meantime is known only by the connection. */
export function eventsFor<S extends Readable>({ res }: Context, stream: S) {
  if (res.destroyed) stream.destroy();
  return answerWith(200, stream, { 'Cache-Control': 'no-store, no-transform', 'X-Accel-Buffering': 'no' });
}
