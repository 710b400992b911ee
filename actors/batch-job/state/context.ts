import type { JobRecord } from './record.ts';

/** Settings of the server that a job's decisions depend on. */
export interface JobSettings {
  /** Folder of the results, whose locations clients see. */
  readonly dataDir: string;
  /** Address of the server for links to results in callbacks. If undefined, callbacks name files. */
  readonly linkBase?: string;
  /** Id of the start of the server that decides. */
  readonly server: string;
  /** Maximum number of sub-jobs of one job that are queued or running. */
  readonly window: number;
  /** True if the search indexes the documents of jobs. */
  readonly search: boolean;
  /** Maximum number of attempts at a sub-job. */
  readonly attempts: number;
  /** Pause before the second attempt at a download or an upload, in milliseconds. It doubles with each attempt. */
  readonly transferPauseMs: number;
  /** Maximum number of derivative media of one job. */
  readonly maxDerived: number;
  /** True if buckets for results may have loopback and private addresses. */
  readonly privateBuckets: boolean;
  /** Hosts from which results of earlier jobs may always be fetched. */
  readonly allowedHosts: readonly string[];
  /** Maximum number of files of an earlier job that are copied at the same time. */
  readonly copiesAtOnce: number;
  /** Maximum size of the document of an earlier job of another service. */
  readonly maxArchivedBytes: number;
  /** Version and host that the service reports to an archive. */
  readonly system: { readonly version: string; readonly host: string };
}

/** The input of every decision of a job besides its state. The time is that of the command, never a clock's. */
export interface DecisionContext {
  readonly record: JobRecord;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly settings: JobSettings;
}
