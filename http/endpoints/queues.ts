import { z } from 'zod';
import type { QueueViews } from '../../actors/views/queues.ts';
import { json, ok, sentence } from '../routing/declaration.ts';
import { endpoint } from '../steps/endpoint.ts';
import { notThere } from '../routing/errors.ts';
import { queueInfo } from '../schemas/queues.ts';

export interface QueueDeps {
  readonly queues: QueueViews;
}

const TAG = 'Queues';
const EXAMPLE = { name: 'TROUPE.DETECTION_FACE_REQUEST', messagesInQueue: 12 };

/** Specification 4.8. */
export const queueEndpoints = [
  endpoint({
    method: 'get',
    path: '/rest/queues',
    id: 'listQueues',
    tag: TAG,
    caller: 'USER',
    summary: 'List the queues of sub-jobs',
    description:
      'Every algorithm has one, also when it is empty, and each kind of the service’s own work: TROUPE.MEDIA_INSPECTION, TROUPE.TRACK_FINISHING and TROUPE.OUTPUT_OBJECT.',
    answers: { 200: json('The queues, by name.', z.array(queueInfo), [EXAMPLE]) },
    handle: async (_, { queues }: QueueDeps) => ok(await queues.all()),
  }),
  endpoint({
    method: 'get',
    path: '/rest/queues/{name}',
    id: 'getQueue',
    tag: TAG,
    caller: 'USER',
    summary: 'Show a queue',
    params: z.object({ name: z.string().describe('Its exact name') }),
    answers: {
      200: json('The queue.', queueInfo, EXAMPLE),
      404: sentence('There is no such queue.'),
    },
    async handle({ params: { name } }, { queues }: QueueDeps) {
      const found = await queues.one(name);
      if (found === undefined) {
        const known = (await queues.all()).map((queue) => queue.name);
        throw notThere('queue', name, '/rest/queues', known);
      }
      return ok(found);
    },
  }),
];
