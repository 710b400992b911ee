/**
 * The resources of chapter 2, written from the specification without code of the product. As for a strict
 * reader, a field that is missing, unknown or of another type is an error.
 */
import { z } from 'zod';

export const map = z.record(z.string(), z.string());
const names = z.array(z.string());
export const whole = z.int();
export const count = whole.min(0);
/** ISO 8601 with milliseconds and the offset of the server's zone. */
const local = z.string().regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}[+-]\d\d:\d\d$/);
export const utc = z.string().regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/);

export const ok = z.strictObject({ responseCode: z.literal(0), message: z.string().nullable() });
export const failed = z.strictObject({ responseCode: z.literal(1), message: z.string().min(1) });
export const responseMessage = z.strictObject({ message: z.string().min(1) });
/** Error responses have two extensions: a stable code and a link to its documentation. */
export const problem = responseMessage.extend({
  code: z.string().regex(/^[a-z]+(-[a-z]+)*$/),
  help: z.string().regex(/^http:.*\/docs\/reference\/rest-errors#[a-z-]+$/),
});
export const refused = failed.extend(problem.shape);

export const jobId = z.string().regex(/^test-host-\d+$/);
export const jobCreated = z.strictObject({
  jobId,
  coreResponse: ok,
  archiveCheckStatus: z.enum([
    'NOT_REQUESTED',
    'NO_ARCHIVE_URL_IN_JOB',
    'MEDIA_HASHES_ABSENT',
    'MEDIA_MIME_TYPES_ABSENT',
    'NO_MATCH',
    'FOUND_MATCH',
  ]),
  outputObjectUri: z.string().optional(),
});
export const warned = z.strictObject({ responseCode: z.literal(2), message: z.string().min(1) });
export const jobCreatedWithWarning = jobCreated.extend({ coreResponse: warned });
export const jobRefused = z.strictObject({
  jobId: z.null(),
  coreResponse: failed,
  archiveCheckStatus: z.null(),
  ...problem.shape,
});

export const BATCH_STATUSES = [
  'UNKNOWN',
  'INITIALIZED',
  'IN_PROGRESS',
  'IN_PROGRESS_ERRORS',
  'IN_PROGRESS_WARNINGS',
  'COMPLETE',
  'COMPLETE_WITH_WARNINGS',
  'CANCELLING',
  'CANCELLED',
  'CANCELLED_BY_SHUTDOWN',
  'ERROR',
] as const;
const TERMINAL = ['COMPLETE', 'COMPLETE_WITH_WARNINGS', 'CANCELLED', 'CANCELLED_BY_SHUTDOWN', 'ERROR'];
const delivery = z.string().regex(/^(JOB RUNNING|IN PROGRESS|NOT REQUESTED|COMPLETE|ERROR|ERROR: [^]+)$/);

export const singleJobInfo = z
  .strictObject({
    jobId,
    jobPriority: whole.min(0).max(9),
    jobProgress: z.number().min(0).max(100),
    jobStatus: z.enum(BATCH_STATUSES),
    terminal: z.boolean(),
    startDate: local,
    endDate: local.nullable(),
    mediaUris: names,
    outputObjectPath: z.string().nullable(),
    pipelineName: z.string(),
    archiveStatus: delivery,
    callbackStatus: delivery,
  })
  .refine(({ terminal, jobStatus }) => terminal === TERMINAL.includes(jobStatus), {
    error: 'terminal is true in the final statuses and in no other',
  })
  .refine(({ terminal, endDate }) => terminal === (endDate !== null), {
    error: 'endDate is there when the job has ended',
  });

export const statistics = z.strictObject({
  elapsedTimeMs: count,
  aggregatePipelineStatsMap: z.record(
    z.string(),
    z.strictObject({
      count,
      maxTime: count,
      minTime: count,
      totalTime: count,
      states: z.partialRecord(z.enum(BATCH_STATUSES), count),
      validCount: count,
    }),
  ),
  jobTypes: count,
  totalJobs: count,
});
export const archiveRepost = z.strictObject({
  success: z.array(whole),
  failures: z.array(z.strictObject({ jobId: whole, error: z.string().min(1) })),
});

export const archiveNotReposted = archiveRepost.extend(problem.shape);

export const streamingJobs = z.strictObject({ jobIds: z.array(whole) });
export const streamingRefused = z.strictObject({
  jobId: whole,
  outputObjectDirectory: z.null(),
  coreResponse: failed,
  ...problem.shape,
});
export const streamingNotCancelled = z.strictObject({
  ...streamingRefused.shape,
  doCleanup: z.boolean(),
});

export const streamingCreated = z.strictObject({
  jobId: whole,
  outputObjectDirectory: z.string().min(1).nullable(),
  coreResponse: ok,
});
export const streamingCancelled = z.strictObject({ ...streamingCreated.shape, doCleanup: z.boolean() });
export const streamingJobInfo = z.strictObject({
  jobId: whole,
  outputObjectDirectory: z.string().min(1).nullable(),
  streamUri: z.string(),
  startDate: local,
  endDate: local.nullable(),
  jobStatus: z.enum([
    'INITIALIZING',
    'IN_PROGRESS',
    'CANCELLING',
    'CANCELLED',
    'TERMINATED',
    'STALLED',
    'JOB_CREATION_ERROR',
    'ERROR',
    'CANCELLED_BY_SHUTDOWN',
  ]),
  jobStatusDetail: z.string().nullable(),
  pipelineName: z.string(),
  activityFrameId: z.string().nullable(),
  activityTimestamp: local.nullable(),
});

const variable = z.strictObject({ name: z.string(), value: z.string(), sep: z.string().optional() });
const service = z.strictObject({
  serviceName: z.string().min(1),
  serviceDescription: z.string(),
  serviceLauncher: z.enum(['simple', 'generic']),
  cmd: z.string().min(1),
  serviceCount: count,
  workingDirectory: z.string(),
  args: names.optional(),
  environmentVariables: z.array(variable).optional(),
});
export const nodeManagers = z.array(z.strictObject({ host: z.string().min(1), services: z.array(service) }));
export const services = z.record(z.string(), service);
export const hosts = z.record(z.string(), z.boolean());
export const deployed = z.strictObject({
  nodeModels: z.array(
    z.strictObject({
      kind: z.enum(['simple', 'generic']),
      lastKnownState: z.enum([
        'Unknown',
        'Configured',
        'Launching',
        'Running',
        'ShuttingDown',
        'ShuttingDownNoRestart',
        'Inactive',
        'InactiveNoStart',
        'Delete',
        'DeleteInactive',
      ]),
      name: z.string().regex(/^[^:]+:[^:]+:\d+$/),
      rank: whole.min(1),
      restartCount: count,
      serviceCount: count,
      unlaunchable: z.boolean(),
    }),
  ),
});

export const systemMessages = z.array(
  z.strictObject({
    // An extension: DELETE needs the id, but 2.5 does not list it.
    id: whole.min(1),
    msg: z.string(),
    datePosted: utc,
    msgEnum: z.string().nullable(),
    msgType: z.enum(['all', 'admin', 'login']),
    removeStrategy: z.enum(['atServerStartup', 'manual']),
    severity: z.enum(['info', 'warning', 'error']),
  }),
);

const described = { name: z.string().min(1), description: z.string() };
export const pipeline = z.strictObject({ ...described, tasks: names });
export const storedTask = z.strictObject({ ...described, actions: names });
export const storedAction = z.strictObject({
  ...described,
  algorithm: z.string(),
  properties: z.array(z.strictObject({ name: z.string(), value: z.string() })),
});
export const algorithm = z.strictObject({
  ...described,
  actionType: z.enum(['DETECTION', 'MARKUP']),
  supportsBatchProcessing: z.boolean(),
  supportsStreamProcessing: z.boolean(),
  providesCollection: z.strictObject({
    states: names,
    properties: z.array(
      z.strictObject({
        ...described,
        defaultValue: z.string().nullable(),
        type: z.enum(['BOOLEAN', 'FLOAT', 'DOUBLE', 'INT', 'LONG', 'STRING']),
        propertiesKey: z.string().nullable(),
      }),
    ),
  }),
  requiresCollection: z.strictObject({ states: names }),
});

export const queue = z.strictObject({ name: z.string().min(1), messagesInQueue: count });
export const info = z.strictObject({
  app: z.string().min(1),
  appFamily: z.string().min(1),
  buildNum: z.string().min(1),
  gitBranch: z.string().min(1),
  gitHash: z.string().min(1),
  version: z.string().regex(/^\d+\.\d+\.\d+$/),
});
