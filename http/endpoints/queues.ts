import { z } from 'zod';
import type { Pauses } from '../../actors/pauses/pauses.ts';
import { textOf } from '../../actors/runtime/machine.ts';
import type { QueueViews } from '../../actors/views/queues.ts';
import { userOf } from '../access/bearer.ts';
import { json, ok, sentence } from '../routing/declaration.ts';
import { endpoint } from '../steps/endpoint.ts';
import { HttpError, notThere } from '../routing/errors.ts';
import { queueInfo } from '../schemas/queues.ts';

export interface QueueDeps {
  readonly queues: QueueViews;
  readonly pauses: Pauses;
}

const TAG = 'Queues';
const PAUSED = { since: '2026-03-01T08:30:00.000Z', by: 'alice' };
const EXAMPLE = { name: 'TROUPE.DETECTION_FACE_REQUEST', messagesInQueue: 12 };

/** Specification 4.8. */
export const queueEndpoints = [
  endpoint({
    method: 'get',
    path: '/rest/queues',
    id: 'listQueues',
    tag: TAG,
    caller: 'USER',
    jobs: 'NONE',
    summary: 'List the queues of sub-jobs',
    description:
      'Each algorithm has a queue, also an empty one, and so does each kind of the server’s own work: TROUPE.MEDIA_DOWNLOAD, TROUPE.MEDIA_INSPECTION, TROUPE.TRACK_FINISHING and TROUPE.OUTPUT_OBJECT.',
    answers: { 200: json('The queues, by name.', z.array(queueInfo), [EXAMPLE]) },
    handle: async (_, { queues }: QueueDeps) => ok(await queues.all()),
  }),
  endpoint({
    method: 'get',
    path: '/rest/queues/{name}',
    id: 'getQueue',
    tag: TAG,
    caller: 'USER',
    jobs: 'NONE',
    summary: 'Show a queue',
    params: z.object({ name: z.string().describe('Exact name of the queue') }),
    answers: {
      200: json('The queue.', queueInfo, EXAMPLE),
      404: sentence('There is no such queue.'),
    },
    async handle({ params: { name } }, { queues }: QueueDeps) {
      const found = await queues.one(name);
      if (found === undefined) throw await noSuchQueue(name, queues);
      return ok(found);
    },
  }),
];

const change = (
  verb: 'pause' | 'resume',
  { summary, description }: Readonly<Record<'summary' | 'description', string>>,
) =>
  endpoint({
    method: 'post',
    path: `/rest/queues/{name}/${verb}`,
    id: `${verb}Queue`,
    tag: TAG,
    caller: 'ADMIN',
    summary,
    description,
    params: z.object({ name: z.string().describe('Exact name of the queue') }),
    answers: {
      200: json('The queue.', queueInfo, verb === 'resume' ? EXAMPLE : { ...EXAMPLE, paused: PAUSED }),
      404: sentence('There is no such queue.'),
      409: sentence('Too many queues, services and nodes are paused.'),
    },
    async handle({ params: { name }, ctx }, { queues, pauses }: QueueDeps) {
      const queue = await queues.queueOf(name);
      if (queue === undefined) throw await noSuchQueue(name, queues);
      const by = userOf(ctx).name;
      const reply = await (verb === 'pause'
        ? pauses.pause('queue', queue, by)
        : pauses.resume('queue', queue));
      if (reply.kind === 'refused') throw new HttpError('too-many-pauses', textOf(reply));
      return ok((await queues.one(name)) ?? { name, messagesInQueue: 0 });
    },
  });

/** Pause and resume of queues (not in the specification). */
export const queueChangeEndpoints = [
  change('pause', {
    summary: 'Pause a queue',
    description:
      'No component gets its sub-jobs until you resume it. Running sub-jobs finish. The pause applies to all servers, also after a restart.',
  }),
  change('resume', {
    summary: 'Resume a queue',
    description: 'Components get its sub-jobs again. No effect if the queue is not paused.',
  }),
];

const noSuchQueue = async (name: string, queues: QueueViews) =>
  notThere(
    'queue',
    name,
    '/rest/queues',
    (await queues.all()).map((queue) => queue.name),
  );
