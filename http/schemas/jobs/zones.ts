import { z } from 'zod';
import { ANCHORS, DAYS, DIRECTIONS, RULE_EVENTS, type ZonePlan } from '../../../domain/zones/types.ts';

/** Zones, lines and rules of requests and answers. `domain/zones/checks.ts` checks their meaning. */
const MOST = 200;
const name = z.string().max(200).describe('Letters, digits, spaces, "_" and "-"');
const point = z
  .tuple([z.number(), z.number()])
  .describe(
    'Fractions of the width and the height of the picture, from 0 to 1; [0, 0] is the upper left corner',
  );

export const zone = z
  .object({
    name,
    points: z.array(point).max(MOST).describe('At least 3 corners, in fractions of the picture'),
  })
  .meta({ id: 'Zone' });

export const line = z
  .object({
    name,
    points: z
      .array(point)
      .length(2, { error: 'must have 2 points' })
      .transform(([from, to]) => [from!, to!] as const)
      .describe('Start and end; TO_RIGHT is to the right of this direction'),
  })
  .meta({ id: 'Line' });

const schedule = z
  .object({
    from: z.string().max(20).describe('Time of day, such as 22:00'),
    to: z.string().max(20).describe('Time of day when it ends, also on the next day'),
    timeZone: z.string().max(100).optional().describe('Such as Europe/Berlin; UTC when absent'),
    days: z.array(z.enum(DAYS)).max(7).optional().describe('Days on which it begins; all when absent'),
  })
  .meta({ id: 'RuleSchedule' });

export const rule = z
  .object({
    name,
    zone: z.string().max(200).optional().describe('Name of the zone that it is about'),
    line: z.string().max(200).optional().describe('Name of the line that it is about, in place of a zone'),
    event: z
      .enum(RULE_EVENTS)
      .optional()
      .describe('Default: DWELL with longerThan, COUNT with atLeast, CROSS with line, else ENTER'),
    classes: z
      .array(z.string().min(1).max(256))
      .max(MOST)
      .optional()
      .describe('Types of tracks, or values of CLASSIFICATION; all when absent'),
    minConfidence: z.number().optional().describe('Minimum confidence of the best detection in the zone'),
    longerThan: z.number().optional().describe('Seconds in the zone'),
    atLeast: z.number().optional().describe('Tracks in the zone at the same time'),
    direction: z.enum(DIRECTIONS).optional().describe('Both when absent'),
    between: schedule.optional().describe('When the rule applies; absent: always'),
    coolDown: z.number().optional().describe('Minimum seconds between two events of this rule'),
  })
  .meta({ id: 'Rule' });

export const zoneMembers = {
  zones: z.array(zone).max(MOST).nullish().describe('Areas of the picture, in fractions'),
  lines: z.array(line).max(MOST).nullish().describe('Lines in the picture whose crossings are counted'),
  rules: z.array(rule).max(MOST).nullish().describe('When something in a zone or at a line is an event'),
  anchor: z
    .enum(ANCHORS)
    .nullish()
    .describe('The point of a box that counts: BOTTOM (middle of the lower edge; default) or CENTER'),
};
export type ZoneMembers = z.infer<z.ZodObject<typeof zoneMembers>>;

export const zonePlan = ({ zones, lines, rules, anchor }: ZoneMembers): ZonePlan => ({
  ...{ zones: zones ?? [], lines: lines ?? [], rules: rules ?? [] },
  ...(anchor ? { anchor } : {}),
});

const box = z
  .object({
    x: z.number().describe('Left edge: pixels'),
    y: z.number().describe('Upper edge: pixels'),
    width: z.number().describe('Width of the box: pixels'),
    height: z.number().describe('Height of the box: pixels'),
  })
  .describe('Box of the detection: pixels of the picture');
const time = z.number().describe('Milliseconds since the epoch; of a file: since its start');

/** Common members of events, as components report them and clients receive them. */
export const watchedFacts = {
  at: time.describe('When it happened: milliseconds since the epoch; of a file: since its start'),
  frame: z.int().min(0).describe('Number of the frame'),
  track: z.string().min(1).max(200).describe('The track, by the name of its first component'),
  class: z.string().max(4_000).describe('CLASSIFICATION or type of the track, in upper case'),
  confidence: z.number().describe('Confidence of the detection'),
  box,
  zone: z.string().max(64).optional().describe('Zone in which it happened'),
  line: z.string().max(64).optional().describe('Line that was crossed'),
  rule: z.string().max(64).optional().describe('Rule that caused the event'),
  direction: z.enum(DIRECTIONS).optional().describe('Of a crossing'),
  occupancy: z.int().min(0).optional().describe('Tracks in the zone from now on'),
  since: time.optional().describe('Since when the track was in the zone'),
  dwellMs: z.number().min(0).optional().describe('Time in the zone: milliseconds'),
  before: z.string().max(4_000).optional().describe('The class before, when it changed'),
};

export const HAPPENINGS = [
  'trackBegan',
  'classChanged',
  'trackEnded',
  'entered',
  'left',
  'crossed',
  'rule',
] as const;

export const zoneEvent = z
  .object({
    event: z.enum(HAPPENINGS).describe('What happened'),
    ...watchedFacts,
    kind: z.enum(RULE_EVENTS).optional().describe('Of a rule: its kind of event'),
    id: z.string().describe('The same in each delivery'),
    jobId: z.int().describe('The streaming job'),
    time: z.string().describe('`at` in ISO 8601, UTC'),
    crop: z.string().optional().describe('Newest picture of the track: a data: URI of a JPEG'),
    cropFrame: z.int().optional().describe('Frame of the picture; absent: that of the event'),
    cropAt: time.optional().describe('Time of the picture; absent: that of the event'),
    clip: z
      .string()
      .optional()
      .describe(
        'Path of its clip, 5 seconds longer at both ends; in webhooks and on MQTT a URL, if BASE_URL is set; absent: not recorded',
      ),
  })
  .meta({ id: 'ZoneEvent' });
