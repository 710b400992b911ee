import { fragmentOf } from '../../../protocol/stream-fragments.ts';
import { z } from 'zod';
import { MOST_IN_TURN } from '../../../protocol/worker-messages.ts';
import { VIEW_KINDS, WORK_KINDS } from '../../../protocol/worker-protocol.ts';
import { DETECTION_ERRORS } from '../../../domain/types.ts';
import { MOST_RULES, MOST_ZONES } from '../../../domain/zones/checks.ts';
import { DIRECTIONS, RULE_EVENTS } from '../../../domain/zones/types.ts';
import { MOST_TRACKS } from '../../../domain/zones/watch-state.ts';
import { watchedFacts } from '../jobs/zones.ts';

/** Bodies of the worker protocol. `protocol/worker-messages.ts` has the types for components. */
const MAX_MESSAGE = 4_000;

/** Maximum length of algorithm names. */
const MAX_NAME = 256;
const algorithms = z.array(z.string().trim().toUpperCase().min(1).max(MAX_NAME)).min(1).max(64);

export const claimRequest = z
  .object({
    algorithms: algorithms.describe('Algorithms that the component can run'),
    max: z.int().min(1).max(MOST_IN_TURN).default(1).describe('Maximum number of sub-jobs in the answer'),
    waitMs: z
      .int()
      .min(0)
      .max(25_000)
      .default(0)
      .describe('How long the server may wait for work before it answers: milliseconds'),
    inTurn: z
      .boolean()
      .default(false)
      .describe('true: the sub-jobs are worked on one after the other, under one lease each'),
  })
  .meta({ id: 'ClaimRequest' });

export const resultQuery = z.object({
  claim: z
    .string()
    .transform((names) => names.split(','))
    .pipe(algorithms)
    .optional()
    .describe('Algorithms, separated by commas: the answer then has one more sub-job, if one waits'),
});

export const heartbeatRequest = z
  .object({
    done: z.number().nonnegative().default(0).describe('Part of the sub-job that is done, in any unit'),
    total: z.number().nonnegative().default(0).describe('The whole sub-job, in the same unit; 0: unknown'),
  })
  .meta({ id: 'HeartbeatRequest' });

export const failureRequest = z
  .object({
    code: z
      .enum([
        ...DETECTION_ERRORS,
        'OTHER',
        'REMOTE_STORAGE_DOWNLOAD',
        'REMOTE_STORAGE_UPLOAD',
        'MEDIA_INSPECTION',
        'FRAME_COUNT',
        'MEDIA_INITIALIZATION',
        'LOCAL_STORAGE',
      ])
      .describe('Stable name of the cause; docs/reference/error-codes.md lists all'),
    message: z
      .string()
      .transform((text) => text.slice(0, MAX_MESSAGE))
      .describe('What went wrong, in words; at most 4,000 characters are kept'),
    mayPass: z
      .literal(true)
      .optional()
      .describe('Another host was unreachable or busy. Troupe retries transfers later; other work fails'),
  })
  .meta({ id: 'FailureRequest' });

export const answersRequest = z
  .object({
    answers: z
      .array(
        z.object({
          token: z.string().max(MAX_NAME).describe('The token of the lease'),
          ms: z.number().nonnegative().default(0).describe('Milliseconds of work on the sub-job'),
          cpuMs: z
            .number()
            .nonnegative()
            .optional()
            .describe('Milliseconds of CPU time that were used for it, of all cores together'),
          lines: z.string().optional().describe('The lines of the result'),
          failure: failureRequest.optional().describe('Without lines: why there is no result'),
        }),
      )
      .max(MOST_IN_TURN)
      .describe('Answers to sub-jobs that were claimed in turn'),
    algorithms: algorithms.optional().describe('Claims more sub-jobs of these algorithms with the answers'),
    max: z.int().min(0).max(MOST_IN_TURN).default(0).describe('Sub-jobs that are claimed with it, in turn'),
  })
  .meta({ id: 'AnswersRequest' });

const assignment = z
  .object({
    token: z.string().describe('Names the lease and fences it'),
    id: z.string().describe('Id of the sub-job'),
    kind: z.enum([...WORK_KINDS, 'STREAM', ...VIEW_KINDS]).describe('What kind of work it is'),
    algorithm: z.string().describe('The algorithm of the sub-job'),
    attempt: z.int().min(1).describe('1: the first attempt'),
    heartbeatMs: z.int().min(1).describe('Requested time between two heartbeats'),
    traceparent: z
      .string()
      .optional()
      .describe('The trace of the job (W3C Trace Context), to be continued by the component'),
    last: z.literal(true).optional().describe('Claimed in turn: the last pending sub-job of its job'),
    work: z
      .looseObject({})
      .describe('The work; docs/reference/component-protocol.md describes it for detectors'),
  })
  .meta({ id: 'Assignment' });
export const claimAnswer = z
  .object({
    work: z.array(assignment).describe('The sub-jobs with their leases; empty: no work came in time'),
  })
  .meta({ id: 'ClaimAnswer' });
export const answersAnswer = claimAnswer
  .extend({
    refused: z.array(z.string().nullable()).describe('For each answer: null, or why it is refused'),
  })
  .meta({ id: 'AnswersAnswer' });
export const resultAnswer = claimAnswer.partial().meta({ id: 'ResultAnswer' });
const go = z.enum(['on', 'cancelled']).describe('cancelled: stop the work, its result is no longer needed');
export const heartbeatAnswer = z.object({ go }).meta({ id: 'HeartbeatAnswer' });

/** Messages about live streams. `protocol/streams.ts` has the types for components. */
const at = z.number().min(-8.64e15).max(8.64e15).describe('When it happened: milliseconds since the epoch');
const count = z.int().min(0);
const width = count.describe('Width of a frame: pixels');
const height = count.describe('Height of a frame: pixels');
const frame = count.describe('Number of the frame since the start of the stream, from 0');
const sentence = z.string().transform((text) => text.slice(0, MAX_MESSAGE));
const cause = sentence.describe('Why, in words');
const liveId = z.string().min(1).max(100).describe('Of the track: the same in all its segments');

export const segmentNumber = z.coerce
  .number()
  .pipe(count)
  .describe('Its first frame is that many times segmentSize');

/** Maximum number in one message. */
const MAX_WATCHED = 200;
const { at: happenedAt, frame: happenedFrame, track, class: classOf, confidence, box } = watchedFacts;
const fact = { at: happenedAt, frame: happenedFrame, track, class: classOf, confidence, box };
const named = z.string().min(1).max(64);
const milliseconds = z.number().min(-8.64e15).max(8.64e15);
const picture = {
  crop: z.base64().max(100_000).optional().describe('A JPEG of the track'),
  cropFrame: happenedFrame.optional().describe('Frame of the picture. Absent: that of the event'),
  cropAt: milliseconds.optional().describe('Time of the picture. Absent: that of the event'),
};
const occupancy = count.describe('Tracks in the zone from now on');
const direction = z.enum(DIRECTIONS);
const stay = { since: milliseconds, dwellMs: z.number().min(0) };
const watchedEvent = z.discriminatedUnion('type', [
  z.object({ type: z.literal('trackBegan'), ...fact, ...picture }),
  z.object({ type: z.literal('classChanged'), before: z.string().max(MAX_MESSAGE), ...fact, ...picture }),
  z.object({ type: z.literal('trackEnded'), ...fact, ...picture }),
  z.object({ type: z.literal('entered'), zone: named, occupancy, ...fact, ...picture }),
  z.object({ type: z.literal('left'), zone: named, occupancy, ...stay, ...fact, ...picture }),
  z.object({ type: z.literal('crossed'), line: named, direction, ...fact, ...picture }),
  z.object({
    type: z.literal('rule'),
    rule: named,
    event: z.enum(RULE_EVENTS),
    zone: named.exactOptional(),
    line: named.exactOptional(),
    direction: direction.exactOptional(),
    since: milliseconds,
    dwellMs: z.number().min(0).exactOptional(),
    occupancy: count.exactOptional(),
    ...fact,
    ...picture,
  }),
]);

const point = z.tuple([z.number(), z.number()]);
const visit = z.object({ ...stay, confidence: z.number(), done: z.array(named).max(MOST_RULES) });
const passage = z.object({
  zones: z.array(z.tuple([named, z.number().min(0)])).max(MOST_ZONES),
  lines: z.array(z.string().max(200)).max(MOST_ZONES * DIRECTIONS.length),
});
const watchState = z.object({
  tracks: z
    .record(
      z.string().max(200),
      z.object({
        id: track,
        class: classOf,
        confidence,
        at: milliseconds,
        frame: happenedFrame,
        point,
        box,
        visits: z.record(named, visit),
        passed: passage.exactOptional(),
      }),
    )
    .refine((tracks) => Object.keys(tracks).length <= 2 * MOST_TRACKS, { error: 'has too many tracks' }),
  last: z.record(named, milliseconds),
  reached: z.array(named).max(MOST_RULES),
  ignored: count,
});

export const fragmentName = z
  .string()
  .refine((name) => fragmentOf(name) !== undefined, { error: 'must be the name of a fragment' })
  .describe('When the fragment came, its run, its place, and what is in it');

const streamEvent = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('opened').describe('The stream delivers frames'),
    at,
    width,
    height,
    fps: z.number().nonnegative().describe('Frames a second, as the stream says; 0: unknown'),
  }),
  z.object({ type: z.literal('stalled').describe('The stream delivers no frames'), at, cause }),
  z.object({ type: z.literal('running').describe('A stalled stream delivers frames again'), at }),
  z.object({
    type: z.literal('reconnecting').describe('The connection failed, and the component reconnects'),
    at,
    cause,
  }),
  z.object({ type: z.literal('activity').describe('The first track of a segment was found'), at, frame }),
  z.object({
    type: z
      .literal('warning')
      .describe('A part of the request has no effect, or a frame could not be processed'),
    at,
    message: sentence.describe('What could not be done, in words'),
  }),
  z.object({
    type: z.literal('trackBegan').describe('A track was seen for the first time'),
    at,
    liveId,
    trackType: z.string().min(1).max(MAX_NAME).optional().describe('Type of the track, such as FACE'),
    action: count.optional().describe('Place of the action among those of the stream; absent: there is one'),
    frame,
    x: z.number().describe('Left edge of the box: pixels'),
    y: z.number().describe('Upper edge of the box: pixels'),
    width: z.number().describe('Width of the box: pixels'),
    height: z.number().describe('Height of the box: pixels'),
    confidence: z.number().describe('Confidence of the detection'),
    properties: z
      .record(z.string().max(MAX_NAME), z.string().max(MAX_MESSAGE))
      .describe('What the detector says of it, by name of the property'),
  }),
  z.object({
    type: z.literal('zones').describe('What happened in the zones of the stream'),
    at,
    seq: z.int().min(1).describe('Number of the message: the next one after the last that was sent'),
    events: z
      .unknown()
      .describe('What happened, in its order: ZoneEvent of domain/zones/types.ts, with a crop')
      .pipe(z.array(watchedEvent).max(MAX_WATCHED)),
    state: z.unknown().describe('State from which another component can continue').pipe(watchState),
  }),
  z.object({ type: z.literal('trackEnded').describe('A track was lost'), at, liveId, frame }),
]);

const streamCounts = z
  .object({
    read: count.describe('Frames decoded'),
    processed: count.describe('Frames analyzed'),
    dropped: count.describe('Frames dropped because a newer one was available'),
    skipped: count.describe('Frames skipped because nothing moved (motion gate)'),
    reconnects: count.describe('New connections to the stream after a failure'),
  })
  .describe('Counted since the lease began');

/** Maximum number of events in one message. */
const MAX_EVENTS = 1_000;
export const streamEvents = z
  .object({
    events: z.array(streamEvent).max(MAX_EVENTS).describe('In the order in which they happened'),
    counts: streamCounts.optional(),
  })
  .meta({ id: 'StreamEvents' });

export const streamEnd = z
  .object({
    reason: z.enum(['ended', 'stalled', 'cancelled']).describe('ended: the sender closed the stream'),
    detail: sentence.describe('Description of the reason'),
  })
  .meta({ id: 'StreamEnd' });

export const streamAnswer = z
  .object({
    go,
    wantsFrame: z
      .boolean()
      .optional()
      .describe('true: a user is watching, so send a picture of the newest frame'),
  })
  .meta({ id: 'StreamAnswer' });
