import { z } from 'zod';

/** Bodies that several chapters of the specification share. */
export const responseMessage = z
  .object({ message: z.string().describe('What happened, or what is wrong and what can be done') })
  .meta({ id: 'ResponseMessage' });

/** Members of every error answer, except empty ones of the specification. */
export const problemMembers = {
  message: z.string().describe('What is wrong, and what to do'),
  code: z.string().describe('Stable name of the error; docs/reference/rest-errors.md lists all codes'),
  help: z.string().describe('Address of the documentation of this code'),
};
export const problem = z.object(problemMembers).meta({ id: 'Problem', description: 'An error' });

export const coreResponse = z
  .object({
    responseCode: z
      .union([z.literal(0), z.literal(1), z.literal(2)])
      .describe('0 success, 1 error, 2 warning'),
    message: z.string().nullable().describe('What went wrong; may be null when responseCode is 0'),
  })
  .meta({ id: 'CoreResponse', description: 'The result of a call (specification 2.1)' });

export const coreProblem = coreResponse.extend(problemMembers).meta({ id: 'CoreResponseProblem' });

/** Answer of a successful request. The message names the parts of the request without effect, one line each. */
export const successResponse = (warnings: readonly string[] = []) =>
  warnings.length === 0
    ? { responseCode: 0 as const, message: null }
    : { responseCode: 2 as const, message: warnings.join('\n') };

export const onFailure = (message: string) => ({ responseCode: 1 as const, message });

/** Time since when something is paused or drains, and the administrator who requested it. */
export const pausedSince = z.object({
  since: z.iso.datetime().describe('When it was paused'),
  by: z.string().describe('Name of the administrator'),
});

/** A whole number in a query or a path: digits only, between two bounds. */
export const wholeNumber = (least: number, most = Number.MAX_SAFE_INTEGER) =>
  z
    .string()
    .regex(/^-?\d{1,16}$/, { error: `must be a whole number from ${least} to ${most}` })
    .transform(Number)
    .pipe(z.int().min(least).max(most));

/** A boolean in a query, in any case of letters. */
export const trueOrFalse = z
  .preprocess(
    (text) => (typeof text === 'string' ? text.trim().toLowerCase() : text),
    z.enum(['true', 'false'], { error: 'must be true or false' }),
  )
  .transform((text) => text === 'true')
  .pipe(z.boolean())
  .meta({ examples: [true] });

/** An optional value of a query. An empty value counts as absent, as in the reference system. */
export const orEmpty = <T extends z.ZodType>(schema: T) =>
  z
    .preprocess(
      (text) => (typeof text === 'string' && text.trim() === '' ? undefined : text),
      schema.optional(),
    )
    .optional();

/** An id that a client chooses. A number is converted to text, unless it has more digits than JSON numbers keep. */
export const externalId = z
  .union([z.string(), z.number()], { error: 'must be a text or a number' })
  .refine((id) => typeof id === 'string' || Math.abs(id) <= Number.MAX_SAFE_INTEGER, {
    error: 'must be a text when it has more than 15 digits',
  })
  .transform(String);

/** The owner of a job (not in the specification). */
export const owner = z
  .object({
    user: z.string().describe('Subject of the token, else its client, else the name of the user'),
    group: z.string().optional().describe('By OIDC_GROUP_CLAIM_NAME'),
  })
  .meta({ id: 'Owner' });

const MOMENT = { examples: ['2026-03-01T09:30:00Z'] };
/** A time with its UTC offset. */
export const timestamp = z.iso.datetime({ offset: true }).meta(MOMENT);

/** A time with its UTC offset in a query, where an unencoded + has become a blank. */
export const queryTimestamp = z
  .string()
  .transform((text) => text.replace(/ (?=\d\d:\d\d$)/, '+'))
  .pipe(z.iso.datetime({ offset: true, error: 'must be a moment such as 2026-03-01T09:30:00Z' }))
  .meta(MOMENT);
