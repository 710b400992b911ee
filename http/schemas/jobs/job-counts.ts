import { z } from 'zod';
import { MOST_INTERVALS, MOST_SERIES } from '../../../domain/tracks/track-counts.ts';
import { wholeNumber } from '../common.ts';
import { partial } from './job-findings.ts';

/** Counts of the tracks in a medium, by time and by place (not in the specification). */
const DAY_MS = 86_400_000;

export const countsQuery = z.strictObject({
  interval: wholeNumber(100, DAY_MS)
    .optional()
    .describe(
      `Length of an interval: milliseconds. Absent: a round length. At most ${MOST_INTERVALS} intervals`,
    ),
  format: z.enum(['json', 'csv']).default('json').describe('Form of the answer'),
});

export const heatQuery = z.strictObject({
  columns: wholeNumber(1, 256).default(48).describe('Cells from left to right'),
  lane: wholeNumber(0, 1_000_000).optional().describe('Only boxes of this lane'),
});

const counts = z.array(z.int().min(0));

export const trackCounts = z
  .object({
    intervalMs: z.int().min(1).describe('Length of an interval: milliseconds'),
    intervals: z.int().min(0).describe('Intervals from the start of the medium to its last finding'),
    series: z
      .array(
        z.object({
          type: z.string().describe('Type of the tracks'),
          class: z.string().nullable().describe('Their CLASSIFICATION'),
          total: z.int().min(1).describe('Tracks in the whole medium'),
          begins: counts.describe('Tracks that begin in each interval'),
          present: counts.describe('Tracks with a part in each interval'),
        }),
      )
      .describe(`The most frequent first, at most ${MOST_SERIES}`),
    omitted: z.int().min(0).describe('Less frequent series that are left out'),
    partial,
  })
  .meta({ id: 'TrackCounts' });

export const heatMap = z
  .object({
    width: z.int().min(1).describe('Width of the stored picture: pixels'),
    height: z.int().min(1).describe('Height of the stored picture: pixels'),
    columns: z.int().min(1).describe('Cells from left to right'),
    rows: z.int().min(1).describe('Cells from top to bottom'),
    cells: counts.describe('Number of boxes that cover each cell, row by row from the top left'),
    partial,
  })
  .meta({ id: 'HeatMap' });
