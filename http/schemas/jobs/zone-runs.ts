import { z } from 'zod';
import { MOST_RUN_EVENTS } from '../../../domain/zones/dry-run.ts';
import { RULE_EVENTS } from '../../../domain/zones/types.ts';
import { partial } from './job-findings.ts';
import { HAPPENINGS, watchedFacts, zoneMembers } from './zones.ts';

export const zoneRunRequest = z
  .object({
    ...zoneMembers,
    startsAt: z.iso
      .datetime({ offset: true })
      .optional()
      .describe('Time at which the medium begins, for rules with times; absent: they always apply'),
  })
  .meta({ id: 'ZoneRunRequest' });

const number = z.int().min(0);
export const zoneCounts = {
  classes: z.record(z.string(), number).describe('Tracks that began, by class'),
  zones: z
    .record(
      z.string(),
      z.object({
        entered: number.describe('Tracks that came in'),
        left: number.describe('Tracks that went out or ended'),
        dwellMs: z.number().describe('Time in the zone of those that left: milliseconds'),
      }),
    )
    .describe('Entries, exits, and the sum of the times of those who left (milliseconds), by zone'),
  lines: z
    .record(
      z.string(),
      z.object({
        toRight: number.describe('Crossings to the right, seen along the line'),
        toLeft: number.describe('Crossings to the left'),
      }),
    )
    .describe('Crossings by line'),
  rules: z.record(z.string(), number).describe('Events by rule'),
};

/** The events and counts of a medium, as in the detection document. */
export const mediumZoneRun = z
  .object({
    events: z
      .array(
        z.object({
          event: z.enum(HAPPENINGS).describe('What happened'),
          ...watchedFacts,
          kind: z.enum(RULE_EVENTS).optional().describe('Of a rule: its kind of event'),
        }),
      )
      .describe(`The first ${MOST_RUN_EVENTS}, in the order of their times`),
    omitted: number.describe('Number of further events'),
    counts: z.object(zoneCounts).describe('All events, counted'),
    most: z.record(z.string(), number).describe('The most tracks at a time, by zone'),
    warnings: z.array(z.string()).describe('Parts of the request without effect'),
  })
  .meta({ id: 'MediumZoneRun' });

export const zoneRun = mediumZoneRun.extend({ partial }).meta({ id: 'ZoneRun' });
