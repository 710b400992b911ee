import type { z } from 'zod';
import type { deliveryPage } from '../../http/schemas/jobs/deliveries.ts';
import type { jobPage } from '../../http/schemas/jobs/job-list.ts';
import type { singleJobInfo } from '../../http/schemas/jobs/batch-jobs.ts';

/** Answers of the REST interface about batch jobs. The types come from the schemas of the server. */
export type JobPage = z.output<typeof jobPage>;
export type DeliveryPage = z.output<typeof deliveryPage>;
export type ListedJob = JobPage['jobs'][number];
export type JobInfo = z.output<typeof singleJobInfo>;
export type JobStatus = JobInfo['jobStatus'];

/** A server-sent event of the list: new and changed jobs, and the order of all jobs. */
export interface JobsEvent {
  readonly jobs: readonly ListedJob[];
  readonly order: readonly string[];
  readonly next: string | null;
}

/** A server-sent event of one job. */
export interface JobEvent {
  readonly jobId: string;
  readonly jobStatus: JobStatus;
  readonly jobProgress: number;
  readonly terminal: boolean;
  readonly stage: string;
  readonly task: { readonly name: string; readonly number: number; readonly of: number } | null;
  readonly waitingFor: JobInfo['waitingFor'] | null;
  /** Undefined if the server is older. */
  readonly remaining?: JobInfo['remaining'] | null;
}
