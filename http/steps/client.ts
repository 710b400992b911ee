import type { ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import type { Context } from 'koa';
import { answerWith } from '../routing/declaration.ts';

/** Calls `act` when the connection closes, or at once if it is closed. A process may die while the server reads its result. */
export function whenClosed(response: ServerResponse, act: () => void): void {
  if (response.destroyed) act();
  else response.once('close', act);
}

/** Returns a signal that aborts when the client disconnects before its answer. */
export function leftBy(response: ServerResponse): AbortSignal {
  const left = new AbortController();
  whenClosed(response, () => left.abort());
  return left.signal;
}

/** Returns an answer with server-sent events. Destroys the stream if the client has already disconnected. */
export function eventsFor<S extends Readable>({ res }: Context, stream: S) {
  if (res.destroyed) stream.destroy();
  return answerWith(200, stream, { 'Cache-Control': 'no-store, no-transform', 'X-Accel-Buffering': 'no' });
}
