import { z } from 'zod';
import { MOST_IN_TURN } from '../../../protocol/worker-messages.ts';
import { VIEW_KINDS, WORK_KINDS } from '../../../protocol/worker-protocol.ts';
import { DETECTION_ERRORS } from '../../../domain/types.ts';

/** Bodies of the worker protocol; `protocol/worker-messages.ts` has them as types for the other side. */
const MAX_MESSAGE = 4_000;

/** Names of algorithms have no more characters. */
const MAX_NAME = 256;
const algorithms = z.array(z.string().trim().toUpperCase().min(1).max(MAX_NAME)).min(1).max(64);

export const claimRequest = z.object({
  algorithms,
  max: z.int().min(1).max(MOST_IN_TURN).default(1),
  waitMs: z.int().min(0).max(25_000).default(0),
  inTurn: z.boolean().default(false),
});

export const resultQuery = z.object({
  claim: z
    .string()
    .transform((names) => names.split(','))
    .pipe(algorithms)
    .optional()
    .describe('Algorithms, separated by commas: the answer then has one more sub-job, if one waits'),
});

export const heartbeatRequest = z.object({
  done: z.number().nonnegative().default(0),
  total: z.number().nonnegative().default(0),
});

export const failureRequest = z.object({
  code: z.enum([
    ...DETECTION_ERRORS,
    'OTHER',
    'REMOTE_STORAGE_DOWNLOAD',
    'REMOTE_STORAGE_UPLOAD',
    'MEDIA_INSPECTION',
    'FRAME_COUNT',
    'MEDIA_INITIALIZATION',
    'LOCAL_STORAGE',
  ]),
  message: z.string().transform((text) => text.slice(0, MAX_MESSAGE)),
  mayPass: z
    .literal(true)
    .optional()
    .describe('Another host was away or busy. Transfers are tried again later; other work has failed'),
});

export const answersRequest = z.object({
  answers: z
    .array(
      z.object({
        token: z.string().max(MAX_NAME),
        ms: z.number().nonnegative().default(0).describe('Milliseconds that it was worked on'),
        lines: z.string().optional().describe('The lines of the result'),
        failure: failureRequest.optional().describe('Without lines: why there is no result'),
      }),
    )
    .max(MOST_IN_TURN),
  algorithms: algorithms.optional(),
  max: z.int().min(0).max(MOST_IN_TURN).default(0).describe('Sub-jobs that are claimed with it, in turn'),
});

const assignment = z
  .object({
    token: z.string().describe('Names the lease and fences it'),
    id: z.string(),
    kind: z.enum([...WORK_KINDS, 'STREAM', ...VIEW_KINDS]),
    algorithm: z.string(),
    attempt: z.int().min(1),
    heartbeatMs: z.int().min(1).describe('Requested time between two heartbeats'),
    traceparent: z
      .string()
      .optional()
      .describe('The trace of the job (W3C Trace Context), to be continued by the component'),
    last: z.literal(true).optional().describe('Claimed in turn: it is all that its job waits for'),
    work: z
      .looseObject({})
      .describe('What is to be done; docs/reference/component-protocol.md describes it for detectors'),
  })
  .meta({ id: 'Assignment' });
export const claimAnswer = z.object({ work: z.array(assignment) }).meta({ id: 'ClaimAnswer' });
export const answersAnswer = claimAnswer
  .extend({
    refused: z.array(z.string().nullable()).describe('For each answer: null, or why it is refused'),
  })
  .meta({ id: 'AnswersAnswer' });
export const resultAnswer = claimAnswer.partial().meta({ id: 'ResultAnswer' });
export const heartbeatAnswer = z.object({ go: z.enum(['on', 'cancelled']) }).meta({ id: 'HeartbeatAnswer' });

/** Messages about live streams; `protocol/streams.ts` has them as types for the other side. */
const moment = z.number().min(-8.64e15).max(8.64e15).describe('Milliseconds since the epoch');
const count = z.int().min(0);
const sentence = z.string().transform((text) => text.slice(0, MAX_MESSAGE));
const liveId = z.string().min(1).max(100).describe('Of the track: the same in all its segments');

export const segmentNumber = z.coerce
  .number()
  .pipe(count)
  .describe('Its first frame is that many times segmentSize');

const streamEvent = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('opened'),
    at: moment,
    width: count,
    height: count,
    fps: z.number().nonnegative(),
  }),
  z.object({ type: z.literal('stalled'), at: moment, cause: sentence }),
  z.object({ type: z.literal('running'), at: moment }),
  z.object({ type: z.literal('reconnecting'), at: moment, cause: sentence }),
  z.object({ type: z.literal('activity'), at: moment, frame: count }),
  z.object({ type: z.literal('warning'), at: moment, message: sentence }),
  z.object({
    type: z.literal('trackBegan'),
    at: moment,
    liveId,
    trackType: z.string().min(1).max(MAX_NAME).optional(),
    frame: count,
    x: z.number(),
    y: z.number(),
    width: z.number(),
    height: z.number(),
    confidence: z.number(),
    properties: z.record(z.string().max(MAX_NAME), z.string().max(MAX_MESSAGE)),
  }),
  z.object({ type: z.literal('trackEnded'), at: moment, liveId, frame: count }),
]);

const streamCounts = z
  .object({ read: count, processed: count, dropped: count, skipped: count, reconnects: count })
  .describe(
    'Frames decoded, analyzed, overtaken by newer ones, skipped by the motion gate; new connections after a failure',
  );

/** Events in one message. */
const MAX_EVENTS = 1_000;
export const streamEvents = z.object({
  events: z.array(streamEvent).max(MAX_EVENTS),
  counts: streamCounts.optional(),
});

export const streamEnd = z.object({ reason: z.enum(['ended', 'stalled', 'cancelled']), detail: sentence });

export const streamAnswer = z
  .object({ go: z.enum(['on', 'cancelled']), wantsFrame: z.boolean().optional() })
  .meta({ id: 'StreamAnswer' });
