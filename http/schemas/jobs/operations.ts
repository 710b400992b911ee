import { z } from 'zod';
import { MAX_OPERATION_JOBS, OPERATION_STATUSES } from '../../../actors/operations/state.ts';
import { timestamp, wholeNumber } from '../common.ts';
import { jobId, labels, properties } from './batch-jobs.ts';
import { jobFilter } from './job-list.ts';
import { retryScope } from './job-retry.ts';

/** Operations: one action on many jobs (not in the specification). */
const action = z.enum(['resubmit', 'retry', 'cancel', 'delete', 'priority', 'label', 'archiverepost']);
type ActionName = z.output<typeof action>;

/** Parameters of actions besides the jobs. */
const PARAMETERS: Readonly<Partial<Record<ActionName, readonly string[]>>> = {
  resubmit: ['priority'],
  retry: ['what', 'jobProperties'],
  priority: ['priority'],
  label: ['add', 'remove'],
};

export const operationRequest = z
  .strictObject({
    action: action.describe('What is done to each job'),
    filter: jobFilter.optional().describe('Jobs that match it; {}: all jobs'),
    ids: z
      .array(z.union([z.string(), z.int()]))
      .max(MAX_OPERATION_JOBS)
      .optional()
      .describe('Ids of jobs, instead of a filter'),
    dryRun: z.boolean().optional().describe('true: counts what would be done, and changes nothing'),
    priority: z.int().min(0).max(9).optional().describe('For the actions priority and resubmit'),
    what: retryScope.optional().describe('For the action retry; absent: FAILED_SUB_JOBS'),
    jobProperties: properties.optional().describe('For the action retry: override those of the jobs'),
    add: labels.optional().describe('For the action label: labels to add'),
    remove: labels.optional().describe('For the action label: labels to remove'),
  })
  .superRefine((given, { addIssue }) => {
    const wrong = (path: string, message: string) => addIssue({ code: 'custom', path: [path], message });
    if ((given.filter === undefined) === (given.ids === undefined))
      wrong('filter', 'must be given, or ids; one of both');
    for (const name of ['priority', 'what', 'jobProperties', 'add', 'remove'] as const)
      if (given[name] !== undefined && PARAMETERS[given.action]?.includes(name) !== true)
        wrong(name, `has no meaning for the action ${given.action}`);
    if (given.action === 'priority' && given.priority === undefined)
      wrong('priority', 'must be a whole number from 0 to 9; it is missing');
    if (given.action === 'label' && [...(given.add ?? []), ...(given.remove ?? [])].length === 0)
      wrong('add', 'must have a label, or remove');
  })
  .meta({ id: 'OperationRequest' });

export const operation = z
  .object({
    operationId: z.string().describe('op-<number>'),
    action: action.describe('What is done to each job'),
    status: z.enum(OPERATION_STATUSES).describe('MATCHING: its jobs are being found; nothing is done yet'),
    terminal: z.boolean().describe('Whether it has ended'),
    dryRun: z.boolean().describe('true: the jobs are counted, and nothing is changed'),
    startedBy: z.string().describe('The name of the user'),
    startDate: timestamp.describe('When the operation was created'),
    endDate: timestamp.nullable().describe('When it ended; null: it has not'),
    matched: z.int().min(0).describe('Jobs that it selects'),
    done: z.int().min(0).describe('Jobs for which the action was done, or would be (dryRun)'),
    refused: z.int().min(0).describe('Jobs for which the action was refused'),
    progress: z.int().min(0).max(100).describe('Percent of the jobs that were handled'),
    refusals: z
      .array(
        z.object({
          reason: z.string().describe('Such as NOT_ENDED'),
          message: z.string().describe('Why, in words'),
          count: z.int().min(1).describe('Jobs that were refused for this reason'),
          examples: z.array(jobId).describe('The first 3 jobs'),
        }),
      )
      .describe('Why jobs were refused, by reason'),
    message: z.string().nullable().describe('What it waits for, or why it ended with ERROR'),
    filter: jobFilter.nullable().describe('null: ids were given'),
    priority: z.int().optional().describe('The priority that the jobs get; only for priority and resubmit'),
    what: retryScope.optional().describe('What runs again; only for retry'),
    add: z.array(z.string()).optional().describe('Labels that the jobs get; only for label'),
    remove: z.array(z.string()).optional().describe('Labels that the jobs lose; only for label'),
  })
  .meta({ id: 'Operation', description: 'One action on many jobs; kept for 7 days after its end' });

export const operationList = z
  .object({
    operations: z.array(operation).describe('Newest first'),
    next: z.string().nullable().describe('Value of before for the next page; null: this is the last page'),
  })
  .meta({ id: 'OperationList' });

export const operationListQuery = z.strictObject({
  limit: wholeNumber(1, 500).default(50).describe('Maximum number of operations on a page'),
  before: z
    .string()
    .regex(/^op-\d{1,15}$/, { error: 'must be the value of next from the previous page' })
    .optional()
    .meta({ description: 'Value of next from the previous page', examples: ['op-3'] }),
});

export const operationIdParam = z.string().meta({ description: 'op-<number>', examples: ['op-4'] });
