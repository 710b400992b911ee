import { z } from 'zod';

/** Bodies of the endpoints about API keys (ours). */
const MOST_DAYS = 366;
const DEFAULT_DAYS = 90;
const name = z
  .string()
  .trim()
  .regex(/^[^\p{Cc}]{1,64}$/u, { error: 'must have 1 to 64 characters' })
  .describe('What the key is for');
const role = z.enum(['USER', 'ADMIN'], { error: 'must be USER or ADMIN' });
const moment = z.iso.datetime();

export const keyRequest = z.object({
  name,
  role: role.default('USER').describe('At most that of the caller'),
  days: z
    .int()
    .min(1)
    .max(MOST_DAYS)
    .default(DEFAULT_DAYS)
    .describe(`Days until it expires, at most ${MOST_DAYS}`),
});

export const apiKey = z
  .object({
    id: z.string(),
    name: z.string(),
    role,
    owner: z.object({
      name: z.string(),
      subject: z.string().nullable(),
      group: z.string().nullable(),
    }),
    created: moment,
    expires: moment,
    lastUsed: moment.nullable().describe('To the minute; null: never'),
  })
  .meta({ id: 'ApiKey' });

export const newKey = apiKey
  .extend({ key: z.string().describe('The key itself, shown this once: send it as a bearer token') })
  .meta({ id: 'NewApiKey' });

export const keyList = z.object({ keys: z.array(apiKey).describe('Newest first, at most 1,000') });
export const keyId = z.string().describe('The id of the key');
export const keyListQuery = z.object({
  all: z.enum(['true', 'false']).optional().describe('true: the keys of all users; needs the role ADMIN'),
});
