import { z } from 'zod';
import { CELL_STATES } from '../../actors/runtime/roster.ts';
import { timestamp, trueOrFalse, wholeNumber } from './common.ts';

/** The list of actors (ours): what may be asked for, and what is answered. */
export const actorListQuery = z.strictObject({
  limit: wholeNumber(1, 500).default(100).describe('Actors of a page at most'),
  kind: z.string().optional().describe('Only actors of this kind, such as batch-job; kinds has them all'),
  failed: trueOrFalse
    .optional()
    .describe('true: only actors that have failed since the server started, as far as that is remembered'),
  after: z.string().optional().describe('The next of the page before, for the page after it'),
});

const count = (of: string) => z.int().min(0).describe(of);

const actorInfo = z
  .object({
    name: z.string().describe('<kind>/<id>, as in the log'),
    kind: z.string().describe('What it is for, such as batch-job or service; kinds lists them all'),
    id: z.string().describe('Of a job its number, of a service its name, of deliveries where they go'),
    parent: z.string().nullable().describe('Name of the actor that looks after it; null: it is at the top'),
    state: z
      .enum(CELL_STATES)
      .describe(
        'BACKING_OFF: it failed and is loaded again after a delay; ESCALATED: it failed too often and is not loaded until its next message',
      ),
    status: z
      .string()
      .nullable()
      .describe('What it says of itself while it is loaded: of a service its state, of a job its status'),
    messagesWaiting: count('Messages in its mailbox, without the one that it works on'),
    mailboxLimit: count('Most messages in its queue; more are refused'),
    recentFailures: count('Failures within failureWindowMs'),
    allowedFailures: count('With more recent failures than these it escalates'),
    failureWindowMs: count('Length of the time in which recent failures count: milliseconds'),
    totalFailures: count('All its failures since the server started, as far as they are remembered'),
    lastFailure: z
      .object({
        message: z.string().describe('What went wrong, as the log has it'),
        at: timestamp.describe('When it failed'),
        counted: z.boolean().describe('false: the cause was outside of the actor, such as a full disk'),
      })
      .nullable()
      .describe('Its last failure; null: it has not failed, as far as that is remembered'),
    lastMessage: z
      .object({
        type: z.string().describe('What kind of message it was'),
        at: timestamp.describe('When it began with it'),
      })
      .nullable()
      .describe('The last message that it began to work on'),
    runningMs: count('For how long it has been working on its last message: milliseconds').nullable(),
    loadedAt: timestamp.nullable().describe('null: it is not in memory, or just being loaded'),
  })
  .meta({ id: 'ActorInfo' });

const actorKindInfo = z
  .object({
    kind: z.string().describe('What these actors are for, such as batch-job or service'),
    parent: z.string().nullable().describe('The kind of the actors that look after them'),
    actors: count('How many are listed'),
    restarts: count('Since the server started, as the other counts'),
    escalations: count('How often one of them failed too often'),
    undelivered: count('Messages to them that were not delivered'),
  })
  .meta({ id: 'ActorKindInfo' });

export const actorPage = z
  .object({
    kinds: z.array(actorKindInfo).describe('All kinds, also those that are not listed'),
    actors: z
      .array(actorInfo)
      .describe(
        'Kind by kind, in the order in which they were loaded; those that an actor looks after stand behind it',
      ),
    next: z
      .string()
      .nullable()
      .describe('What to send as after for the next page; null: this is the last one'),
  })
  .meta({ id: 'ActorPage' });
