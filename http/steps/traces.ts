import { randomBytes } from 'node:crypto';
import type { Context, Middleware } from 'koa';
import {
  jobTraceOf,
  parseTraceparent,
  traceparentOf,
  type JobTrace,
  type TraceContext,
  type Traces,
} from '../../domain/job/trace.ts';

const newSpanId = (): string => randomBytes(8).toString('hex');

interface Traced {
  trace?: TraceContext;
  isReported?: boolean;
}

const READING = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Continues the trace of a client (`traceparent`). If spans are reported, a request that changes something and has no trace starts one.
 * Polling by components and nodes starts no trace.
 */
export function traceRequests(traces: Traces | undefined): Middleware {
  return async (ctx, next: () => Promise<unknown>) => {
    if (!ctx.path.startsWith('/rest/')) return next();
    const client = parseTraceparent(ctx.get('traceparent'));
    const state = ctx.state as Traced;
    if (client === undefined && (traces === undefined || READING.has(ctx.method))) return next();
    if (traces === undefined) {
      state.trace = client!;
      return next();
    }
    const context = client === undefined ? traces.newTrace() : { ...client, spanId: newSpanId() };
    Object.assign(state, { trace: context, isReported: true } satisfies Traced);
    const from = Date.now();
    await next();
    traces.record({ ...spanOf(ctx), context, parentId: client?.spanId ?? null, from, to: Date.now() });
  };
}

function spanOf(ctx: Context) {
  const { method, path, status } = ctx;
  const route: unknown = ctx['_matchedRoute'];
  return {
    name: `${method} ${typeof route === 'string' ? route : '/rest'}`,
    kind: 'server',
    attributes: {
      'http.request.method': method,
      'url.path': path.slice(0, 500),
      'http.response.status_code': status,
    },
    error: status >= 500 ? `status ${status}` : undefined,
  } as const;
}

/** Returns the trace context that the job of this request stores. Returns undefined if there is none. */
export function jobTrace(ctx: Context): JobTrace | undefined {
  const { trace, isReported = false } = ctx.state as Traced;
  return trace === undefined ? undefined : jobTraceOf(trace, isReported ? newSpanId() : undefined);
}

/** Returns the trace header of this request for further requests. Returns undefined if there is none. */
export function traceparentOfRequest(ctx: Context): string | undefined {
  const { trace } = ctx.state as Traced;
  return trace === undefined ? undefined : traceparentOf(trace);
}

/** Returns the trace id for log lines. */
export function traceOfRequest(ctx: Context): { readonly traceId?: string } {
  const { trace } = ctx.state as Traced;
  return trace === undefined ? {} : { traceId: trace.traceId };
}
