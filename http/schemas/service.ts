import { z } from 'zod';

/** Specification 2.7, InfoModel. */
export const info = z
  .object({
    app: z.string().describe('Name of the product'),
    appFamily: z.string().describe('The framework that the interface comes from'),
    buildNum: z.string().describe('0: an unofficial build'),
    gitBranch: z.string().describe('unknown: an unofficial build'),
    gitHash: z.string().describe('unknown: an unofficial build'),
    version: z
      .string()
      .regex(/^\d+\.\d+\.\d+$/)
      .describe('Version of the server: three numbers'),
  })
  .meta({ id: 'InfoModel' });

/** The user of a request (not in the specification). */
export const caller = z
  .object({
    name: z.string().describe('Name of the user, or of the client to which the token was given'),
    subject: z.string().nullable().describe('Subject at the provider; null: unknown'),
    roles: z.array(z.enum(['USER', 'ADMIN'])).describe('ADMIN includes USER'),
    session: z
      .object({
        expires: z.iso.datetime().describe('The latest time at which it ends'),
        idleUntil: z.iso.datetime().describe('When it ends without further requests'),
      })
      .nullable()
      .describe('Session of the browser; null: the request has a token'),
  })
  .meta({ id: 'Caller' });
