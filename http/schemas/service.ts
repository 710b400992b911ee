import { z } from 'zod';

/** Specification 2.7, InfoModel. */
export const info = z
  .object({
    app: z.string(),
    appFamily: z.string(),
    buildNum: z.string().describe('0: an unofficial build'),
    gitBranch: z.string().describe('unknown: an unofficial build'),
    gitHash: z.string().describe('unknown: an unofficial build'),
    version: z.string().regex(/^\d+\.\d+\.\d+$/),
  })
  .meta({ id: 'InfoModel' });
