import { z } from 'zod';
import { USAGE_KINDS } from '../../../domain/users/usage.ts';

/** Bodies of the usage report (not in the specification). */
const day = z.iso.date();

export const usageQuery = z.object({
  by: z
    .enum(USAGE_KINDS, { error: `must be one of ${USAGE_KINDS.join(', ')}` })
    .default('user')
    .describe('Group of each total'),
  from: day.optional().describe('The first day, in UTC; default: 30 days before the last one'),
  to: day.optional().describe('The last day; default: today'),
});

export const usageReport = z
  .object({
    by: z.enum(USAGE_KINDS).describe('Group of each total'),
    from: day.describe('The first day, in UTC'),
    to: day.describe('The last day, in UTC'),
    usage: z
      .array(
        z.object({
          name: z.string().describe('User, group, pipeline or algorithm'),
          jobs: z.int().describe('Runs of jobs that ended in these days'),
          media: z.int().describe('Media of their requests'),
          bytes: z.int().describe('Of the files of all media, also of extracted media'),
          processingSeconds: z
            .number()
            .describe('Time that components worked on them: wall time of processes, no CPU time'),
          cpuSeconds: z
            .number()
            .describe('CPU time of their processes, of all cores together, as far as components report it'),
          processingSecondsWithoutCpu: z
            .number()
            .describe('The part of processingSeconds for which the component reported no CPU time'),
        }),
      )
      .describe('Most processing time first'),
  })
  .meta({ id: 'UsageReport' });
