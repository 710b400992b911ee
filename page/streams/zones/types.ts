import type { z } from 'zod';
import type { rule, zoneEvent, zoneMembers } from '../../../http/schemas/jobs/zones.ts';

/** Fractions of the width and the height of the picture. */
export type Point = readonly [x: number, y: number];

export interface Zone {
  readonly name: string;
  readonly points: readonly Point[];
}
export type Line = Zone;
export type Rule = z.input<typeof rule>;
export type RuleEvent = NonNullable<Rule['event']>;
export type Anchor = NonNullable<z.output<typeof zoneMembers.anchor>>;
export type ZoneEvent = z.output<typeof zoneEvent>;
