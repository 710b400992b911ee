import { z } from 'zod';
import { STREAMING_STATUSES } from '../../actors/streaming-job/state.ts';
import { timestamp } from './common.ts';
import { zoneEvent } from './jobs/zones.ts';
import { jobId, jobStatus } from './jobs/batch-jobs.ts';

/** Bodies of the requests that the server sends to receivers (specification 6). */
const documentUri = z
  .string()
  .nullable()
  .describe('URI or path of the detection document, as RESULT_LINKS sets; null: there is none');

export const jobCallback = z
  .object({
    jobId,
    externalId: z.string().nullable().describe('The externalId of the request; null: it had none'),
    outputObjectUri: documentUri,
    jobStatus,
  })
  .meta({ id: 'JobCallback' });

/** Parameters of a callback by GET. */
export const jobCallbackQuery = z.object({
  jobid: jobId,
  externalid: z.string().optional().describe('Absent: the job has none'),
  outputobjecturi: z.string().optional().describe('The detection document; absent: there is none'),
});

export const healthReport = z
  .object({
    reportDate: timestamp.describe('When the report was made'),
    reports: z
      .array(
        z.object({
          jobId: z.int().describe('Number of the streaming job'),
          externalId: z.string().nullable().describe('The externalId of the request; null: it had none'),
          jobStatus: z.enum(STREAMING_STATUSES).describe('Status of the job (specification 3.2)'),
          jobStatusDetail: z
            .string()
            .nullable()
            .describe('Reason for the status, in a sentence; null: there is none'),
          activityFrameId: z.string().nullable().describe('The last frame in which something was found'),
          activityTimestamp: timestamp
            .nullable()
            .describe('When that frame was decoded; null: nothing was found yet'),
          events: z
            .object({
              pending: z.int().describe('Webhooks and messages of events that are not delivered yet'),
              dropped: z.int().describe('Failed deliveries that are not retried'),
              trouble: z.string().nullable().describe('Why the last delivery failed; null: it arrived'),
            })
            .optional()
            .describe('Of streams with zones, lines, rules or events'),
        }),
      )
      .describe('One for each streaming job that names this URI, or for the one that has changed'),
  })
  .meta({ id: 'HealthReport' });

const segmentDetection = z.object({
  offsetFrame: z.int().describe('Number of the frame since the start of the stream, from 0'),
  timestamp: timestamp.describe('When the frame was decoded'),
  x: z.int().describe('Left edge of the box: pixels from the left edge of the frame'),
  y: z.int().describe('Upper edge of the box: pixels from the upper edge of the frame'),
  width: z.int().describe('Width of the box: pixels'),
  height: z.int().describe('Height of the box: pixels'),
  confidence: z.number().describe('Confidence, usually from 0 to 1; -1: the detector gives none'),
  detectionProperties: z.record(z.string(), z.string()).describe('Properties of the detection, by name'),
});

const segmentTrack = z.object({
  id: z.string().describe('The same input gives the same id'),
  liveId: z.string().optional().describe('With OUTPUT_DETAILS=TRUE: the same in each segment of the track'),
  task: z.string().optional().describe('Task that found the track; absent: the pipeline has one action'),
  action: z.string().optional().describe('Its action; absent: the pipeline has one action'),
  startOffsetFrame: z
    .int()
    .describe('Frame of the first detection in this segment, from the start of the stream'),
  stopOffsetFrame: z.int().describe('Frame of the last detection in this segment, inclusive'),
  startTimestamp: timestamp.describe('When the first of these frames was decoded'),
  stopTimestamp: timestamp.describe('When the last of these frames was decoded'),
  type: z.string().describe('Type of the track, such as FACE, CLASS, SPEECH or MOTION'),
  confidence: z.number().describe('Highest confidence of its detections'),
  trackProperties: z.record(z.string(), z.string()).describe('Properties of the whole track, by name'),
  exemplar: segmentDetection.describe('The detection that shows the track best'),
  detections: z.array(segmentDetection).describe('The detections in this segment, by frame'),
});

export const summaryReport = z
  .object({
    reportDate: timestamp.describe('When the report was made'),
    jobId: z.int().describe('Number of the streaming job'),
    externalId: z.string().nullable().describe('The externalId of the request; null: it had none'),
    segmentId: z.int().min(0).describe('Number of the segment, from 0'),
    segmentStartFrame: z.int().describe('First frame of the segment, from the start of the stream'),
    segmentStopFrame: z.int().describe('Last frame of the segment, inclusive'),
    errorMessage: z.string().describe('Empty: the segment was processed'),
    output: z.record(z.string(), z.array(segmentTrack)).describe('By type of track'),
  })
  .meta({ id: 'SummaryReport' });

export const archivePost = z
  .object({
    assertionId: z.uuid().describe('Id of this post, the same in each attempt'),
    informationType: z.string().describe('What is posted: the name of the system and the word Tracks'),
    securityTag: z.string().describe('Always UNCLASSIFIED'),
    system: z.string().describe('Name of the system that posts'),
    dataObject: z.record(z.string(), z.unknown()).describe('What the job found in the medium'),
  })
  .meta({ id: 'ArchivePost' });

/** Headers of each callback. */
const callbackHeaders = z.object({
  'Idempotency-Key': z.string().describe('The same in each attempt'),
  'webhook-id': z
    .string()
    .optional()
    .describe('The same in each attempt; this header and the next two come with a secret'),
  'webhook-timestamp': z.string().optional().describe('Time of the attempt: seconds since the epoch'),
  'webhook-signature': z
    .string()
    .optional()
    .describe('By Standard Webhooks: v1 and the base64 of an HMAC-SHA256, for each secret'),
});
export const reportHeaders = callbackHeaders;
export const jobCallbackHeaders = callbackHeaders.extend({
  'Troupe-Job-Status': jobStatus.describe('How the job ended'),
});

export const streamEvent = z
  .object({
    type: z.string().describe('stream. and the event, such as stream.rule'),
    timestamp: z.string().describe('When it happened: ISO 8601, UTC'),
    data: zoneEvent.describe('What happened, as GET .../zone-events lists it'),
  })
  .meta({ id: 'StreamEventWebhook' });
