/**
 * The history of a run from clients, faults and logs. Times are milliseconds since the epoch, on the clock of
 * the machine.
 */
import type { Received } from '../../support/servers/receiver.ts';
import type { LogLine } from '../../support/processes/service.ts';

/** A request of a client with its response. */
export interface Call {
  readonly at: number;
  readonly until: number;
  readonly client: number;
  readonly server: number;
  readonly what: 'submit' | 'cancel' | 'resubmit' | 'read';
  /** The Idempotency-Key of a creation. */
  readonly key?: string;
  readonly job?: string;
  /** broken: no response arrived, so it is unknown whether the server processed the request. */
  readonly status: number | 'broken';
  /** The result of a read. */
  readonly saw?: Seen;
  readonly text?: string;
}

export interface Seen {
  readonly jobStatus: string;
  readonly terminal: boolean;
  readonly endDate: string | null;
}

/** An accepted job. */
export interface ChaosJob {
  readonly jobId: string;
  readonly key: string;
  readonly shape: string;
  readonly callback: boolean;
}

/** A streaming job for a camera. */
export interface ChaosStream {
  readonly key: string;
  readonly jobId: number;
  /** Ids in the responses to repeated creations. */
  readonly ids: readonly number[];
  readonly seen: {
    readonly at: number;
    readonly until: number;
    readonly jobStatus: string;
    readonly terminal: boolean;
    readonly segments: number;
  }[];
}

/** A component or pipeline that a client registered. */
export interface Registered {
  /** Path for its deletion. */
  readonly path: string;
  /** Path that shows it, or a part of it. */
  readonly shownAt: string;
  isThere: boolean;
  /** A request for it got no response. A frozen server may process it after later requests. */
  isUnclear: boolean;
  /** Statuses and texts of the responses, in order. */
  readonly answers: string[];
  /** The final response of each server about it. */
  last?: readonly (number | 'broken')[];
}

/** An applied fault, with its end. */
export interface Struck {
  readonly at: number;
  readonly until: number;
  readonly kind: string;
  readonly server?: number;
  readonly pid?: number;
  readonly worker?: string;
}

/** The final state of a job. */
export interface LastSeen extends Seen {
  readonly callbackStatus: string;
  /** Without times and ids. Undefined: the job has no document. */
  readonly document: unknown;
  readonly mediaIds: readonly number[];
}

export interface History {
  readonly calls: readonly Call[];
  readonly jobs: readonly ChaosJob[];
  readonly streams: readonly ChaosStream[];
  readonly registered: readonly Registered[];
  readonly faults: readonly Struck[];
  /** Log lines of all servers, sorted by time. `server` is the index of the server. */
  readonly log: readonly (LogLine & { readonly server: number })[];
  readonly callbacks: readonly Pick<Received, 'path' | 'key' | 'headers'>[];
  readonly last: ReadonlyMap<string, LastSeen>;
  /** Documents of jobs without faults, by shape. */
  readonly expected: ReadonlyMap<string, unknown>;
  /** Files left in spool/ and media/, and keys in Redis beyond those that ended jobs keep. */
  readonly left: readonly string[];
  readonly leaseMs: number;
}

/** A broken rule, with the job whose history explains it. */
export interface Violation {
  readonly rule: string;
  readonly says: string;
  readonly job?: string;
}

export const numberOf = (jobId: string): string => jobId.slice(jobId.lastIndexOf('-') + 1);

/** The history of a job in order, one line per event. */
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
