import { z } from 'zod';
import { json, type Operation } from '../openapi/operation.ts';
import { coreResponse } from '../schemas/common.ts';
import {
  deployedNodeManagerModel,
  nodeConfiguration,
  nodeHosts,
  availableServices,
} from '../schemas/nodes.ts';

const TAG = 'Nodes and services';
const params = z.object({ serviceName: z.string().describe('<host>:<service>:<n>') });
const FORBIDDEN = json('The token does not grant ADMIN.', coreResponse);

const FACES = {
  serviceName: 'FaceDetection',
  serviceDescription: 'Finds faces.',
  serviceLauncher: 'generic',
  cmd: '${TROUPE_NODE}',
  args: ['--enable-source-maps', '${TROUPE_HOME}/dist/components/host/main.js'],
  serviceCount: 2,
  workingDirectory: '${TROUPE_HOME}',
  environmentVariables: [{ name: 'TROUPE_START', value: 'ON_DEMAND' }],
};

const change = (verb: 'start' | 'stop', summary: string, description: string): Operation => ({
  method: 'post',
  path: `/rest/nodes/services/{serviceName}/${verb}`,
  id: `${verb}Service`,
  tag: TAG,
  caller: 'ADMIN',
  summary,
  description,
  params,
  answers: {
    200: json('responseCode 0: it was told so; 1: there is no such service.', coreResponse),
    403: FORBIDDEN,
  },
});

/** The routes of `http/nodes.ts` (specification 4.4). */
export const nodeOperations: readonly Operation[] = [
  {
    method: 'get',
    path: '/rest/nodes/config',
    id: 'getNodeConfiguration',
    tag: TAG,
    caller: 'USER',
    summary: 'Tell which services are configured, host by host',
    description:
      'Until somebody posts one, this host runs every installed component, on demand. Values of environment variables are shown to an ADMIN only; a USER sees <hidden>.',
    answers: {
      200: json('The configuration of all nodes.', nodeConfiguration, [{ host: 'host', services: [FACES] }]),
    },
  },
  {
    method: 'post',
    path: '/rest/nodes/config',
    id: 'saveNodeConfiguration',
    tag: TAG,
    caller: 'ADMIN',
    summary: 'Replace the configuration of all nodes',
    description:
      'A service without the environment variable TROUPE_START=ON_DEMAND is started at once, serviceCount times, and kept running. Whoever may do this can run any command as the user of the server.',
    body: { schema: nodeConfiguration, example: [{ host: 'host', services: [FACES] }] },
    answers: {
      201: json('It is stored. responseCode 2: in part, the message says what was left out.', coreResponse),
      400: json('It is no configuration; the message says why.', coreResponse),
      403: FORBIDDEN,
    },
  },
  {
    method: 'get',
    path: '/rest/nodes/hosts',
    id: 'getNodeHosts',
    tag: TAG,
    caller: 'USER',
    summary: 'List the hosts of the configuration, and tell whether their node managers are connected',
    answers: { 200: json('By host.', nodeHosts, { host: true }) },
  },
  {
    method: 'get',
    path: '/rest/nodes/info',
    id: 'getNodeInfo',
    tag: TAG,
    caller: 'USER',
    summary: 'Tell how each service stands',
    answers: { 200: json('All services, those of other hosts as Configured.', deployedNodeManagerModel) },
  },
  {
    method: 'get',
    path: '/rest/nodes/services',
    id: 'getServicePalette',
    tag: TAG,
    caller: 'USER',
    summary: 'List the services that are available for deployment',
    answers: {
      200: json('The installed components, as services that are always kept running.', availableServices),
    },
  },
  change('start', 'Start a service', 'Also one that was stopped, or that is unlaunchable.'),
  change('stop', 'Stop a service', 'It stays stopped, whatever is configured or waits, until it is started.'),
];
