/** What clients, faults and logs tell of a run. Times are milliseconds since the epoch, the same for all processes of a machine. */
import type { Received } from '../../support/servers/receiver.ts';
import type { LogLine } from '../../support/processes/service.ts';

/** A request of a client, and what came of it. */
export interface Call {
  readonly at: number;
  readonly until: number;
  readonly client: number;
  readonly server: number;
  readonly what: 'submit' | 'cancel' | 'resubmit' | 'read';
  /** Of a creation: its Idempotency-Key. */
  readonly key?: string;
  readonly job?: string;
  /** broken: no answer came, and nobody knows whether it was carried out. */
  readonly status: number | 'broken';
  /** Of a read. */
  readonly saw?: Seen;
  readonly text?: string;
}

export interface Seen {
  readonly jobStatus: string;
  readonly terminal: boolean;
  readonly endDate: string | null;
}

/** A job that was accepted. */
export interface ChaosJob {
  readonly jobId: string;
  readonly key: string;
  readonly shape: string;
  readonly callback: boolean;
}

/** A camera that was watched. */
export interface ChaosStream {
  readonly key: string;
  readonly jobId: number;
  /** What the creation was answered, as often as it was asked for. */
  readonly ids: readonly number[];
  readonly seen: {
    readonly at: number;
    readonly until: number;
    readonly jobStatus: string;
    readonly terminal: boolean;
    readonly segments: number;
  }[];
}

/** A component or a pipeline of a client. */
export interface Registered {
  /** Where it is taken away. */
  readonly path: string;
  /** Where it, or a part of it, is shown. */
  readonly shownAt: string;
  isThere: boolean;
  /** A request for it got no answer; a server that stood still may carry it out after later ones. */
  isUnclear: boolean;
  /** Status and text, in their order. */
  readonly answers: string[];
  /** What each server says of it at the end. */
  last?: readonly (number | 'broken')[];
}

/** A fault that was carried out, with when it was over. */
export interface Struck {
  readonly at: number;
  readonly until: number;
  readonly kind: string;
  readonly server?: number;
  readonly pid?: number;
  readonly worker?: string;
}

/** How a job stood when all was over. */
export interface LastSeen extends Seen {
  readonly callbackStatus: string;
  /** Without times and ids; undefined: it has none. */
  readonly document: unknown;
  readonly mediaIds: readonly number[];
}

export interface History {
  readonly calls: readonly Call[];
  readonly jobs: readonly ChaosJob[];
  readonly streams: readonly ChaosStream[];
  readonly registered: readonly Registered[];
  readonly faults: readonly Struck[];
  /** Of all servers, by time; `server` tells whose. */
  readonly log: readonly (LogLine & { readonly server: number })[];
  readonly callbacks: readonly Pick<Received, 'path' | 'key' | 'headers'>[];
  readonly last: ReadonlyMap<string, LastSeen>;
  /** Documents of undisturbed jobs, by shape. */
  readonly expected: ReadonlyMap<string, unknown>;
  /** What lies in spool/ and media/, and what Redis holds besides what ended jobs leave. */
  readonly left: readonly string[];
  readonly leaseMs: number;
}

/** What should not have been, with the job whose history tells how it came about. */
export interface Violation {
  readonly rule: string;
  readonly says: string;
  readonly job?: string;
}

export const numberOf = (jobId: string): string => jobId.slice(jobId.lastIndexOf('-') + 1);

/** Everything that happened to a job, in order, one line each. */
export function storyOf({ calls, log, faults }: History, jobId: string): readonly string[] {
  const lines: [number, string][] = [];
  const key = calls.find(({ job, what }) => job === jobId && what === 'submit')?.key;
  for (const call of calls)
    if (call.job === jobId || (key !== undefined && call.key === key))
      lines.push([call.at, `client ${JSON.stringify(call)}`]);
  for (const { time, server, level: _, ...line } of log)
    if (isAbout(line, jobId)) lines.push([time, `server ${server} ${JSON.stringify(line)}`]);
  const first = Math.min(...lines.map(([at]) => at));
  for (const fault of faults) if (fault.at >= first) lines.push([fault.at, `FAULT ${JSON.stringify(fault)}`]);
  return lines.toSorted(([a], [b]) => a - b).map(([at, line]) => `${at - first} ${line}`);
}

function isAbout(line: Readonly<Record<string, unknown>>, jobId: string): boolean {
  if (line['message'] === 'committed') return line['job'] === numberOf(jobId);
  if (line['jobId'] === jobId || line['actor'] === `batch-job/${numberOf(jobId)}`) return true;
  return typeof line['subJob'] === 'string' && line['subJob'].startsWith(`${jobId}.`);
}
