import { z } from 'zod';
import type { ServiceLine } from '../../actors/node-manager/service-logs.ts';
import { json, ok } from '../declaration.ts';
import { endpoint } from '../endpoint.ts';
import { HttpError, overloaded } from '../errors.ts';
import { responseMessage } from '../schemas/common.ts';
import { serviceLog } from '../schemas/nodes.ts';
import type { ServiceLines } from '../../actors/node-gateway/orders.ts';
import type { Nodes } from '../../actors/node-gateway/register.ts';
import type { NodeDeps } from './nodes.ts';

/** Characters of a name that are shown when nothing has it. */
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
  summary: 'Tell the last lines that a service has written, on whichever host it runs',
  description:
    'With when its processes began, and why they ended. As many as SERVICE_LOG_LINES of its host are kept, in memory; a process that writes more than 50 lines a second loses some.',
  params: z.object({ serviceName: z.string().describe('<host>:<service>:<n>') }),
  answers: {
    200: json(
      'The lines; none when it has not run since the server, or the node of its host, was started.',
      serviceLog,
      LOG,
    ),
    403: json('The token does not grant ADMIN.', responseMessage),
    404: json('There is no such service on a node that is connected.', responseMessage),
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

/** @throws HttpError */
async function linesOf(name: string, { nodeManager, nodes }: NodeDeps): Promise<readonly ServiceLine[]> {
  const { host, deployed, logs } = nodeManager;
  const [where = ''] = name.split(':', 1);
  if (deployed.get(name) !== undefined) return logs.of(name);
  if (where !== host) {
    const told = await linesElsewhere(where, name, nodes);
    if (told === 'AWAY') throw overloaded(`The node ${where} does not answer; try again later.`);
    if (told !== 'NO_SUCH_SERVICE') return told.lines;
  }
  throw new HttpError(
    404,
    `There is no service "${name.slice(0, MAX_SHOWN)}" on ${host} or on another node that is connected; GET /rest/nodes/info lists all.`,
  );
}

/** Of a node on another host, or of another server's own. */
async function linesElsewhere(node: string, service: string, nodes: Nodes): Promise<ServiceLines> {
  if (nodes.gateway.connected().has(node)) return nodes.gateway.orders.linesOf(node, service);
  const seen = nodes.elsewhere === undefined ? undefined : await nodes.own.states.seen(node);
  if (nodes.elsewhere === undefined || seen?.silent !== false) return 'NO_SUCH_SERVICE';
  return nodes.elsewhere.linesOf(service);
}
