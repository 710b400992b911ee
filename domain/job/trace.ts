/** Traces by the W3C recommendation Trace Context: which request a piece of work belongs to, from service to service. */
import { createHash } from 'node:crypto';

/** A span in its trace, as the header `traceparent` names it. */
export interface TraceContext {
  /** 32 hex digits. */
  readonly traceId: string;
  /** 16 hex digits. */
  readonly spanId: string;
  /** Whether its spans are reported. */
  readonly sampled: boolean;
}

/** What a job keeps of the trace that it belongs to. */
export interface JobTrace {
  /** Its work and its callback continue this. */
  readonly traceparent: string;
  /**
   * Set when the server reports spans: then `traceparent` names the span of the job, and this the span that it came from (null: none).
   * Absent: `traceparent` is that of the client.
   */
  readonly parentId?: string | null | undefined;
}

const TRACEPARENT = /^[\da-f]{2}-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(?:-|$)/;
const NOTHING = /^0+$/;

/** Parses the header. Undefined: it is missing or malformed, so the caller begins a trace of its own. */
export function parseTraceparent(header: string | undefined): TraceContext | undefined {
  const [, traceId, spanId, flags] = TRACEPARENT.exec(header?.slice(0, 100) ?? '') ?? [];
  if (header?.startsWith('ff') === true || traceId === undefined || spanId === undefined) return undefined;
  if (NOTHING.test(traceId) || NOTHING.test(spanId)) return undefined;
  return { traceId, spanId, sampled: (Number.parseInt(flags!, 16) & 1) === 1 };
}

export const traceparentOf = ({ traceId, spanId, sampled }: TraceContext): string =>
  `00-${traceId}-${spanId}-${sampled ? '01' : '00'}`;

/** The trace of a job that this request creates. `spanId`: for the job; absent: the server reports no spans. */
export function jobTraceOf(request: TraceContext, spanId?: string): JobTrace {
  if (spanId === undefined) return { traceparent: traceparentOf(request) };
  return { traceparent: traceparentOf({ ...request, spanId }), parentId: request.spanId };
}

/** The part of a job that has this name: its id is the same on each server and after each start. */
export function partOf(trace: JobTrace, name: string): TraceContext | undefined {
  const job = parseTraceparent(trace.traceparent);
  return job === undefined || trace.parentId === undefined ? undefined : childOf(job, name);
}

export const childOf = (parent: TraceContext, name: string): TraceContext => ({
  ...parent,
  spanId: createHash('sha256').update(`${parent.spanId}/${name}`).digest('hex').slice(0, 16),
});

/** The header for the part of a job that has this name. */
export function traceparentFor(trace: JobTrace, name: string): string {
  const part = partOf(trace, name);
  return part === undefined ? trace.traceparent : traceparentOf(part);
}

/** The field with the trace in log lines. */
export function traceFacts(trace: JobTrace | null | undefined): { readonly traceId?: string } {
  const traceId = parseTraceparent(trace?.traceparent)?.traceId;
  return traceId === undefined ? {} : { traceId };
}

/** A span that is over. */
export interface FinishedSpan {
  readonly name: string;
  readonly kind: 'server' | 'client' | 'internal';
  readonly context: TraceContext;
  /** The span that it is a part of; null: none. */
  readonly parentId: string | null;
  /** Milliseconds since the epoch. */
  readonly from: number;
  readonly to: number;
  readonly attributes: Readonly<Record<string, string | number>>;
  /** Why it failed; absent: it did not. */
  readonly error?: string | undefined;
}

/** Takes spans that are over. Nobody waits for what becomes of them. */
export interface Traces {
  /** Of a request without a trace: a new one, which is reported or not as the settings say. */
  newTrace(): TraceContext;
  record(span: FinishedSpan): void;
}
