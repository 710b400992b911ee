/** Zones, lines and rules as in a request, and their events. Points are fractions of the picture: [0, 0] is its upper left corner. */

export type Point = readonly [x: number, y: number];

/** An area of the picture. */
export interface Zone {
  readonly name: string;
  /** Corners of a polygon that does not cross itself, at least three. */
  readonly points: readonly Point[];
}

/** Looking from the first to the second point, the right side of the line is on the right. */
export interface Line {
  readonly name: string;
  readonly points: readonly [Point, Point];
}

export const DIRECTIONS = ['TO_RIGHT', 'TO_LEFT'] as const;
export type Direction = (typeof DIRECTIONS)[number];

/** The point of a box that counts: the middle of its lower edge, or its centre. */
export const ANCHORS = ['BOTTOM', 'CENTER'] as const;
export type Anchor = (typeof ANCHORS)[number];

export const RULE_EVENTS = ['ENTER', 'LEAVE', 'DWELL', 'CROSS', 'COUNT'] as const;
export type RuleEvent = (typeof RULE_EVENTS)[number];

export const DAYS = ['MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT', 'SUN'] as const;
export type Day = (typeof DAYS)[number];

/** Every day from one time of day to another. It spans midnight if `to` is not later than `from`. */
export interface Schedule {
  /** HH:MM */
  readonly from: string;
  readonly to: string;
  /** IANA name; absent: UTC. */
  readonly timeZone?: string | undefined;
  /** Days on which it begins. Absent: all. */
  readonly days?: readonly Day[] | undefined;
}

export interface Rule {
  readonly name: string;
  /** The place: either a zone or a line. */
  readonly zone?: string | undefined;
  readonly line?: string | undefined;
  /** Absent: DWELL with `longerThan`, COUNT with `atLeast`, CROSS at a line, otherwise ENTER. */
  readonly event?: RuleEvent | undefined;
  /** Types of tracks, or values of CLASSIFICATION; case-insensitive. Absent: all. */
  readonly classes?: readonly string[] | undefined;
  /** For the most certain detection of the visit. */
  readonly minConfidence?: number | undefined;
  /** Seconds in the zone (DWELL). */
  readonly longerThan?: number | undefined;
  /** Tracks in the zone at a time (COUNT). */
  readonly atLeast?: number | undefined;
  /** Absent: both (CROSS). */
  readonly direction?: Direction | undefined;
  readonly between?: Schedule | undefined;
  /** Seconds after an event in which the rule does not trigger again. */
  readonly coolDown?: number | undefined;
}

export interface ZonePlan {
  readonly zones: readonly Zone[];
  readonly lines: readonly Line[];
  readonly rules: readonly Rule[];
  /** Absent: BOTTOM. */
  readonly anchor?: Anchor | undefined;
}

/** Pixels of the picture. */
export interface SeenBox {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** A detection of a track. */
export interface Sighting {
  readonly track: string;
  readonly type: string;
  /** CLASSIFICATION. Absent if only the type is known. */
  readonly classification?: string | undefined;
  readonly confidence: number;
  readonly frame: number;
  /** Milliseconds of any clock. */
  readonly at: number;
  readonly box: SeenBox;
}

interface Happening {
  readonly at: number;
  readonly frame: number;
  readonly track: string;
  /** In upper case: CLASSIFICATION, or the type of the track. */
  readonly class: string;
  readonly confidence: number;
  readonly box: SeenBox;
}

export type ZoneEvent =
  | ({ readonly type: 'trackBegan' } & Happening)
  | ({ readonly type: 'classChanged'; readonly before: string } & Happening)
  | ({ readonly type: 'trackEnded' } & Happening)
  /** `occupancy`: number of tracks in the zone from now on. */
  | ({ readonly type: 'entered'; readonly zone: string; readonly occupancy: number } & Happening)
  | ({
      readonly type: 'left';
      readonly zone: string;
      readonly occupancy: number;
      readonly since: number;
      readonly dwellMs: number;
    } & Happening)
  | ({ readonly type: 'crossed'; readonly line: string; readonly direction: Direction } & Happening)
  | ({
      readonly type: 'rule';
      readonly rule: string;
      readonly event: RuleEvent;
      readonly zone?: string;
      readonly line?: string;
      readonly direction?: Direction;
      /** Time at which the track entered the zone, or crossed the line. */
      readonly since: number;
      readonly dwellMs?: number;
      readonly occupancy?: number;
    } & Happening);

export type RuleHit = Extract<ZoneEvent, { type: 'rule' }>;
