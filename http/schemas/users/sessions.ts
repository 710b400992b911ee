import { z } from 'zod';

/** Bodies of the endpoints about logins of browsers (ours). */
const moment = z.iso.datetime();

export const browserSession = z
  .object({
    id: z.string(),
    user: z.object({ name: z.string(), subject: z.string().nullable() }),
    browser: z.string().nullable().describe('Such as Firefox on Linux; null: unknown'),
    began: moment,
    lastUsed: moment.describe('To the minute'),
    ends: moment.describe('Unless it is used before; at most SESSION_MS after the login'),
    current: z.boolean().describe('true: the request came with it'),
  })
  .meta({ id: 'BrowserSession' });

export const sessionList = z.object({
  sessions: z.array(browserSession).describe('The one that ends last first, at most 1,000'),
});
export const sessionId = z.string().describe('The id of the session');
export const sessionListQuery = z.object({
  all: z.enum(['true', 'false']).optional().describe('true: of all users; needs the role ADMIN'),
});
