/** Traces by the W3C recommendation Trace Context. They link the work of several services to a request. */
import { createHash } from 'node:crypto';

/** A span of a trace, as in the header `traceparent`. */
export interface TraceContext {
  /** 32 hex digits. */
  readonly traceId: string;
  /** 16 hex digits. */
  readonly spanId: string;
  /** True if its spans are reported. */
  readonly sampled: boolean;
}

/** The trace data that a job stores. */
export interface JobTrace {
  /** Parent of the spans for the job's work and callback. */
  readonly traceparent: string;
  /**
   * Set if the server reports spans: `traceparent` then names the span of the job, and this its parent span. Null: it has no parent.
   * Absent: `traceparent` is that of the client.
   */
  readonly parentId?: string | null | undefined;
}

const TRACEPARENT = /^[\da-f]{2}-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(?:-|$)/;
const NOTHING = /^0+$/;

/** Parses the header. Returns undefined if it is missing or malformed; the caller then begins a new trace. */
export function parseTraceparent(header: string | undefined): TraceContext | undefined {
  const [, traceId, spanId, flags] = TRACEPARENT.exec(header?.slice(0, 100) ?? '') ?? [];
  if (header?.startsWith('ff') === true || traceId === undefined || spanId === undefined) return undefined;
  if (NOTHING.test(traceId) || NOTHING.test(spanId)) return undefined;
  return { traceId, spanId, sampled: (Number.parseInt(flags!, 16) & 1) === 1 };
}

export const traceparentOf = ({ traceId, spanId, sampled }: TraceContext): string =>
  `00-${traceId}-${spanId}-${sampled ? '01' : '00'}`;

/** The trace of a job that this request creates. `spanId`: for the job; absent if the server reports no spans. */
export function jobTraceOf(request: TraceContext, spanId?: string): JobTrace {
  if (spanId === undefined) return { traceparent: traceparentOf(request) };
  return { traceparent: traceparentOf({ ...request, spanId }), parentId: request.spanId };
}

/** The span of the job's part with this name. Its id is the same on each server and after each restart. */
export function partOf(trace: JobTrace, name: string): TraceContext | undefined {
  const job = parseTraceparent(trace.traceparent);
  return job === undefined || trace.parentId === undefined ? undefined : childOf(job, name);
}

export const childOf = (parent: TraceContext, name: string): TraceContext => ({
  ...parent,
  spanId: createHash('sha256').update(`${parent.spanId}/${name}`).digest('hex').slice(0, 16),
});

/** The header for the job's part with this name. */
export function traceparentFor(trace: JobTrace, name: string): string {
  const part = partOf(trace, name);
  return part === undefined ? trace.traceparent : traceparentOf(part);
}

/** The field with the trace in log lines. */
export function traceFacts(trace: JobTrace | null | undefined): { readonly traceId?: string } {
  const traceId = parseTraceparent(trace?.traceparent)?.traceId;
  return traceId === undefined ? {} : { traceId };
}

/** A finished span. */
export interface FinishedSpan {
  readonly name: string;
  readonly kind: 'server' | 'client' | 'internal';
  readonly context: TraceContext;
  /** The parent span. Null if there is none. */
  readonly parentId: string | null;
  /** Milliseconds since the epoch. */
  readonly from: number;
  readonly to: number;
  readonly attributes: Readonly<Record<string, string | number>>;
  /** Why it failed. Absent if it succeeded. */
  readonly error?: string | undefined;
}

/** Receives finished spans. The caller does not wait for their delivery. */
export interface Traces {
  /** A new trace for a request without one. The settings decide whether it is reported. */
  newTrace(): TraceContext;
  record(span: FinishedSpan): void;
}
