import type { SyncAnswer } from '../../actors/node-gateway/messages.ts';
import { NodeRefused } from '../../actors/node-gateway/node-registry.ts';
import type { NodeRefusal } from '../../actors/node-gateway/rules.ts';
import { nodeCallerOf } from '../access/node-access.ts';
import { json, ok, sentence } from '../routing/declaration.ts';
import { leftBy } from '../steps/client.ts';
import { endpoint } from '../steps/endpoint.ts';
import type { ErrorCode } from '../routing/error-codes.ts';
import { HttpError } from '../routing/errors.ts';
import { nodeParams, syncAnswer, syncRequest } from '../schemas/worker/node-sync.ts';
import type { NodeDeps } from './nodes.ts';

const CODES: Readonly<Record<NodeRefusal, ErrorCode>> = {
  INVALID: 'invalid-node-report',
  FORBIDDEN: 'node-refused',
  CONFLICT: 'node-conflict',
};

const EXAMPLE = {
  instance: 'f3Jr9TzWm1xYc8LdPqA0kQ',
  formerly: null,
  turn: 0,
  version: '0.1.0',
  server: '',
  done: 0,
  configuration: '',
  services: [],
  processes: [],
  news: [],
  installed: [],
  leaving: false,
  waitMs: 2_500,
};

/** Synchronization of nodes on other hosts with the server (not in the specification). */
export const nodeSyncEndpoints = [
  endpoint({
    method: 'post',
    path: '/node/v1/{node}/sync',
    id: 'syncNode',
    tag: 'Nodes on other hosts',
    caller: 'NODE',
    summary: 'Report the state of a node and receive its orders',
    description:
      '`troupe node` repeats this request. The server waits up to waitMs for orders. Both sides repeat a numbered message until the other side has confirmed its number.',
    params: nodeParams,
    body: { schema: syncRequest, example: EXAMPLE },
    answers: {
      200: json('The orders for the node.', syncAnswer),
      400: sentence('A field is wrong, or is about another node.'),
      403: sentence('The token is not for this node, or the name belongs to another client.'),
      409: sentence('Another node of this name is connected, or the versions do not match. The node stops.'),
    },
    async handle({ params: { node }, body, ctx }, { nodes }: NodeDeps) {
      const { renewed, ...access } = nodeCallerOf(ctx);
      const answer = await refusals(() => nodes.gateway.sync(node, access, body, leftBy(ctx.res)));
      return ok(renewed === undefined ? answer : { ...answer, token: renewed });
    },
  }),
];

async function refusals(sync: () => Promise<SyncAnswer>): Promise<SyncAnswer> {
  try {
    return await sync();
  } catch (error) {
    if (!(error instanceof NodeRefused)) throw error;
    throw new HttpError(CODES[error.objection.refusal], error.message);
  }
}
