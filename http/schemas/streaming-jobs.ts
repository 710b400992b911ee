import { z } from 'zod';
import {
  coreResponse,
  externalId,
  orEmpty,
  owner,
  problemMembers,
  timestamp,
  trueOrFalse,
} from './common.ts';
import { algorithmProperties, properties } from './jobs/batch-jobs.ts';

/** Bodies of the streaming job endpoints (specification 2.3, 4.3). */
const callbackUri = z
  .string()
  .refine((text) => text.trim() === '' || /^https?:$/.test(protocolOf(text)), {
    error: 'must be an http or https URI',
  })
  .nullish();
const protocolOf = (text: string) => (URL.canParse(text) ? new URL(text).protocol : '');

const streamData = z
  .object({
    streamUri: z.string().describe('One stream: rtsp, rtsps, http or https'),
    segmentSize: z.int().describe('Frames of a segment, at least 10'),
    mediaProperties: properties.nullish().describe('Override all other properties for this stream'),
  })
  .meta({ id: 'JobCreationStreamData' });

export const streamingJobCreationRequest = z
  .object({
    enableOutputToDisk: z.boolean(),
    externalId: externalId.pipe(z.string().max(1_000)).nullish(),
    jobProperties: properties.nullish(),
    algorithmProperties: algorithmProperties.nullish(),
    stream: streamData,
    stallTimeout: z.int().min(-1).describe('Milliseconds; -1: a stall never ends the job'),
    pipelineName: z.string(),
    healthReportCallbackUri: callbackUri,
    summaryReportCallbackUri: callbackUri,
    stallCallbackUri: callbackUri.describe('Gets a health report of this job when the stream stalls'),
  })
  .meta({ id: 'StreamingJobCreationRequest' });
export type StreamingJobCreationRequest = z.infer<typeof streamingJobCreationRequest>;

const streamingJobId = z.int().describe('-1: there is no such job');
const directory = z.string().nullable().describe('Folder of all files of the job; null when it writes none');

export const streamingJobCreationResponse = z
  .object({ jobId: streamingJobId, outputObjectDirectory: directory, coreResponse })
  .meta({ id: 'StreamingJobCreationResponse' });
export const streamingJobCreationProblem = streamingJobCreationResponse
  .extend(problemMembers)
  .meta({ id: 'StreamingJobCreationProblem' });

export const streamingJobCancelResponse = z
  .object({
    jobId: streamingJobId,
    doCleanup: z.boolean().describe('As requested'),
    outputObjectDirectory: directory,
    coreResponse,
  })
  .meta({ id: 'StreamingJobCancelResponse' });
export const streamingJobCancelProblem = streamingJobCancelResponse
  .extend(problemMembers)
  .meta({ id: 'StreamingJobCancelProblem' });

const reportOutcome = z.object({ at: timestamp, error: z.string().nullable() }).nullable();

export const streamingJobInfo = z
  .object({
    jobId: z.int(),
    outputObjectDirectory: directory,
    streamUri: z.string(),
    startDate: timestamp,
    endDate: timestamp.nullable(),
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
    activityFrameId: z
      .string()
      .nullable()
      .describe(
        'Frame at which the first track of the current segment starts, or of the last segment that had tracks',
      ),
    activityTimestamp: timestamp.nullable(),
    externalId: z.string().nullable().optional(),
    owner: owner.optional().describe('Who created the job'),
    segments: z.int().optional().describe('Reported so far'),
    picture: z
      .object({ width: z.int(), height: z.int(), fps: z.number() })
      .nullable()
      .optional()
      .describe('Pixels, and frames a second as the stream says'),
    frames: z
      .object({
        read: z.int(),
        processed: z.int(),
        dropped: z.int(),
        skipped: z.int(),
        reconnects: z.int(),
      })
      .optional()
      .describe(
        'Frames decoded, analyzed, overtaken by newer ones, skipped by the motion gate; new connections after a failure',
      ),
    warnings: z
      .array(z.string())
      .optional()
      .describe(
        'Parts of the request without effect, and parts that the detector could not process; each once',
      ),
    reports: z
      .object({ health: reportOutcome, summary: reportOutcome, dropped: z.int() })
      .optional()
      .describe(
        'What became of the last reports since the server started; dropped: lost because their receiver is too slow',
      ),
  })
  .meta({ id: 'StreamingJobInfo' });

export const allStreamingJobs = z
  .object({ jobIds: z.array(z.int()) })
  .meta({ id: 'AllStreamingJobsInfoModel' });

export const listQuery = z.object({
  isActive: orEmpty(trueOrFalse)
    .transform((isActive) => isActive ?? true)
    .describe('true leaves out jobs that are TERMINATED, ERROR or CANCELLED; true when absent or empty'),
});
export const cancelQuery = z.object({
  doCleanup: orEmpty(trueOrFalse)
    .transform((doCleanup) => doCleanup ?? false)
    .describe('true removes all files of the job; false when absent or empty'),
});
