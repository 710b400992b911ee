/** The REST interface of this server for one request to `/mcp`: in the same process, and through all its steps. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Context } from 'koa';
import { inject } from 'light-my-request';
import { targetOf, type Rest } from '../../mcp/rest.ts';

export type Dispatch = (request: IncomingMessage, response: ServerResponse) => void;

/** By which the steps of the REST interface know who asks, from where, and in which trace. */
const PASSED_ON = ['authorization', 'host', 'x-forwarded-for', 'x-forwarded-proto', 'traceparent'] as const;

export function ownRest(dispatch: Dispatch, { req, socket, state }: Context, pageUrl: string): Rest {
  const { requestId } = state as { readonly requestId?: string };
  const given = PASSED_ON.flatMap((name) => {
    const value = req.headers[name];
    return typeof value === 'string' ? [[name, value] as const] : [];
  });
  const headers = {
    ...Object.fromEntries(given),
    accept: 'application/json',
    ...(requestId === undefined ? {} : { 'x-request-id': requestId }),
  };
  return {
    pageUrl,
    async ask(call, signal) {
      const { statusCode, rawPayload } = await inject(dispatch, {
        method: call.method,
        url: targetOf(call),
        headers,
        remoteAddress: socket.remoteAddress ?? '',
        signal,
        ...(call.body === undefined ? {} : { payload: call.body }),
      });
      return { status: statusCode, bytes: rawPayload };
    },
  };
}
