import type Router from '@koa/router';
import type { Context } from 'koa';
import { NODE_CONFIGURATION } from '../actors/node-configuration/actor.ts';
import type { ConfigurationCommand, ConfigurationReply } from '../actors/node-configuration/model.ts';
import {
  withoutValues,
  type NodeManagerModel,
  type ServiceModel,
} from '../actors/node-configuration/model.ts';
import type { NodeManager } from '../actors/node-manager/actor.ts';
import type { SeenNode } from '../actors/node-manager/node-state.ts';
import type { Family } from '../actors/runtime/system.ts';
import { deployedServices } from '../actors/views/nodes.ts';
import { textOf } from '../actors/runtime/machine.ts';
import type { Logger } from '../config/logger.ts';
import { requireRole, userOf } from './access/bearer.ts';
import { HttpError, overloaded, refusedAs } from './errors.ts';
import { nodeConfiguration } from './schemas/nodes.ts';
import { checked } from './schemas/problems.ts';
import { readJson, type BodyLimits } from './steps/json-body.ts';

export interface NodeDeps {
  readonly nodeConfiguration: Family<ConfigurationCommand, ConfigurationReply>;
  readonly nodeManager: NodeManager;
  readonly bodyLimits: BodyLimits;
  readonly logger: Logger;
}

const NO_ADMIN =
  'You do not have the proper user privileges to make this change! Please log in as an admin user.';
const adminOnly = (what: string) =>
  requireRole('ADMIN', { responseCode: 1, message: `${what} not changed! ${NO_ADMIN}` });

/** Specification 4.4. */
export function nodeRoutes(router: Router, deps: NodeDeps): void {
  const adminOfConfig = requireRole('ADMIN', {
    responseCode: 1,
    message: `Node config changes not saved! ${NO_ADMIN}`,
  });
  const adminOfServices = adminOnly('Node service status');
  router.get('/rest/nodes/config', async (ctx) => {
    const nodes = await configured(deps);
    ctx.body = userOf(ctx).roles.includes('ADMIN') ? nodes : withoutValues(nodes);
  });
  router.post('/rest/nodes/config', adminOfConfig, (ctx) => save(ctx, deps));
  router.get('/rest/nodes/hosts', async (ctx) => {
    const { host: thisHost } = deps.nodeManager;
    const nodes = await configured(deps);
    const seen = await seenNodes(nodes, deps);
    ctx.body = Object.fromEntries(
      nodes.map(({ host }) => [host, host === thisHost || seen.get(host)?.silent === false]),
    );
  });
  router.get('/rest/nodes/info', async (ctx) => {
    const { host, deployed } = deps.nodeManager;
    const nodes = await configured(deps);
    ctx.body = { nodeModels: deployedServices(nodes, host, deployed, await seenNodes(nodes, deps)) };
  });
  router.get('/rest/nodes/services', (ctx) => {
    const { availableServices } = deps.nodeManager;
    ctx.body = Object.fromEntries(availableServices.map((model: ServiceModel) => [model.serviceName, model]));
  });
  router.post('/rest/nodes/services/:serviceName/start', adminOfServices, (ctx) => start(ctx, deps));
  router.post('/rest/nodes/services/:serviceName/stop', adminOfServices, (ctx) => stop(ctx, deps));
}

async function configured({ nodeConfiguration: family }: NodeDeps): Promise<readonly NodeManagerModel[]> {
  const reply = await family.ask(NODE_CONFIGURATION, { type: 'read' });
  return reply.kind === 'configuration' ? reply.nodes : [];
}

/** What the other nodes of the configuration have told of themselves. */
async function seenNodes(
  configuration: readonly NodeManagerModel[],
  { nodeManager: { host: thisHost, nodes } }: NodeDeps,
): Promise<ReadonlyMap<string, SeenNode>> {
  const others = configuration.filter(({ host }) => host !== thisHost);
  const seen = await Promise.all(others.map(async ({ host }) => [host, await nodes.seen(host)] as const));
  return new Map(seen.flatMap(([host, node]) => (node === undefined ? [] : [[host, node] as const])));
}

async function save(
  ctx: Context,
  { nodeConfiguration: family, bodyLimits, logger }: NodeDeps,
): Promise<void> {
  const parsed = checked(nodeConfiguration, await refusedAs(readJson(ctx, bodyLimits), refusalBody));
  if ('problems' in parsed)
    throw refused(`The node configuration has errors in the following fields:\n${parsed.problems}`);
  const reply = await family.ask(NODE_CONFIGURATION, { type: 'save', nodes: parsed.ok });
  if (reply.kind === 'refused') throw refused(textOf(reply));
  const warnings = reply.kind === 'saved' ? reply.warnings : [];
  logger.info({ user: userOf(ctx).name, hosts: parsed.ok.length, warnings }, 'node configuration saved');
  ctx.status = 201;
  ctx.body =
    warnings.length === 0
      ? { responseCode: 0, message: null }
      : { responseCode: 2, message: warnings.join('\n') };
}

const refusalBody = (message: string) => ({ responseCode: 1, message });
const refused = (message: string) => new HttpError(400, message, { body: refusalBody(message) });

async function start(ctx: Context, deps: NodeDeps): Promise<void> {
  const name = serviceOf(ctx);
  await change(
    ctx,
    deps,
    { type: 'startService', service: name },
    `starting the service with name '${name}'`,
  );
}

async function stop(ctx: Context, deps: NodeDeps): Promise<void> {
  const name = serviceOf(ctx);
  await change(
    ctx,
    deps,
    { type: 'stopService', service: name },
    `shutting down the service with name '${name}'`,
  );
}

async function change(
  ctx: Context,
  { nodeManager, logger }: NodeDeps,
  command: { readonly type: 'startService' | 'stopService'; readonly service: string },
  what: string,
): Promise<void> {
  const reply = await nodeManager.family.ask(nodeManager.host, command);
  if (reply === 'stopping') throw overloaded('The server is shutting down; try again later.');
  logger.info({ user: userOf(ctx).name, service: command.service, reply }, `${command.type} by REST`);
  ctx.body =
    reply === 'done'
      ? { responseCode: 0, message: null }
      : {
          responseCode: 1,
          message: `Error ${what}. Please check the server logs. There is no such service on this node; GET /rest/nodes/info lists them.`,
        };
}

const serviceOf = (ctx: Context) => (ctx['params'] as { serviceName: string }).serviceName;
