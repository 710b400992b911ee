import { z } from 'zod';
import { CELL_STATES } from '../../actors/runtime/roster.ts';
import { timestamp, trueOrFalse, wholeNumber } from './common.ts';

/** Query and answer of the list of actors (not in the specification). */
export const actorListQuery = z.strictObject({
  limit: wholeNumber(1, 500).default(100).describe('Maximum number of actors on a page'),
  kind: z.string().optional().describe('Only actors of this kind, such as batch-job; kinds lists all'),
  failed: trueOrFalse
    .optional()
    .describe('true: only actors with recorded failures since the server started'),
  after: z.string().optional().describe('Value of next from the previous page'),
});

const count = (of: string) => z.int().min(0).describe(of);

const actorInfo = z
  .object({
    name: z.string().describe('<kind>/<id>, as in the log'),
    kind: z.string().describe('Such as batch-job or service; kinds lists all'),
    id: z.string().describe('Number of the job, name of the service, or receiver of the deliveries'),
    parent: z.string().nullable().describe('Name of the actor that supervises it; null: it is at the top'),
    state: z
      .enum(CELL_STATES)
      .describe(
        'BACKING_OFF: it failed and is loaded again after a delay; ESCALATED: it failed too often and is not loaded until its next message',
      ),
    status: z
      .string()
      .nullable()
      .describe('State of the service or status of the job, while the actor is loaded'),
    messagesWaiting: count('Messages in its mailbox, without the one in progress'),
    mailboxLimit: count('Maximum messages in its mailbox; more are refused'),
    recentFailures: count('Failures within failureWindowMs'),
    allowedFailures: count('More recent failures than this escalate'),
    failureWindowMs: count('Time within which failures count as recent: milliseconds'),
    totalFailures: count('Recorded failures since the server started'),
    lastFailure: z
      .object({
        message: z.string().describe('Message, as in the log'),
        at: timestamp.describe('When it failed'),
        counted: z.boolean().describe('false: the cause was outside of the actor, such as a full disk'),
      })
      .nullable()
      .describe('Its last failure; null: none is recorded'),
    lastMessage: z
      .object({
        type: z.string().describe('Kind of the message'),
        at: timestamp.describe('When processing began'),
      })
      .nullable()
      .describe('The last message that it began to process'),
    runningMs: count('How long it has been processing the last message: milliseconds').nullable(),
    loadedAt: timestamp.nullable().describe('null: it is not in memory, or just being loaded'),
  })
  .meta({ id: 'ActorInfo' });

const actorKindInfo = z
  .object({
    kind: z.string().describe('Such as batch-job or service'),
    parent: z.string().nullable().describe('The kind of the actors that supervise them'),
    actors: count('How many are listed'),
    restarts: count('Since the server started, as the other counts'),
    escalations: count('How often one of them escalated'),
    undelivered: count('Messages to them that were not delivered'),
  })
  .meta({ id: 'ActorKindInfo' });

export const actorPage = z
  .object({
    kinds: z.array(actorKindInfo).describe('All kinds, also those that are not listed'),
    actors: z
      .array(actorInfo)
      .describe('By kind, in the order in which they were loaded; supervised actors follow their supervisor'),
    next: z.string().nullable().describe('Value of after for the next page; null: this is the last page'),
  })
  .meta({ id: 'ActorPage' });
