import { isDeepStrictEqual } from 'node:util';
import type { Context } from 'koa';
import { z } from 'zod';
import { NODE_CONFIGURATION } from '../../actors/node-configuration/actor.ts';
import type { ConfigurationCommand, ConfigurationReply } from '../../actors/node-configuration/model.ts';
import { withoutValues, type NodeManagerModel } from '../../actors/node-configuration/model.ts';
import type { Nodes } from '../../actors/node-gateway/nodes.ts';
import { nodeOfService } from '../../actors/node-gateway/service-orders.ts';
import type { NodeManager } from '../../actors/node-manager/actor.ts';
import type { SeenNode } from '../../actors/node-manager/node-state.ts';
import { pausedSince } from '../../actors/pauses/pause-book.ts';
import type { Pauses } from '../../actors/pauses/pauses.ts';
import { textOf } from '../../actors/runtime/machine.ts';
import type { Family } from '../../actors/runtime/system.ts';
import { nodeList } from '../../actors/views/node-list.ts';
import { deployedServices, ofAllServers, withOthers } from '../../actors/views/nodes.ts';
import type { Info } from '../../config/info.ts';
import type { Logger } from '../../config/logger.ts';
import { isAdmin, userOf } from '../access/bearer.ts';
import { answerWith, json, ok } from '../routing/declaration.ts';
import { endpoint } from '../steps/endpoint.ts';
import { HttpError, overloadError } from '../routing/errors.ts';
import { coreProblem, coreResponse, onFailure, successResponse } from '../schemas/common.ts';
import {
  availableServices,
  deployedNodeManagerModel,
  nodeConfiguration,
  nodeHosts,
  nodeInfos,
} from '../schemas/nodes.ts';

export interface NodeDeps {
  readonly nodeConfiguration: Family<ConfigurationCommand, ConfigurationReply>;
  readonly nodeManager: NodeManager;
  readonly nodes: Nodes;
  readonly pauses: Pauses;
  readonly info: Info;
  readonly logger: Logger;
}

const TAG = 'Nodes and services';
const FORBIDDEN = json('The token does not grant ADMIN.', coreProblem);
const NO_ADMIN = 'This change needs the role ADMIN.';

export const FACES = {
  serviceName: 'FaceDetection',
  serviceDescription: 'Finds faces.',
  serviceLauncher: 'generic',
  cmd: '${TROUPE_NODE}',
  args: ['${TROUPE_HOME}/dist/components/host/main.js'],
  serviceCount: 2,
  workingDirectory: '${TROUPE_HOME}',
  environmentVariables: [{ name: 'TROUPE_START', value: 'ON_DEMAND' }],
};

/** Creates the endpoint that starts or stops a service. */
const change = (
  verb: 'start' | 'stop',
  { summary, description, deed }: Readonly<Record<'summary' | 'description' | 'deed', string>>,
) =>
  endpoint({
    method: 'post',
    path: `/rest/nodes/services/{serviceName}/${verb}`,
    id: `${verb}Service`,
    tag: TAG,
    caller: 'ADMIN',
    forbidden: onFailure(`The service was not changed. ${NO_ADMIN}`),
    summary,
    description,
    params: z.object({ serviceName: z.string().describe('<host>:<service>:<n>') }),
    answers: {
      200: json(
        'responseCode 0: the node received the order; 1: there is no such service, or its node does not answer.',
        coreResponse,
      ),
      403: FORBIDDEN,
    },
    async handle({ params: { serviceName }, ctx }, deps: NodeDeps) {
      const type = `${verb}Service` as const;
      const reason = await orderService(type, serviceName, deps);
      const isThere = reason === undefined;
      deps.logger.info({ user: userOf(ctx).name, service: serviceName, isThere }, `${type} by REST`);
      if (isThere) return ok(successResponse());
      return ok(
        onFailure(
          `Error ${deed} the service with name '${serviceName}'. The log of the server has more. ${reason}`,
        ),
      );
    },
  });

/** Orders the node of a service to start or stop it. Returns the reason if that is not possible. */
async function orderService(
  type: 'startService' | 'stopService',
  service: string,
  { nodes }: NodeDeps,
): Promise<string | undefined> {
  const outcome = await nodes.orders.give(type, service);
  switch (outcome) {
    case 'DONE':
      return undefined;
    case 'NO_SUCH_SERVICE':
      return NO_SUCH_SERVICE;
    case 'AWAY':
      return `The node ${nodeOfService(service)} does not answer. Try again later.`;
    case 'UNCONFIRMED':
      return `The node ${nodeOfService(service)} received the order and has not answered yet: it may still execute it. GET /rest/nodes/info shows the state.`;
    case 'STOPPING':
      throw overloadError('The server is shutting down. Try again later.');
  }
}

const NO_SUCH_SERVICE = 'No connected node has this service. GET /rest/nodes/info lists all services.';

/** Specification 4.4. */
export const nodeEndpoints = [
  endpoint({
    method: 'get',
    path: '/rest/nodes/config',
    id: 'getNodeConfiguration',
    tag: TAG,
    caller: 'USER',
    jobs: 'NONE',
    summary: 'Show the configured services of each host',
    description:
      'Until one is saved, this host runs every installed component, on demand. Values of environment variables are shown to an ADMIN only; a USER sees <hidden>.',
    answers: {
      200: json('The configuration of all nodes.', nodeConfiguration, [{ host: 'host', services: [FACES] }]),
    },
    async handle({ ctx }, deps: NodeDeps) {
      const nodes = await readConfiguration(deps);
      return ok(isAdmin(ctx) ? nodes : withoutValues(nodes));
    },
  }),
  endpoint({
    method: 'post',
    path: '/rest/nodes/config',
    id: 'saveNodeConfiguration',
    tag: TAG,
    caller: 'ADMIN',
    forbidden: onFailure(`The node configuration was not saved. ${NO_ADMIN}`),
    summary: 'Replace the configuration of all nodes',
    description:
      'A service without the environment variable TROUPE_START=ON_DEMAND is started at once with serviceCount processes, and restarted when one ends. Warning: this lets the caller run any command as the user of the server.',
    body: {
      schema: nodeConfiguration,
      noun: 'a node configuration',
      example: [{ host: 'host', services: [FACES] }],
    },
    answers: {
      201: json(
        'The configuration is stored. responseCode 2: without the parts that the message names.',
        coreResponse,
      ),
      400: json('The configuration is invalid. The message says why.', coreProblem),
      403: FORBIDDEN,
    },
    refusal: onFailure,
    says: { body: (problems) => `The node configuration has errors in the following fields:\n${problems}` },
    handle: ({ body, unknownMembers, ctx }, deps: NodeDeps) => save({ body, unknownMembers, ctx }, deps),
  }),
  endpoint({
    method: 'get',
    path: '/rest/nodes/hosts',
    id: 'getNodeHosts',
    tag: TAG,
    caller: 'USER',
    jobs: 'NONE',
    summary: 'List configured hosts, and whether they are connected',
    description: 'Includes connected hosts without configured services.',
    answers: { 200: json('By host.', nodeHosts, { host: true }) },
    async handle(_, deps: NodeDeps) {
      const { host: thisHost } = deps.nodeManager;
      const nodes = withOthers(await readConfiguration(deps), await heardNodes(deps));
      const seen = await seenNodes(nodes, deps);
      const connected = [...deps.nodes.gateway.connectedNodes().keys()];
      return ok(
        Object.fromEntries([
          ...nodes.map(({ host }) => [host, host === thisHost || seen.get(host)?.silent === false]),
          ...connected.map((host) => [host, true]),
        ]),
      );
    },
  }),
  endpoint({
    method: 'get',
    path: '/rest/nodes',
    id: 'listNodes',
    tag: TAG,
    caller: 'USER',
    jobs: 'NONE',
    summary: 'List all hosts with their state',
    answers: {
      200: json(
        'The node of the server is the first one. `services` counts the configured services.',
        nodeInfos,
      ),
    },
    async handle(_, deps: NodeDeps) {
      const { book } = deps.pauses;
      const nodes = await listOf(deps);
      return ok(
        nodes.map((node) => ({
          ...node,
          ...pausedSince('draining', book.find('node', node.host) ?? book.find('server', node.host)),
        })),
      );
    },
  }),
  endpoint({
    method: 'get',
    path: '/rest/nodes/info',
    id: 'getNodeInfo',
    tag: TAG,
    caller: 'USER',
    jobs: 'NONE',
    summary: 'Show the state of each service',
    answers: { 200: json('All services, one entry for each process.', deployedNodeManagerModel) },
    async handle(_, deps: NodeDeps) {
      const { host, deployed } = deps.nodeManager;
      const nodes = withOthers(await readConfiguration(deps), await heardNodes(deps));
      const all = deployedServices(nodes, host, deployed, await seenNodes(nodes, deps));
      const { book } = deps.pauses;
      return ok({
        nodeModels: all.map((one) => ({
          ...one,
          ...pausedSince('draining', book.find('service', one.name)),
        })),
      });
    },
  }),
  endpoint({
    method: 'get',
    path: '/rest/nodes/services',
    id: 'getServicePalette',
    tag: TAG,
    caller: 'USER',
    jobs: 'NONE',
    summary: 'List services that can be configured',
    answers: {
      200: json(
        'The components of the server and of connected nodes, as services that always run.',
        availableServices,
      ),
    },
    handle: (_, { nodeManager, nodes }: NodeDeps) => {
      const elsewhere = [...nodes.gateway.connectedNodes().values()].flatMap(({ installed }) => installed);
      const all = [...elsewhere, ...nodeManager.availableServices];
      return ok(Object.fromEntries(all.map((model) => [model.serviceName, model])));
    },
  }),
  change('start', {
    summary: 'Start a service',
    description: 'Also starts a service that was stopped or is unlaunchable.',
    deed: 'starting',
  }),
  change('stop', {
    summary: 'Stop a service',
    description: 'The service stays stopped until it is started again, even if work waits for it.',
    deed: 'shutting down',
  }),
];

/** Returns the names of all services (`<host>:<service>:<n>`). */
export async function knownServices(deps: NodeDeps): Promise<readonly string[]> {
  const { host, deployed } = deps.nodeManager;
  const nodes = withOthers(await readConfiguration(deps), await heardNodes(deps));
  return deployedServices(nodes, host, deployed, await seenNodes(nodes, deps)).map(({ name }) => name);
}

/** Returns the names of all hosts. */
export const knownNodes = async (deps: NodeDeps): Promise<readonly string[]> =>
  (await listOf(deps)).map(({ host }) => host);

const listOf = async (deps: NodeDeps) =>
  nodeList(await readConfiguration(deps), deps.nodes, { version: deps.info.version, now: Date.now() });

/**
 * Reads the node configuration. Before one is posted, each server runs the default services on its own node. Nodes of a class configure
 * themselves.
 */
async function readConfiguration({
  nodeConfiguration: family,
  nodes,
}: NodeDeps): Promise<readonly NodeManagerModel[]> {
  const reply = await family.ask(NODE_CONFIGURATION, { type: 'read' });
  if (reply.kind !== 'configuration') return [];
  const configured = reply.isInitial ? ofAllServers(reply.nodes, [...nodes.own.servers.keys()]) : reply.nodes;
  return [...configured, ...nodes.gateway.members];
}

/** Returns the nodes that have sent messages, except nodes of a class that have ended in an orderly way. */
async function heardNodes({ nodes: { own } }: NodeDeps): Promise<readonly string[]> {
  const names = await own.states.heardNodes();
  const seen = await Promise.all(names.map((name) => own.states.findNode(name)));
  return names.filter((_, n) => seen[n]?.seenAt !== 0 || seen[n]?.about?.nodeClass === undefined);
}

/** Returns the last reported state of the other nodes in the configuration. */
async function seenNodes(
  configuration: readonly NodeManagerModel[],
  { nodeManager: { host: thisHost }, nodes }: NodeDeps,
): Promise<ReadonlyMap<string, SeenNode>> {
  const others = configuration.filter(({ host }) => host !== thisHost);
  const seen = await Promise.all(
    others.map(async ({ host }) => [host, await nodes.own.states.findNode(host)] as const),
  );
  return new Map(seen.flatMap(([host, node]) => (node === undefined ? [] : [[host, node] as const])));
}

interface SaveRequest {
  readonly body: z.infer<typeof nodeConfiguration>;
  readonly unknownMembers: readonly string[];
  readonly ctx: Context;
}

async function save(
  { body, unknownMembers, ctx }: SaveRequest,
  { nodeConfiguration: family, nodes: { gateway }, logger }: NodeDeps,
) {
  // Nodes that configure themselves are part of the read list. If the client sends them back unchanged, they are not saved.
  const members = gateway.members;
  const nodes = body.filter((node) => !members.some((member) => isSame(node, member)));
  const reply = await family.ask(NODE_CONFIGURATION, { type: 'save', nodes });
  if (reply.kind === 'refused') {
    const message = textOf(reply);
    throw new HttpError('invalid-node-configuration', message, { body: onFailure(message) });
  }
  const warnings = [...unknownMembers, ...(reply.kind === 'saved' ? reply.warnings : [])];
  logger.info({ user: userOf(ctx).name, hosts: nodes.length, warnings }, 'node configuration saved');
  return answerWith(201, successResponse(warnings));
}

const isSame = (one: NodeManagerModel, other: NodeManagerModel): boolean =>
  isDeepStrictEqual(JSON.parse(JSON.stringify(one)), JSON.parse(JSON.stringify(other)));
