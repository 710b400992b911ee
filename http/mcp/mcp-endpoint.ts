/** `/mcp`: the Model Context Protocol over HTTP, without sessions. The tools get their data from the REST interface. */
import { Readable } from 'node:stream';
import {
  createMcpHandler,
  isLegacyRequest,
  WebStandardStreamableHTTPServerTransport,
  type McpServer,
} from '@modelcontextprotocol/server';
import type { Context } from 'koa';
import type { Logger } from '../../config/logger.ts';
import { mcpServer } from '../../mcp/server.ts';
import { leftBy } from '../steps/client.ts';
import { parseJson, readText, type BodyLimits } from '../routing/json-body.ts';
import { empty } from '../routing/errors.ts';
import { ownRest, type Dispatch } from './own-rest.ts';

export interface McpEndpointDeps {
  /** URL at which clients reach the server. */
  readonly url: string;
  readonly version: string;
  readonly canWrite: boolean;
  readonly bodyLimits: BodyLimits;
  readonly logger: Logger;
  /** Handles a request in the application itself. */
  readonly dispatch: Dispatch;
}

/** Maximum size of a request. Requests of agents are short. */
const MAX_BODY_BYTES = 1024 * 1024;

/** Handles a POST after authentication. */
export async function serveMcp(ctx: Context, deps: McpEndpointDeps): Promise<void> {
  const maxBytes = Math.min(MAX_BODY_BYTES, deps.bodyLimits.maxBytes);
  const text = await readText(ctx, { ...deps.bodyLimits, maxBytes });
  const body = parseJson(text, deps.bodyLimits);
  const signal = leftBy(ctx.res);
  const request = requestOf(ctx, deps.url, text, signal);
  const onError = (err: unknown) => deps.logger.error({ err }, 'a tool of /mcp failed');
  const make = () => mcpServer({ ...deps, rest: ownRest(deps.dispatch, ctx, deps.url), onError });
  const response = (await isLegacyRequest(request, body))
    ? await answerOnce(make(), request, body, signal)
    : await createMcpHandler(make, { legacy: 'reject', maxSubscriptions: NO_SUBSCRIPTIONS }).fetch(request, { parsedBody: body }); // oxfmt-ignore
  await send(ctx, response);
}

/** Clients cannot subscribe, because nothing at `/mcp` changes. */
const NO_SUBSCRIPTIONS = 0;

/** Handles requests with protocol versions up to 2025-11-25. The answer is JSON, unless the client requests progress. */
async function answerOnce(
  server: McpServer,
  request: Request,
  parsedBody: unknown,
  signal: AbortSignal,
): Promise<Response> {
  const transport = new WebStandardStreamableHTTPServerTransport({
    enableJsonResponse: !wantsProgress(parsedBody),
  });
  await server.connect(transport);
  signal.addEventListener('abort', () => void server.close(), { once: true });
  return transport.handleRequest(request, { parsedBody });
}

const wantsProgress = (body: unknown): boolean => {
  const params = (body as { params?: Readonly<Record<string, { progressToken?: unknown }>> } | null)?.params;
  return params?.['_meta']?.progressToken !== undefined;
};

function requestOf({ req }: Context, url: string, body: string, signal: AbortSignal): Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(req.headers))
    if (typeof value === 'string' && name !== 'content-length') headers.set(name, value);
  return new Request(`${url}/mcp`, { method: 'POST', headers, body, signal });
}

async function send(ctx: Context, response: Response): Promise<void> {
  const { status, headers, body } = response;
  const type = headers.get('content-type');
  if (body === null || type === null) {
    empty(ctx, status);
    return;
  }
  if (type.startsWith('text/event-stream')) {
    ctx.body = Readable.fromWeb(body);
    ctx.set('Cache-Control', 'no-store, no-transform');
    ctx.set('X-Accel-Buffering', 'no');
  } else ctx.body = Buffer.from(await response.arrayBuffer());
  // Set as it is: `ctx.type` would add a character set to JSON.
  ctx.set('Content-Type', type);
  ctx.status = status;
}
