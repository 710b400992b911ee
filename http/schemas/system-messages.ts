import { z } from 'zod';
import { MAX_MESSAGE } from '../../actors/system-messages/service.ts';
import { MESSAGE_TYPES, REMOVE_STRATEGIES, SEVERITIES } from '../../actors/system-messages/model.ts';

/** Bodies of the system message endpoints (specification 2.5, 4.5). */
export const messageText = z
  .string({
    error:
      'The message must be a JSON string (a text in quotes). Or send plain text with Content-Type: text/plain.',
  })
  .max(MAX_MESSAGE, { error: `The message must have at most ${MAX_MESSAGE} characters.` })
  .refine((text) => text.trim() !== '', { error: 'The message must not be blank.' });

export const messageType = z.enum(MESSAGE_TYPES);

/** An unknown type or strategy counts as the default. An unknown severity is refused. */
export const messageQuery = z.object({
  msgType: z
    .string()
    .toLowerCase()
    .pipe(messageType)
    .default('all')
    .catch('all')
    .describe('Who sees it (case-insensitive); any other value means all'),
  removeStrategy: z
    .enum(REMOVE_STRATEGIES)
    .default('manual')
    .catch('manual')
    .describe(
      'When it is removed: at the next start of the server, or when it is deleted; any other value means manual',
    ),
  severity: z
    .enum(SEVERITIES, { error: `severity must be one of ${SEVERITIES.join(', ')}.` })
    .default('info')
    .describe('How it is shown'),
});

/** The id in a path: a whole number of 64 bits above 0. No message has an id above the safe integers of JavaScript. */
export const messageId = z
  .string()
  .regex(/^\d{1,19}$/)
  .transform(BigInt)
  .pipe(
    z
      .bigint()
      .min(1n)
      .max(2n ** 63n - 1n),
  )
  .meta({ type: 'integer', minimum: 1, examples: [7] });

export const systemMessage = z
  .object({
    id: z.int().min(1).describe('Number of the message'),
    msg: z.string().describe('Text of the message'),
    datePosted: z.iso.datetime().describe('When it was posted'),
    msgEnum: z.string().nullable().describe('Name of a predefined message; there are none'),
    msgType: messageType.describe('Who sees it'),
    removeStrategy: z
      .enum(REMOVE_STRATEGIES)
      .describe('When it is removed: at the next start of the server, or when it is deleted'),
    severity: z.enum(SEVERITIES).describe('How it is shown'),
  })
  .meta({ id: 'SystemMessage' });
