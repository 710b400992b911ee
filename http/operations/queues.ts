import { z } from 'zod';
import { json, type Operation } from '../openapi/operation.ts';
import { responseMessage } from '../schemas/common.ts';
import { queueInfo } from '../schemas/service.ts';

const TAG = 'Queues';
const EXAMPLE = { name: 'TROUPE.DETECTION_FACE_REQUEST', messagesInQueue: 12 };

/** The routes of `http/queues.ts` (specification 4.8). */
export const queueOperations: readonly Operation[] = [
  {
    method: 'get',
    path: '/rest/queues',
    id: 'listQueues',
    tag: TAG,
    caller: 'USER',
    summary: 'List the queues of sub-jobs',
    description:
      'Every algorithm has one, also when it is empty, and each kind of the service’s own work: TROUPE.MEDIA_INSPECTION, TROUPE.TRACK_FINISHING and TROUPE.OUTPUT_OBJECT.',
    answers: { 200: json('The queues, by name.', z.array(queueInfo), [EXAMPLE]) },
  },
  {
    method: 'get',
    path: '/rest/queues/{name}',
    id: 'getQueue',
    tag: TAG,
    caller: 'USER',
    summary: 'Tell how long a queue is',
    params: z.object({ name: z.string().describe('Its exact name') }),
    answers: {
      200: json('The queue.', queueInfo, EXAMPLE),
      404: json('There is no such queue.', responseMessage),
    },
  },
];
