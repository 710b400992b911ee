import { z } from 'zod';
import { STREAMING_STATUSES } from '../../actors/streaming-job/state.ts';
import { timestamp } from './common.ts';
import { jobId, jobStatus } from './jobs/batch-jobs.ts';

/** Bodies of the requests that the server sends to receivers (specification 6). */
const documentUri = z
  .string()
  .nullable()
  .describe('The detection document; RESULT_LINKS says how it is named; null: there is none');

export const jobCallback = z
  .object({ jobId, externalId: z.string().nullable(), outputObjectUri: documentUri, jobStatus })
  .meta({ id: 'JobCallback' });

/** The same by GET. */
export const jobCallbackQuery = z.object({
  jobid: jobId,
  externalid: z.string().optional().describe('Absent: the job has none'),
  outputobjecturi: z.string().optional().describe('The detection document; absent: there is none'),
});

export const healthReport = z
  .object({
    reportDate: timestamp,
    reports: z.array(
      z.object({
        jobId: z.int(),
        externalId: z.string().nullable(),
        jobStatus: z.enum(STREAMING_STATUSES),
        jobStatusDetail: z.string().nullable(),
        activityFrameId: z.string().nullable().describe('The last frame in which something was found'),
        activityTimestamp: timestamp.nullable(),
      }),
    ),
  })
  .meta({ id: 'HealthReport' });

const segmentDetection = z.object({
  offsetFrame: z.int(),
  timestamp,
  x: z.int().describe('Pixels'),
  y: z.int().describe('Pixels'),
  width: z.int().describe('Pixels'),
  height: z.int().describe('Pixels'),
  confidence: z.number(),
  detectionProperties: z.record(z.string(), z.string()),
});

const segmentTrack = z.object({
  id: z.string(),
  liveId: z.string().optional().describe('With OUTPUT_DETAILS=TRUE: the same in each segment of the track'),
  startOffsetFrame: z.int(),
  stopOffsetFrame: z.int(),
  startTimestamp: timestamp,
  stopTimestamp: timestamp,
  type: z.string(),
  confidence: z.number(),
  trackProperties: z.record(z.string(), z.string()),
  exemplar: segmentDetection,
  detections: z.array(segmentDetection),
});

export const summaryReport = z
  .object({
    reportDate: timestamp,
    jobId: z.int(),
    externalId: z.string().nullable(),
    segmentId: z.int().min(0),
    segmentStartFrame: z.int(),
    segmentStopFrame: z.int(),
    errorMessage: z.string().describe('Empty: the segment was processed'),
    output: z.record(z.string(), z.array(segmentTrack)).describe('By type of track'),
  })
  .meta({ id: 'SummaryReport' });

export const archivePost = z
  .object({
    assertionId: z.uuid(),
    informationType: z.string(),
    securityTag: z.string(),
    system: z.string(),
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
