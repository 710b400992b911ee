import { z } from 'zod';

/** Bodies of the endpoints for browser sessions (not in the specification). */
const moment = z.iso.datetime();

export const browserSession = z
  .object({
    id: z.string().describe('Id of the session; it is no secret'),
    user: z
      .object({
        name: z.string().describe('Name of the user'),
        subject: z.string().nullable().describe('Subject at the provider; null: unknown'),
      })
      .describe('Who has logged in'),
    browser: z.string().nullable().describe('Such as Firefox on Linux; null: unknown'),
    began: moment.describe('When the user logged in'),
    lastUsed: moment.describe('To the minute'),
    ends: moment.describe('When it ends without further requests; at most SESSION_MS after the login'),
    current: z.boolean().describe('true: the request came with it'),
  })
  .meta({ id: 'BrowserSession' });

export const sessionList = z
  .object({
    sessions: z.array(browserSession).describe('The one that ends last first, at most 1,000'),
  })
  .meta({ id: 'BrowserSessionList' });
export const sessionId = z
  .string()
  .meta({ description: 'The id of the session', examples: ['b77aa1c0b7d2e4f6'] });
export const sessionListQuery = z.object({
  all: z.enum(['true', 'false']).optional().describe('true: of all users; needs the role ADMIN'),
});
