import { z } from 'zod';
import { deployedServiceModel, lineSource, serviceModel } from '../nodes.ts';

/** Messages between a node on another host and its server; `actors/node-gateway/messages.ts` says what they mean. */
const name = z.string().min(1).max(1_024);
const text = z.string().max(65_536);
const number = z.int().min(0);
const hash = z.string().regex(/^[\w-]{43}$/, { error: 'must be the base64url of a SHA-256' });
const MOST = 20_000;

/** What a node may be called (NODE_NAME). */
export const NODE_NAME = /^\w[\w.-]{0,63}$/;

export const nodeParams = z.object({
  node: z
    .string()
    .regex(NODE_NAME, { error: 'must have 1 to 64 letters, digits, "_", "." and "-"' })
    .describe('NODE_NAME of the node'),
});

const news = z.discriminatedUnion('what', [
  z.object({
    what: z.literal('gone'),
    number,
    worker: name,
    counted: z.boolean().describe('Its end was its own doing'),
    reason: text,
  }),
  z.object({ what: z.literal('unavailable'), number, queue: name, reason: text }),
  z.object({ what: z.literal('configured'), number }),
  z.object({
    what: z.literal('lines'),
    number,
    request: name.describe('As the command tellLines said'),
    lines: z
      .array(z.object({ at: z.int(), worker: name, source: lineSource, text }))
      .max(10_000)
      .nullable()
      .describe('The last lines of the service, the newest last; null: there is no such service'),
  }),
]);

export const syncRequest = z.object({
  instance: name.describe('Random at each start of the node'),
  formerly: name.nullable().describe('The start before it, in the same folder'),
  turn: number.describe('Grows with each message of an instance'),
  version: name.describe('Version of the node'),
  server: z.string().max(256).describe('As the last answer said; empty: there was none'),
  done: number.describe('Number of the last command of that server that was carried out'),
  configuration: z.string().max(256).describe('Version of the configuration that applies; empty: none'),
  services: z.array(deployedServiceModel).max(MOST),
  processes: z.array(z.object({ worker: name, tokenHash: hash })).max(MOST),
  news: z.array(news).max(MOST),
  installed: z
    .array(serviceModel)
    .max(1_000)
    .describe('The components that are installed there, as services'),
  leaving: z.boolean().describe('It goes down in order'),
  waitMs: z.int().min(0).max(60_000).describe('Without anything to do the answer may come so late'),
});

const id = name
  .optional()
  .describe('What was carried out already is not carried out again, whatever its number');
const command = z.discriminatedUnion('type', [
  z.object({ type: z.literal('startService'), number, id, service: name }),
  z.object({ type: z.literal('stopService'), number, id, service: name }),
  z.object({ type: z.literal('kill'), number, id, worker: name, reason: text }),
  z.object({
    type: z.literal('tellLines'),
    number,
    id,
    service: name,
    request: name.describe('The news with the lines say it'),
  }),
  z.object({ type: z.literal('rest'), number, id, worker: name }),
  z.object({ type: z.literal('cameUp'), number, id, worker: name }),
]);

export const syncAnswer = z.object({
  server: name.describe('Random at each start of the server'),
  taken: number.describe('Number of the last news that the server accepted'),
  configuration: z
    .object({
      version: name,
      services: z.array(serviceModel),
      queues: z.record(z.string(), z.array(name)).describe('What the processes of each service may serve'),
    })
    .optional()
    .describe('When it is another one than the node has'),
  commands: z.array(command),
  wanted: z
    .record(z.string(), number)
    .describe('By queue that has work: how many processes of the node are wanted for what waits'),
  token: name.optional().describe('From now on the node shows this one'),
});
