/** Sends requests to the REST interface of this server in the same process, through all its steps, on behalf of one request to `/mcp`. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Context } from 'koa';
import { inject } from 'light-my-request';
import { targetOf, type Rest } from '../../mcp/rest.ts';

export type Dispatch = (request: IncomingMessage, response: ServerResponse) => void;

/** Headers that are copied to the REST request. They contain the user, the address and the trace. */
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
