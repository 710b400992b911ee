import { z } from 'zod';
import { deployedServiceModel, lineSource, NODE_CLASS, NODE_CLASS_ERROR, serviceModel } from '../nodes.ts';

/** Messages between a node on another host and its server. `actors/node-gateway/messages.ts` explains them. */
const name = z.string().min(1).max(1_024);
const text = z.string().max(65_536);
const number = z.int().min(0).describe('Sequence number of a message; the receiver confirms the last one');
const worker = name.describe(
  'Name of the process: <host>:<service>:<n>, "#" and the number of earlier starts',
);
const service = name.describe('<host>:<service>:<n>');
const reason = text.describe('Why, in words');
const hash = z.string().regex(/^[\w-]{43}$/, { error: 'must be the base64url of a SHA-256' });
const MOST = 20_000;

/** Valid names of nodes (NODE_NAME). */
export const NODE_NAME = /^\w[\w.-]{0,63}$/;

export const nodeParams = z.object({
  node: z
    .string()
    .regex(NODE_NAME, { error: 'must have 1 to 64 letters, digits, "_", "." and "-"' })
    .describe('NODE_NAME of the node'),
});

const news = z.discriminatedUnion('what', [
  z.object({
    what: z.literal('gone').describe('A process has ended'),
    number,
    worker,
    counted: z.boolean().describe('true: the process itself caused its end'),
    reason,
  }),
  z.object({
    what: z.literal('unavailable').describe('No process of the node can process a queue'),
    number,
    queue: name.describe('The queue that nothing there can process'),
    reason,
  }),
  z.object({ what: z.literal('configured').describe('The node has applied the configuration'), number }),
  z.object({
    what: z.literal('lines').describe('Answer to the command tellLines'),
    number,
    request: name.describe('request of the command tellLines'),
    lines: z
      .array(
        z.object({
          at: z.int().describe('When it was written: milliseconds since the epoch'),
          worker,
          source: lineSource,
          text: text.describe('Text of the line; long lines are cut'),
        }),
      )
      .max(10_000)
      .nullable()
      .describe('The last lines of the service, the newest last; null: there is no such service'),
  }),
]);

export const syncRequest = z
  .object({
    instance: name.describe('Random at each start of the node'),
    formerly: name.nullable().describe('instance of the previous start in the same folder'),
    turn: number.describe('Grows with each message of an instance'),
    version: name.describe('Version of the node'),
    server: z.string().max(256).describe('server of the last answer; empty: there was none'),
    done: number.describe('Number of the last command of that server that was carried out'),
    configuration: z.string().max(256).describe('Version of the configuration that applies; empty: none'),
    services: z.array(deployedServiceModel).max(MOST).describe('The services of the node and their states'),
    processes: z
      .array(
        z.object({
          worker,
          tokenHash: hash.describe('base64url of the SHA-256 of the token of the process'),
        }),
      )
      .max(MOST)
      .describe('The processes that run there'),
    news: z
      .array(news)
      .max(MOST)
      .describe('What has happened since the last number that the server accepted'),
    installed: z
      .array(serviceModel)
      .max(1_000)
      .describe('The components that are installed there, as services'),
    nodeClass: z
      .string()
      .regex(NODE_CLASS, { error: NODE_CLASS_ERROR })
      .optional()
      .describe('Its node class; absent: the node configuration names its services'),
    draining: z.boolean().optional().describe('true: it will stop soon, and accepts no new work'),
    leaving: z.boolean().describe('true: it shuts down normally'),
    waitMs: z.int().min(0).max(60_000).describe('How long the server may wait for orders: milliseconds'),
  })
  .meta({ id: 'NodeSyncRequest' });

const id = name.optional().describe('Orders that were executed are not executed again');
const command = z.discriminatedUnion('type', [
  z.object({ type: z.literal('startService').describe('Start a service'), number, id, service }),
  z.object({ type: z.literal('stopService').describe('Stop a service'), number, id, service }),
  z.object({ type: z.literal('kill').describe('End a process'), number, id, worker, reason }),
  z.object({
    type: z.literal('tellLines').describe('Send the last lines of a service'),
    number,
    id,
    service,
    request: name.describe('The answer with the lines repeats it'),
  }),
  z.object({ type: z.literal('rest').describe('End a process that has no work'), number, id, worker }),
  z.object({ type: z.literal('cameUp').describe('A process has asked for work'), number, id, worker }),
]);

export const syncAnswer = z
  .object({
    server: name.describe('Random at each start of the server'),
    taken: number.describe('Number of the last news that the server accepted'),
    configuration: z
      .object({
        version: name.describe('Version of the configuration'),
        services: z.array(serviceModel).describe('The services that the node must run'),
        queues: z
          .record(z.string(), z.array(name))
          .describe('Queues that the processes of each service may claim from'),
      })
      .optional()
      .describe('Present if it differs from that of the node'),
    commands: z.array(command).describe('Orders for the node, in this sequence'),
    wanted: z
      .record(z.string(), number)
      .describe('By queue with work: number of processes that the node must run for it'),
    working: number
      .optional()
      .describe('Of a node that drains: sub-jobs that it still works on; live streams do not count'),
    token: name.optional().describe('New token, which the node uses from now on'),
  })
  .meta({ id: 'NodeSyncAnswer' });
