import { z } from 'zod';
import { BATCH_JOB_STATUSES } from '../../../actors/batch-job/state/status.ts';
import { RETRIES } from '../../../actors/batch-job/state/record.ts';
import { WAIT_KINDS } from '../../../actors/views/jobs/waiting-reasons.ts';
import { maybe } from '../../../actors/catalog/descriptors/fields.ts';
import { DOCUMENT_FORMATS } from '../../../domain/job/export-formats.ts';
import { jobNumber } from '../../../domain/job/job-id.ts';
import { LABEL_FORM, MAX_LABELS } from '../../../domain/labels.ts';
import { REQUEST_LIMITS } from '../../../domain/plan/request-limits.ts';
import {
  coreResponse,
  externalId,
  orEmpty,
  owner,
  problemMembers,
  timestamp,
  trueOrFalse,
} from '../common.ts';

/** Bodies of the batch job endpoints (specification 2.1): each validates, types and documents. */
/** The value of a property: text. Many programs write numbers and booleans as such. */
const propertyValue = z
  .union([z.string(), z.number(), z.boolean()], { error: 'must be a text, a number or a boolean' })
  .transform(String);
export const properties = z.record(z.string(), propertyValue);

/** By algorithm. */
export const algorithmProperties = z.record(z.string(), properties);

const mediaRange = z
  .object({ start: z.int().nonnegative(), stop: z.int().nonnegative() })
  .refine(({ start, stop }) => stop >= start, { error: 'must not be before start', path: ['stop'] });

/** Specification 2.1, JobCreationMediaSelector. */
const mediaSelector = z.object({
  type: z.literal('JSON_PATH'),
  expression: z.string().min(1),
  resultDetectionProperty: z.string().min(1),
  selectionProperties: properties.nullish(),
});
const MAX_SELECTORS = 100;

export const label = z
  .string()
  .regex(LABEL_FORM, {
    error: ({ input }) =>
      `must have 1 to 64 characters of A-Z, a-z, 0-9, ".", "_", ":" and "-"; it ${labelProblem(String(input))}`,
  })
  .describe('1 to 64 letters, digits, points, underscores, colons and hyphens');
const labelProblem = (given: string) =>
  given.length > 64 ? `has ${given.length} characters` : `is ${JSON.stringify(given)}`;
/** Each once. */
export const labels = z
  .array(label)
  .max(MAX_LABELS)
  .transform((given) => [...new Set(given)])
  .pipe(z.array(z.string()));

const mediaData = z.object({
  mediaUri: z.string().min(1),
  metadata: properties.nullish(),
  properties: properties.nullish(),
  frameRanges: z
    .array(mediaRange)
    .max(10_000)
    .nullish()
    .describe(
      'Of a video: frames, from 0. Of a document: pages, from 1. Other media: no effect, with a warning',
    ),
  timeRanges: z
    .array(mediaRange)
    .max(10_000)
    .nullish()
    .describe('Of a video: milliseconds. Other media: no effect, with a warning'),
  mediaSelectorsOutputAction: z.string().nullish(),
  mediaSelectors: z.array(mediaSelector).max(MAX_SELECTORS).nullish(),
});

const transientTask = z.object({ name: z.string().min(1), actions: z.array(z.string().min(1)) });
const transientAction = z.object({
  name: z.string().min(1),
  algorithm: z.string().min(1),
  properties: maybe(z.array(z.object({ name: z.string(), value: propertyValue }))),
});
const transientPipelineDefinition = z.object({
  pipeline: z.array(z.string().min(1)),
  tasks: maybe(z.array(transientTask)),
  actions: maybe(z.array(transientAction)),
});

export const jobCreationRequest = z
  .object({
    media: z.array(mediaData),
    pipelineName: z.string().nullish(),
    pipelineDefinition: transientPipelineDefinition.nullish(),
    buildOutput: z.boolean().nullish(),
    externalId: externalId.nullish(),
    labels: labels.nullish().describe('Words by which jobs are found and changed together'),
    jobProperties: properties.nullish(),
    algorithmProperties: algorithmProperties.nullish(),
    priority: z.int().min(0).max(9).nullish(),
    callbackURL: z.string().nullish(),
    callbackMethod: z.string().nullish(),
  })
  .meta({ id: 'JobCreationRequest' });
export type JobCreationRequest = z.infer<typeof jobCreationRequest>;

export const jobStatus = z
  .enum(BATCH_JOB_STATUSES)
  .meta({ id: 'JobStatus', description: 'Specification 3.1' });

/** Specification 2.2: how the posts to the archive and to the caller stand. */
const deliveryStatus = z
  .union([
    z.enum(['JOB RUNNING', 'IN PROGRESS', 'NOT REQUESTED', 'COMPLETE', 'ERROR']),
    z.string().regex(/^ERROR: /),
  ])
  .meta({ id: 'DeliveryStatus', description: 'On failure ERROR, or ERROR: and a description' });

const attempts = z
  .object({
    attempts: z.int().min(1).describe('Attempts that failed'),
    lastError: z.string().nullable(),
    nextAttempt: timestamp.nullable().describe('null: none is planned'),
  })
  .meta({ id: 'DeliveryAttempts', description: 'Given once an attempt has failed' });

const JOB_ID = '<hostname>-<job number>';
export const jobId = z.string().describe(JOB_ID);
/** The id in a path, as the number of the job; the document shows it as the text that it is there. */
export const jobIdParam = z
  .string()
  .transform((text, { addIssue }) => {
    const number = jobNumber(text);
    if (number === null) addIssue({ code: 'custom', message: 'must be a job id' });
    return number ?? z.NEVER;
  })
  .meta({ type: 'string', description: JOB_ID });

export const jobCreationResponse = z
  .object({
    jobId: jobId.nullable().describe('<hostname>-<job number>; null when the job was refused'),
    coreResponse,
    archiveCheckStatus: z
      .enum([
        'NOT_REQUESTED',
        'NO_ARCHIVE_URL_IN_JOB',
        'MEDIA_HASHES_ABSENT',
        'MEDIA_MIME_TYPES_ABSENT',
        'NO_MATCH',
        'FOUND_MATCH',
      ])
      .nullable()
      .describe('The archive check before the job; null when the job was refused'),
    outputObjectUri: z
      .string()
      .nullish()
      .describe('The output object of a compatible job that the archive knows, if there is one'),
  })
  .meta({ id: 'JobCreationResponse' });
export const jobCreationProblem = jobCreationResponse
  .extend(problemMembers)
  .meta({ id: 'JobCreationProblem' });

const jobRun = z
  .object({
    run: z.int().min(1).describe('1: the first'),
    what: z.enum(['ALL', ...RETRIES]).describe('What it processed: everything, or what a retry asked for'),
    jobStatus,
    startDate: timestamp,
    endDate: timestamp.nullable().describe('null: it has not ended'),
    mediaFailed: z
      .int()
      .min(0)
      .optional()
      .describe('Media of the request that had failed at its end; absent when it was cancelled'),
    jobProperties: z
      .record(z.string(), z.string())
      .optional()
      .describe('Job properties that the retry changed'),
  })
  .meta({ id: 'JobRun', description: 'The first run of a job, a retry, or a run after a resubmission' });

export const waitingFor = z
  .object({
    kind: z
      .enum(WAIT_KINDS)
      .describe(
        'ADMISSION: fewer jobs in progress. ARCHIVE: the search for an equal earlier job. TRANSFER: another host. PAUSED: somebody has ' +
          'paused the queue, or the server drains. COMPONENT: a component that does not run. QUEUE: work before it.',
      ),
    reason: z.string().describe('A sentence for people'),
    queue: z.string().optional().describe('Where its next sub-job waits, as GET /rest/queues names it'),
    position: z.int().min(1).optional().describe('1: it is the next one'),
    service: z.string().optional().describe('The service that processes the queue'),
  })
  .meta({ id: 'WaitingFor', description: 'Why nothing of a job runs that has not ended' });

const remaining = z
  .object({
    seconds: z.int().min(1),
    atLeast: z
      .boolean()
      .describe('true: the time of later tasks is not known, so the job takes at least this long'),
  })
  .meta({
    id: 'RemainingTime',
    description:
      'How long a job will still take, by the duration of its finished sub-jobs and the processes that work for it',
  });

export const singleJobInfo = z
  .object({
    jobId,
    jobPriority: z.int().min(0).max(9),
    jobProgress: z.number().min(0).max(100).describe('Percent'),
    jobStatus,
    terminal: z.boolean().describe('Whether the job has ended'),
    startDate: timestamp,
    endDate: timestamp.nullable(),
    mediaUris: z.array(z.string()),
    outputObjectPath: z.string().nullable().describe('Path of the detection document on the server'),
    pipelineName: z.string(),
    archiveStatus: z
      .union([deliveryStatus, z.literal('PAST JOB FOUND'), z.string().regex(/^COPY ERROR: /)])
      .describe(
        'PAST JOB FOUND: the results of an earlier job are used for this one; COPY ERROR: they could not be copied into its bucket',
      ),
    callbackStatus: deliveryStatus,
    // What the specification does not list: only for those who ask for it.
    externalId: z.string().nullable().optional().describe("With details=true: the caller's id"),
    owner: owner.optional().describe('With details=true: who created the job'),
    labels: z.array(z.string()).optional().describe('With details=true'),
    mediaSucceeded: z
      .int()
      .min(0)
      .optional()
      .describe(
        'With details=true, once the job has ended: how many of mediaUris were processed without an error; absent when it was cancelled',
      ),
    mediaHrefs: z
      .array(z.string().nullable())
      .optional()
      .describe(
        'With details=true, for each of mediaUris: the path of the medium, relative to /rest/jobs/{jobId}/; null: it is available at its own address',
      ),
    runs: z
      .array(jobRun)
      .optional()
      .describe('With details=true, of a job that is read alone: its runs, the oldest first'),
    callbackAttempts: attempts.optional().describe('With details=true, once an attempt has failed'),
    archiveAttempts: attempts.optional().describe('With details=true, once an attempt has failed'),
    waitingFor: waitingFor
      .optional()
      .describe('With details=true; absent while something of it runs, and when it has ended'),
    remaining: remaining
      .optional()
      .describe('With details=true; absent while nothing is known, and when the job has ended'),
  })
  .meta({ id: 'SingleJobInfo' });

export const creationQuery = z.object({
  dryRun: trueOrFalse
    .optional()
    .describe('true: everything is checked, nothing is stored, and the plan of the job is answered with 200'),
});

export const creationHeaders = z.object({
  'Idempotency-Key': z
    .string()
    .regex(/^[\x21-\x7e]{1,255}$/)
    .optional()
    .describe('A request that is repeated under the same key, for a day, gets the same job'),
});

/** What may be changed of a job (ours); what is left out stays. */
export const jobChange = z
  .object({
    priority: z.int().min(0).max(9).optional().describe('Of a job that has not ended'),
    labels: labels.optional().describe('All labels from now on'),
    externalId: externalId
      .pipe(z.string().max(REQUEST_LIMITS.externalIdLength))
      .nullable()
      .optional()
      .describe('The document of a job that has ended keeps the id that it has'),
  })
  .refine(({ priority, labels: all, externalId: id }) => (priority ?? all ?? id) !== undefined, {
    error: 'must have priority, labels or externalId',
  })
  .meta({ id: 'JobChange' });

export const singleJobQuery = z.object({
  details: z
    .string()
    .optional()
    .catch(undefined)
    .describe('true: with the members that the specification does not list'),
});

export const documentQuery = z.object({
  format: z
    .enum(DOCUMENT_FORMATS)
    .optional()
    .describe(
      'Another form of what was found (docs/reference/exports.md); json, the document itself, when it is not given',
    ),
  media: z
    .string()
    .regex(/^\d{1,15}$/, { error: 'must be the mediaId of a medium, a whole number' })
    .transform(Number)
    .pipe(z.int())
    .optional()
    .describe('Another form: of this medium alone, by its mediaId'),
  pictures: trueOrFalse
    .optional()
    .describe('true: the ZIP of the format yolo has the frames as JPEG files, at most 2,000'),
});

export const resubmitQuery = z.object({
  jobPriority: orEmpty(
    z
      .string()
      .regex(/^[0-9]$/, { error: 'must be a whole number from 0 to 9' })
      .transform(Number)
      .pipe(z.int().min(0).max(9)),
  ).describe('0 lowest; absent or empty: the default priority'),
});

const plannedAction = z.object({
  name: z.string(),
  algorithm: z.string(),
  properties: z
    .record(z.string(), z.string())
    .describe('Values that apply and are not the defaults; without those of single media'),
  queue: z.string().describe('As GET /rest/queues calls it'),
  served: z.boolean().describe('Whether a component processes the queue, or starts when there is work'),
  reason: z.string().nullable().describe('Why no component does'),
});

export const dryRunResponse = z
  .object({
    coreResponse: coreResponse.describe('Code 2: what of the request has no effect, a line each'),
    priority: z.int().min(0).max(9),
    pipeline: z.object({
      name: z.string(),
      tasks: z.array(
        z.object({
          name: z.string(),
          actionType: z.enum(['DETECTION', 'MARKUP']),
          actions: z.array(plannedAction),
        }),
      ),
    }),
    media: z.array(
      z.object({
        mediaUri: z.string(),
        mediaType: z
          .enum(['IMAGE', 'VIDEO', 'AUDIO', 'UNKNOWN'])
          .nullable()
          .describe('By the MIME_TYPE of its metadata or its data: URI; null: known only after inspection'),
        problem: z
          .string()
          .nullable()
          .describe('Why it cannot be used, or why the pipeline finds nothing in it'),
        frameRanges: z.array(mediaRange).describe('The frames of the request; empty: no frames are named'),
        timeRanges: z
          .array(mediaRange)
          .describe('The milliseconds of the request; empty: no times are named'),
      }),
    ),
  })
  .meta({ id: 'DryRunResponse', description: 'What a job would do; nothing is stored' });

const aggregatePipelineStats = z
  .object({
    count: z.int().min(0).describe('Jobs in any status'),
    maxTime: z.int().min(0).describe('Milliseconds'),
    minTime: z.int().min(0).describe('Milliseconds'),
    totalTime: z.int().min(0).describe('Milliseconds'),
    states: z.partialRecord(jobStatus, z.int().min(0)).describe('Jobs by status'),
    validCount: z.int().min(0).describe('Jobs with status COMPLETE, which the times are of'),
  })
  .meta({ id: 'AggregatePipelineStatsModel' });

export const allJobsStatistics = z
  .object({
    elapsedTimeMs: z.int().min(0).describe('Time it took to build this answer'),
    aggregatePipelineStatsMap: z
      .record(z.string(), aggregatePipelineStats)
      .describe('By name of the pipeline'),
    jobTypes: z.int().min(0).describe('Number of entries in aggregatePipelineStatsMap'),
    totalJobs: z.int().min(0),
  })
  .meta({ id: 'AllJobsStatisticsModel' });

export const archiveRepostRequest = z.array(z.int()).max(10_000);
export const archiveRepostResponse = z
  .object({
    success: z.array(z.int()).describe('Jobs that were posted again'),
    failures: z.array(z.object({ jobId: z.int(), error: z.string() })),
  })
  .meta({ id: 'ArchiveRepostResponse' });
export const archiveRepostProblem = archiveRepostResponse
  .extend(problemMembers)
  .meta({ id: 'ArchiveRepostProblem' });
