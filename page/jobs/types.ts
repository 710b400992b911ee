import type { z } from 'zod';
import type { deliveryPage } from '../../http/schemas/jobs/deliveries.ts';
import type { jobPage } from '../../http/schemas/jobs/job-list.ts';
import type { singleJobInfo } from '../../http/schemas/jobs/batch-jobs.ts';

/** What the REST interface answers about batch jobs; the shapes are those that the server declares. */
export type JobPage = z.output<typeof jobPage>;
export type DeliveryPage = z.output<typeof deliveryPage>;
export type ListedJob = JobPage['jobs'][number];
export type JobInfo = z.output<typeof singleJobInfo>;
export type JobStatus = JobInfo['jobStatus'];

/** A server-sent event of the list: jobs that are new or have changed, and the order of all. */
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
  /** Older servers say nothing of it. */
  readonly remaining?: JobInfo['remaining'] | null;
}
