import type { JobRecord } from './record.ts';

/** Settings of the server that a job's decisions depend on. */
export interface JobSettings {
  /** Clients are told where their results lie below it. */
  readonly dataDir: string;
  /** The server that decides, by the id of its start. */
  readonly server: string;
  /** Sub-jobs of one job that are queued or run at a time. */
  readonly window: number;
  /** Whether the documents of jobs are to be found by the search. */
  readonly search: boolean;
  /** Attempts at a sub-job before it is given up. */
  readonly attempts: number;
  /** Pause before the second attempt at a download or an upload, doubling with each: milliseconds. */
  readonly transferPauseMs: number;
  /** Media that may be derived from those of one job. */
  readonly maxDerived: number;
  /** Whether buckets for results may have loopback and private addresses. */
  readonly privateBuckets: boolean;
  /** Hosts that results of earlier jobs may be fetched from in any case. */
  readonly allowedHosts: readonly string[];
  /** Files of an earlier job that are copied at a time. */
  readonly copiesAtOnce: number;
  /** Of the document of an earlier job of another service. */
  readonly maxArchivedBytes: number;
  /** How the service names itself towards an archive. */
  readonly system: { readonly version: string; readonly host: string };
}

/** What every decision of a job may look at besides its state; the time is that of the command, never a clock's. */
export interface DecisionContext {
  readonly record: JobRecord;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly settings: JobSettings;
}
