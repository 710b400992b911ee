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
import { zoneMembers } from './zones.ts';

/** Bodies of the batch job endpoints (specification 2.1). Each schema validates, types and documents. */
/** The value of a property as text. Many programs send numbers and booleans without quotes. */
const propertyValue = z
  .union([z.string(), z.number(), z.boolean()], { error: 'must be a text, a number or a boolean' })
  .transform(String);
export const properties = z.record(z.string(), propertyValue);

/** Properties by algorithm. */
export const algorithmProperties = z.record(z.string(), properties);

const mediaRange = z
  .object({
    start: z.int().nonnegative().describe('The first frame, page or millisecond'),
    stop: z.int().nonnegative().describe('The last one, inclusive'),
  })
  .refine(({ start, stop }) => stop >= start, { error: 'must not be before start', path: ['stop'] });

/** Specification 2.1, JobCreationMediaSelector. */
const mediaSelector = z.object({
  type: z.literal('JSON_PATH').describe('The syntax of expression; there is no other'),
  expression: z
    .string()
    .min(1)
    .describe('Which sections of the document are processed, such as $.messages[*].text'),
  resultDetectionProperty: z
    .string()
    .min(1)
    .describe('The detection property whose value replaces the section in the document that is written'),
  selectionProperties: properties
    .nullish()
    .describe('Properties that apply to these sections alone, over all others'),
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
/** A list of labels without duplicates. */
export const labels = z
  .array(label)
  .max(MAX_LABELS)
  .transform((given) => [...new Set(given)])
  .pipe(z.array(z.string()));

const mediaData = z.object({
  mediaUri: z
    .string()
    .min(1)
    .describe('Properly encoded URI of one medium: file, http, https or data, or s3 with credentials'),
  metadata: properties
    .nullish()
    .describe(
      'Known metadata of the medium. With MEDIA_HASH, MIME_TYPE and the sizes of its type, Troupe does not inspect it',
    ),
  properties: properties
    .nullish()
    .describe('Properties that apply to this medium alone, over all others but those of selectors'),
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
  mediaSelectorsOutputAction: z
    .string()
    .nullish()
    .describe('The action whose findings are written into the document; required with mediaSelectors'),
  mediaSelectors: z
    .array(mediaSelector)
    .max(MAX_SELECTORS)
    .nullish()
    .describe('Sections of a JSON document; only these are processed'),
});

const transientTask = z.object({
  name: z
    .string()
    .min(1)
    .describe('Name for use in the pipeline; takes precedence over a stored task of the same name'),
  actions: z
    .array(z.string().min(1))
    .describe('Names of actions of this request, or of stored ones; all run at a time'),
});
const transientAction = z.object({
  name: z
    .string()
    .min(1)
    .describe('Name for use in tasks; takes precedence over a stored action of the same name'),
  algorithm: z.string().min(1).describe('An algorithm as GET /rest/algorithms lists it'),
  properties: maybe(
    z.array(
      z.object({
        name: z.string().describe('A property of the algorithm'),
        value: propertyValue.describe('Its value; numbers and booleans become text'),
      }),
    ),
  ).describe('Values that replace the defaults of the algorithm'),
});
const transientPipelineDefinition = z.object({
  pipeline: z
    .array(z.string().min(1))
    .describe('Names of the tasks in the order in which they run: those of this request, or stored ones'),
  tasks: maybe(z.array(transientTask)).describe('Tasks of this job alone; their order has no meaning'),
  actions: maybe(z.array(transientAction)).describe('Actions of this job alone'),
});

export const jobCreationRequest = z
  .object({
    media: z.array(mediaData).describe('What is processed. Each medium gets the whole pipeline'),
    pipelineName: z
      .string()
      .nullish()
      .describe(
        'A stored pipeline as GET /rest/pipelines lists it. Either this or pipelineDefinition is given',
      ),
    pipelineDefinition: transientPipelineDefinition
      .nullish()
      .describe('A pipeline of this job alone. Either this or pipelineName is given'),
    buildOutput: z.boolean().nullish().describe('false: no detection document is written; absent: true'),
    externalId: externalId
      .nullish()
      .describe("The caller's id of the job: in callbacks, in the document and in the list of jobs"),
    labels: labels.nullish().describe('Labels by which jobs can be filtered and changed together'),
    jobProperties: properties.nullish().describe('Values of properties for all actions of the job'),
    algorithmProperties: algorithmProperties
      .nullish()
      .describe('Values of properties by algorithm, over jobProperties'),
    priority: z
      .int()
      .min(0)
      .max(9)
      .nullish()
      .describe('0 is the lowest; absent: the default of the server (DEFAULT_PRIORITY)'),
    callbackURL: z
      .string()
      .nullish()
      .describe(
        'Where the server sends a request when the job has ended: a properly encoded http or https URL',
      ),
    callbackMethod: z.string().nullish().describe('GET or POST; absent: GET'),
    ...zoneMembers,
  })
  .meta({ id: 'JobCreationRequest' });
export type JobCreationRequest = z.infer<typeof jobCreationRequest>;

export const jobStatus = z
  .enum(BATCH_JOB_STATUSES)
  .meta({ id: 'JobStatus', description: 'Specification 3.1' });

/** Specification 2.2: state of the posts to the archive and to the caller. */
const deliveryStatus = z
  .union([
    z.enum(['JOB RUNNING', 'IN PROGRESS', 'NOT REQUESTED', 'COMPLETE', 'ERROR']),
    z.string().regex(/^ERROR: /),
  ])
  .meta({ id: 'DeliveryStatus', description: 'On failure ERROR, or ERROR: and a description' });

const attempts = z
  .object({
    attempts: z.int().min(1).describe('Attempts that failed'),
    lastError: z.string().nullable().describe('Why the last attempt failed; null: unknown'),
    nextAttempt: timestamp.nullable().describe('null: none is planned'),
  })
  .meta({ id: 'DeliveryAttempts', description: 'Present once an attempt has failed' });

const JOB_ID = { description: '<hostname>-<job number>', examples: ['host-12'] };
export const jobId = z.string().meta(JOB_ID);
/** The id in a path, parsed into the number of the job. OpenAPI shows it as text. */
export const jobIdParam = z
  .string()
  .transform((text, { addIssue }) => {
    const number = jobNumber(text);
    if (number === null) addIssue({ code: 'custom', message: 'must be a job id' });
    return number ?? z.NEVER;
  })
  .meta({ type: 'string', ...JOB_ID });

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
    startDate: timestamp.describe('When the run began'),
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
        'ADMISSION: too many jobs are in progress. ARCHIVE: the search for an equal earlier job. TRANSFER: another host. PAUSED: the queue is paused, or the server drains. COMPONENT: a component that does not run. QUEUE: work before it.',
      ),
    reason: z.string().describe('A sentence for people'),
    queue: z.string().optional().describe('Where its next sub-job waits, as GET /rest/queues names it'),
    position: z.int().min(1).optional().describe('1: it is the next one'),
    service: z.string().optional().describe('The service that processes the queue'),
  })
  .meta({ id: 'WaitingFor', description: 'Why no sub-job of a live job runs' });

const remaining = z
  .object({
    seconds: z.int().min(1).describe('Seconds until its end'),
    atLeast: z
      .boolean()
      .describe('true: the time of later tasks is not known, so the job takes at least this long'),
  })
  .meta({
    id: 'RemainingTime',
    description:
      'Estimated remaining time, by the duration of finished sub-jobs and the processes that work for the job',
  });

export const singleJobInfo = z
  .object({
    jobId,
    jobPriority: z.int().min(0).max(9).describe('0 is the lowest, 9 the highest'),
    jobProgress: z.number().min(0).max(100).describe('Percent'),
    jobStatus,
    terminal: z.boolean().describe('Whether the job has ended'),
    startDate: timestamp.describe('When the job was created, or resubmitted'),
    endDate: timestamp.nullable().describe('When it ended; null: it has not'),
    mediaUris: z.array(z.string()).describe('The media of the request'),
    outputObjectPath: z.string().nullable().describe('Path of the detection document on the server'),
    pipelineName: z.string().describe('The pipeline that the job runs'),
    archiveStatus: z
      .union([deliveryStatus, z.literal('PAST JOB FOUND'), z.string().regex(/^COPY ERROR: /)])
      .describe(
        'PAST JOB FOUND: the results of an earlier job are used for this one; COPY ERROR: they could not be copied into its bucket',
      ),
    callbackStatus: deliveryStatus,
    // Members outside the specification need details=true.
    externalId: z.string().nullable().optional().describe("With details=true: the caller's id"),
    owner: owner.optional().describe('With details=true: who created the job'),
    labels: z.array(z.string()).optional().describe('With details=true'),
    pipelineActions: z
      .array(z.string())
      .optional()
      .describe('With details=true: the actions of a pipeline that belongs to this job alone')
      .meta({ examples: [['FACE DETECTION ACTION', 'TEXT DETECTION ACTION']] }),
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
      .describe('With details=true; absent while a sub-job runs, and when the job has ended'),
    remaining: remaining
      .optional()
      .describe('With details=true; absent while nothing is known, and when the job has ended'),
  })
  .meta({ id: 'SingleJobInfo' });

export const creationQuery = z.object({
  dryRun: trueOrFalse
    .optional()
    .describe('true: checks the request and returns the plan of the job with 200; nothing is stored'),
});

export const creationHeaders = z.object({
  'Idempotency-Key': z
    .string()
    .regex(/^[\x21-\x7e]{1,255}$/)
    .optional()
    .describe('A repeated request with the same key within a day returns the same job'),
});

/** Changes of a job (not in the specification). Absent members stay unchanged. */
export const jobChange = z
  .object({
    priority: z.int().min(0).max(9).optional().describe('Of a job that has not ended'),
    labels: labels.optional().describe('Replace all labels'),
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
    .meta({ description: 'true: with the members that the specification does not list', examples: ['true'] }),
});

export const documentQuery = z.object({
  format: z
    .enum(DOCUMENT_FORMATS)
    .optional()
    .describe('Format of the results (docs/reference/exports.md); default: json, the document itself'),
  media: z
    .string()
    .regex(/^\d{1,15}$/, { error: 'must be the mediaId of a medium, a whole number' })
    .transform(Number)
    .pipe(z.int())
    .optional()
    .describe('In other formats than json: only this medium, by its mediaId'),
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
  name: z.string().describe('Name of the action'),
  algorithm: z.string().describe('The algorithm that the action runs'),
  properties: z
    .record(z.string(), z.string())
    .describe('Values that apply and are not the defaults; without those of single media'),
  queue: z.string().describe('Name in GET /rest/queues'),
  served: z.boolean().describe('Whether a component processes the queue, or starts when there is work'),
  reason: z.string().nullable().describe('Why no component processes the queue'),
});

export const dryRunResponse = z
  .object({
    coreResponse: coreResponse.describe('Code 2: parts of the request without effect, one line each'),
    priority: z.int().min(0).max(9).describe('The priority that the job would have'),
    pipeline: z
      .object({
        name: z.string().describe('Name of the pipeline'),
        tasks: z
          .array(
            z.object({
              name: z.string().describe('Name of the task'),
              actionType: z
                .enum(['DETECTION', 'MARKUP'])
                .describe('DETECTION: it finds something; MARKUP: it draws findings into a copy'),
              actions: z.array(plannedAction).describe('Its actions, which run at a time'),
            }),
          )
          .describe('Its tasks, in the order in which they run'),
      })
      .describe('What would run'),
    media: z
      .array(
        z.object({
          mediaUri: z.string().describe('As in the request'),
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
      )
      .describe('What would be processed, in the order of the request'),
  })
  .meta({ id: 'DryRunResponse', description: 'What a job would do; nothing is stored' });

const aggregatePipelineStats = z
  .object({
    count: z.int().min(0).describe('Jobs in any status'),
    maxTime: z.int().min(0).describe('Milliseconds'),
    minTime: z.int().min(0).describe('Milliseconds'),
    totalTime: z.int().min(0).describe('Milliseconds'),
    states: z.partialRecord(jobStatus, z.int().min(0)).describe('Jobs by status'),
    validCount: z.int().min(0).describe('Jobs with status COMPLETE; the times are theirs'),
  })
  .meta({ id: 'AggregatePipelineStatsModel' });

export const allJobsStatistics = z
  .object({
    elapsedTimeMs: z.int().min(0).describe('Time it took to build this answer'),
    aggregatePipelineStatsMap: z
      .record(z.string(), aggregatePipelineStats)
      .describe('By name of the pipeline'),
    jobTypes: z.int().min(0).describe('Number of entries in aggregatePipelineStatsMap'),
    totalJobs: z.int().min(0).describe('All jobs that the server knows'),
  })
  .meta({ id: 'AllJobsStatisticsModel' });

export const archiveRepostRequest = z.array(z.int()).max(10_000);
export const archiveRepostResponse = z
  .object({
    success: z.array(z.int()).describe('Jobs that were posted again'),
    failures: z
      .array(
        z.object({
          jobId: z.int().describe('Number of the job'),
          error: z.string().describe('Why it was not posted'),
        }),
      )
      .describe('Jobs that were not posted'),
  })
  .meta({ id: 'ArchiveRepostResponse' });
export const archiveRepostProblem = archiveRepostResponse
  .extend(problemMembers)
  .meta({ id: 'ArchiveRepostProblem' });
