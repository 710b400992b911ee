import { json, type Operation } from '../openapi/operation.ts';
import { actorListQuery, actorPage } from '../schemas/actors.ts';
import { responseMessage } from '../schemas/common.ts';

/** The route of `http/actors.ts`. */
export const actorOperations: readonly Operation[] = [
  {
    method: 'get',
    path: '/rest/actors',
    id: 'listActors',
    tag: 'Service',
    caller: 'ADMIN',
    summary: 'Show the actors of the server that are in memory',
    description:
      'Who is there, what each does and how it fared: the supervision tree as a list, in which parent says who looks after whom. It is read from memory; asking wakes no actor.',
    query: actorListQuery,
    answers: {
      200: json('A page of actors.', actorPage),
      400: json(
        'There is no such kind, or the query is wrong; the message says which kinds there are.',
        responseMessage,
      ),
    },
  },
];
