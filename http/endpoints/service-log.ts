import { z } from 'zod';
import type { ServiceLine } from '../../actors/service/service-logs.ts';
import { json, ok, sentence } from '../routing/declaration.ts';
import { endpoint } from '../steps/endpoint.ts';
import { HttpError, overloadError } from '../routing/errors.ts';
import { serviceLog } from '../schemas/nodes.ts';
import { nodeOfService } from '../../actors/node-gateway/service-orders.ts';
import type { NodeDeps } from './nodes.ts';

/** Maximum number of characters shown of an unknown name. */
const MAX_SHOWN = 200;
const LOG = {
  name: 'host:FaceDetection:1',
  lines: [
    {
      at: '2026-11-22T12:00:00.000Z',
      process: 'host:FaceDetection:1#1',
      source: 'stderr' as const,
      text: 'The model is being loaded.',
    },
  ],
};

export const serviceLogEndpoint = endpoint({
  method: 'get',
  path: '/rest/nodes/services/{serviceName}/log',
  id: 'getServiceLog',
  tag: 'Nodes and services',
  caller: 'ADMIN',
  summary: 'Show the last lines of a service, on any host',
  description:
    'The lines say when its processes began, and why they ended. The server keeps the last 200 in memory, and drops lines above 50 a second.',
  params: z.object({ serviceName: z.string().describe('<host>:<service>:<n>') }),
  answers: {
    200: json(
      'The lines; none if the service has not run since its server or node started.',
      serviceLog,
      LOG,
    ),
    403: sentence('The token does not grant ADMIN.'),
    404: sentence('There is no such service on a node that is connected.'),
  },
  async handle({ params: { serviceName: name } }, deps: NodeDeps) {
    const lines = (await linesOf(name, deps)).map(({ at, worker, source, text }) => ({
      at: new Date(at).toISOString(),
      process: worker,
      source,
      text,
    }));
    return ok({ name, lines });
  },
});

/** Returns the log lines of a service. @throws HttpError if there are none to show */
async function linesOf(name: string, { nodeManager, nodes }: NodeDeps): Promise<readonly ServiceLine[]> {
  const told = await nodes.orders.linesOf(name);
  if (told === 'AWAY')
    throw overloadError(`The node ${nodeOfService(name)} does not answer. Try again later.`);
  if (told !== 'NO_SUCH_SERVICE') return told.lines;
  throw new HttpError(
    'service-not-found',
    `There is no service "${name.slice(0, MAX_SHOWN)}" on ${nodeManager.host} or on another node that is connected; GET /rest/nodes/info lists all.`,
  );
}
