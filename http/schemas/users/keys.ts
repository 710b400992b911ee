import { z } from 'zod';

/** Bodies of the endpoints for API keys (not in the specification). */
const MOST_DAYS = 366;
const DEFAULT_DAYS = 90;
const name = z
  .string()
  .trim()
  .regex(/^[^\p{Cc}]{1,64}$/u, { error: 'must have 1 to 64 characters' })
  .describe('What the key is for');
const role = z
  .enum(['USER', 'ADMIN'], { error: 'must be USER or ADMIN' })
  .describe('What the key may do; ADMIN includes USER');
const moment = z.iso.datetime();

export const keyRequest = z
  .object({
    name,
    role: role.default('USER').describe('At most that of the caller'),
    days: z
      .int()
      .min(1)
      .max(MOST_DAYS)
      .default(DEFAULT_DAYS)
      .describe(`Days until it expires, at most ${MOST_DAYS}`),
  })
  .meta({ id: 'ApiKeyRequest' });

export const apiKey = z
  .object({
    id: z.string().describe('Id of the key; it is no secret'),
    name: z.string().describe('What the key is for'),
    role,
    owner: z
      .object({
        name: z.string().describe('Name of the user who made the key'),
        subject: z.string().nullable().describe('Subject of the user at the provider; null: unknown'),
        group: z.string().nullable().describe('Group of the user; null: none'),
      })
      .describe('The user as whom a script acts with the key'),
    created: moment.describe('When the key was made'),
    expires: moment.describe('When it ends'),
    lastUsed: moment.nullable().describe('To the minute; null: never'),
  })
  .meta({ id: 'ApiKey' });

export const newKey = apiKey
  .extend({ key: z.string().describe('The key itself, shown this once: send it as a bearer token') })
  .meta({ id: 'NewApiKey' });

export const keyList = z
  .object({ keys: z.array(apiKey).describe('Newest first, at most 1,000') })
  .meta({ id: 'ApiKeyList' });
export const keyId = z.string().meta({ description: 'The id of the key', examples: ['3f9a1c0b7d2e4f68'] });
export const keyListQuery = z.object({
  all: z.enum(['true', 'false']).optional().describe('true: the keys of all users; needs the role ADMIN'),
});
