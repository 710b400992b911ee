import { z } from 'zod';
import {
  DEFAULT_RECORDING_BYTES,
  DEFAULT_RECORDING_DAYS,
  MAX_RECORDING_DAYS,
  MIN_RECORDING_BYTES,
} from '../../../actors/streaming-job/recordings/recording-rules.ts';
import {
  coreResponse,
  externalId,
  orEmpty,
  owner,
  problemMembers,
  timestamp,
  trueOrFalse,
} from '../common.ts';
import { algorithmProperties, properties } from '../jobs/batch-jobs.ts';
import { eventReceivers, streamZones } from './stream-zones.ts';
import { zoneMembers } from '../jobs/zones.ts';

/** Bodies of the streaming job endpoints (specification 2.3, 4.3). */
const callbackUri = z
  .string()
  .refine((text) => text.trim() === '' || /^https?:$/.test(protocolOf(text)), {
    error: 'must be an http or https URI',
  })
  .nullish();
const protocolOf = (text: string) => (URL.canParse(text) ? new URL(text).protocol : '');

const recording = z
  .object({
    streamUri: z
      .string()
      .optional()
      .meta({ examples: ['rtsp://camera.example/large'] })
      .describe('Another address of the camera to record, with more pixels; absent: that of the stream'),
    days: z
      .number()
      .positive()
      .max(MAX_RECORDING_DAYS)
      .default(DEFAULT_RECORDING_DAYS)
      .describe('Older pictures are removed'),
    bytes: z
      .int()
      .min(MIN_RECORDING_BYTES)
      .default(DEFAULT_RECORDING_BYTES)
      .describe('Of all files of the recording; the oldest go first'),
  })
  .meta({ id: 'StreamRecording' });

const streamData = z
  .object({
    streamUri: z.string().describe('One stream: rtsp, rtsps, http or https'),
    segmentSize: z.int().describe('Frames of a segment, at least 10'),
    mediaProperties: properties.nullish().describe('Override all other properties for this stream'),
    recording: recording.nullish().describe('Keeps the pictures of the camera; absent: nothing is kept'),
  })
  .meta({ id: 'JobCreationStreamData' });

export const streamingJobCreationRequest = z
  .object({
    enableOutputToDisk: z
      .boolean()
      .describe('true: reports and segments are written into a folder of the server as well'),
    externalId: externalId
      .pipe(z.string().max(1_000))
      .nullish()
      .describe("The caller's id of the job: in reports"),
    jobProperties: properties.nullish().describe('Values of properties for all actions of the job'),
    algorithmProperties: algorithmProperties
      .nullish()
      .describe('Values of properties by algorithm, over jobProperties'),
    stream: streamData.describe('The stream, and how it is cut into segments'),
    stallTimeout: z.int().min(-1).describe('Milliseconds; -1: a stall never ends the job'),
    pipelineName: z.string().describe('A stored pipeline whose component processes streams'),
    healthReportCallbackUri: callbackUri.describe(
      'Gets a POST with the state of the job, at intervals and at each change: an http or https URI',
    ),
    summaryReportCallbackUri: callbackUri.describe(
      'Gets a POST with the findings of each segment: an http or https URI',
    ),
    stallCallbackUri: callbackUri.describe('Gets a health report of this job when the stream stalls'),
    ...zoneMembers,
    events: eventReceivers.nullish().describe('Who gets events of zones and rules, and which'),
  })
  .meta({ id: 'StreamingJobCreationRequest' });
export type StreamingJobCreationRequest = z.infer<typeof streamingJobCreationRequest>;

/** Changes for a restart of a stored job. */
export const streamingJobRestartRequest = streamingJobCreationRequest
  .partial()
  .extend({ stream: streamData.partial().optional().describe('Members of the stream that change') })
  .meta({ id: 'StreamingJobRestartRequest' });
export type StreamingJobRestartRequest = z.infer<typeof streamingJobRestartRequest>;

const streamingJobId = z.int().describe('-1: the job was not created');
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

const reportOutcome = z
  .object({
    at: timestamp.describe('When it was sent'),
    error: z.string().nullable().describe('Why it failed; null: it arrived'),
  })
  .nullable();

export const streamingJobInfo = z
  .object({
    jobId: z.int().describe('Number of the job, from one sequence with batch jobs'),
    outputObjectDirectory: directory,
    streamUri: z.string().describe('The stream of the request without secrets'),
    startDate: timestamp.describe('When the job was created, in local time'),
    endDate: timestamp.nullable().describe('When it ended, in local time; null: it has not'),
    jobStatus: z
      .enum([
        'INITIALIZING',
        'IN_PROGRESS',
        'CANCELLING',
        'CANCELLED',
        'TERMINATED',
        'STALLED',
        'JOB_CREATION_ERROR',
        'ERROR',
        'CANCELLED_BY_SHUTDOWN',
      ])
      .describe('Specification 3.2'),
    jobStatusDetail: z.string().nullable().describe('Reason for the status; null: there is none'),
    pipelineName: z.string().describe('The pipeline that the job runs'),
    activityFrameId: z
      .string()
      .nullable()
      .describe(
        'Frame at which the first track of the current segment starts, or of the last segment that had tracks',
      ),
    activityTimestamp: timestamp
      .nullable()
      .describe('When that frame was decoded; null: nothing was found yet'),
    externalId: z
      .string()
      .nullable()
      .optional()
      .describe('With details=true: the externalId of the request; null: it had none'),
    owner: owner.optional().describe('Who created the job'),
    recording: recording.optional().describe('What is recorded; absent: nothing'),
    segments: z.int().optional().describe('Number of reported segments'),
    picture: z
      .object({
        width: z.int().describe('Width of a frame: pixels'),
        height: z.int().describe('Height of a frame: pixels'),
        fps: z.number().describe('Frames a second, as the stream says'),
      })
      .nullable()
      .optional()
      .describe('Pixels, and frames a second as the stream says'),
    frames: z
      .object({
        read: z.int().describe('Frames decoded'),
        processed: z.int().describe('Frames analyzed'),
        dropped: z.int().describe('Frames dropped because a newer one was available'),
        skipped: z.int().describe('Frames skipped because nothing moved (motion gate)'),
        reconnects: z.int().describe('New connections to the stream after a failure'),
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
      .object({
        health: reportOutcome.describe('The last health report; null: none was sent'),
        summary: reportOutcome.describe('The last summary report; null: none was sent'),
        dropped: z.int().describe('Reports that were lost because their receiver is too slow'),
      })
      .optional()
      .describe('Outcome of the last reports since the server started'),
    zones: streamZones.optional().describe('With details=true: zones, lines and rules, and their counts'),
  })
  .meta({ id: 'StreamingJobInfo' });

export const allStreamingJobs = z
  .object({ jobIds: z.array(z.int()).describe('Numbers of the jobs; empty: none fits') })
  .meta({ id: 'AllStreamingJobsInfoModel' });

export const listQuery = z.object({
  isActive: orEmpty(trueOrFalse)
    .transform((isActive) => isActive ?? true)
    .pipe(z.boolean())
    .describe('true leaves out jobs that are TERMINATED, ERROR or CANCELLED; true when absent or empty'),
});
export const cancelQuery = z.object({
  doCleanup: orEmpty(trueOrFalse)
    .transform((doCleanup) => doCleanup ?? false)
    .pipe(z.boolean())
    .describe('true removes all files of the job; false when absent or empty'),
});
