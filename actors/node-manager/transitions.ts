import {
  fullName,
  isSameDefinition,
  startsOnDemand,
  type NodeManagerModel,
  type ServiceModel,
} from '../node-configuration/model.ts';
import { refuseWith, type Machine, type Outcome, type Refused } from '../runtime/machine.ts';
import type { DeployedService, WantedService } from './deployed-services.ts';
import type { NodeManagerEffect, NodeManagerState, NodeManagerTypes } from './model.ts';

type Context = NodeManagerTypes['context'];

/** Compares the configured with the running services, and sends each service actor its target. That actor does the rest. */
export const NODE_MANAGER_MACHINE: Machine<NodeManagerTypes> = {
  initial: { status: 'WORKING', idleSince: new Map() },
  statusOf: ({ status }) => status,
  on: {
    configure: {
      from: ['WORKING'],
      to: ['WORKING'],
      apply: (_, { nodes }, context) => ({ effects: applyConfiguration(nodes, context) }),
    },
    startService: {
      from: ['WORKING'],
      to: ['WORKING'],
      apply: (_, { service }, context) => applyOrder(service, 'start', context),
    },
    stopService: {
      from: ['WORKING'],
      to: ['WORKING'],
      apply: (_, { service }, context) => applyOrder(service, 'stop', context),
    },
    demand: {
      from: ['WORKING'],
      to: ['WORKING'],
      apply({ idleSince }, { queue, wanted }, { servicesOf }) {
        const able = servicesOf(queue).filter(({ leaving, state }) => !leaving && !state.stopped);
        // A running service needs no message for each sub-job. An idle one may have been ordered to end.
        const isUp = ({ id, state }: DeployedService) => state.status === 'Running' && !idleSince.has(id);
        const ids = able.slice(0, wanted).flatMap((one) => (isUp(one) ? [] : [one.id]));
        return ids.length === 0 ? {} : { effects: [{ type: 'tell', ids, command: { type: 'launch' } }] };
      },
    },
    kill: {
      from: ['WORKING', 'STOPPING'],
      to: { WORKING: ['WORKING'], STOPPING: ['STOPPING'] },
      apply(_, { worker, reason }, context) {
        const { id, incarnation } = processOf(worker);
        if (context.deployed.get(id) === undefined) return refuseWith('NO_SUCH_SERVICE');
        return { effects: [{ type: 'tell', ids: [id], command: { type: 'kill', incarnation, reason } }] };
      },
    },
    rest: {
      from: ['WORKING'],
      to: ['WORKING'],
      apply(_, { worker }, { deployed }) {
        const { id, incarnation } = processOf(worker);
        // A service that runs without work, too, keeps its process.
        if (deployed.get(id)?.onDemand !== true) return refuseWith('NO_SUCH_SERVICE');
        return { effects: [{ type: 'tell', ids: [id], command: { type: 'rest', incarnation } }] };
      },
    },
    look: {
      from: ['WORKING'],
      to: ['WORKING'],
      apply: (state, { busy }, context) => stopIdle(state, busy, context),
    },
    stop: {
      from: ['WORKING', 'STOPPING'],
      to: ['STOPPING'],
      apply: (state, { withinMs }, { deployed }) => ({
        state: { ...state, status: 'STOPPING' },
        effects: [
          {
            type: 'ask',
            ids: deployed.all.map(({ id }) => id),
            command: { type: 'shutdown', ...(withinMs === undefined ? {} : { withinMs }) },
          },
        ],
      }),
    },
  },
};

/** Returns the service and the incarnation of a worker's process. */
function processOf(worker: string): { readonly id: string; readonly incarnation: number } {
  const end = worker.lastIndexOf('#');
  return { id: worker.slice(0, Math.max(0, end)), incarnation: Number(worker.slice(end + 1)) };
}

function applyConfiguration(
  nodes: readonly NodeManagerModel[],
  { host, deployed }: Context,
): readonly NodeManagerEffect[] {
  const models = nodes.find((node) => node.host === host)?.services ?? [];
  const wanted = new Map(models.flatMap((model) => ranksOf(host, model)));
  const ids = deployed.all
    .filter(({ id, own, leaving }) => !own && !leaving && !wanted.has(id))
    .map(({ id }) => id);
  const services = [...wanted].map(([id, service]) => {
    const before = deployed.get(id);
    return { service, changed: before !== undefined && !isSameDefinition(before.model, service.model) };
  });
  // The services answer before waiting work is announced, so that their stored state is known by then.
  return [{ type: 'leave', ids }, { type: 'want', services }, { type: 'configured' }];
}

/** Starts or stops a service of the configuration for an ADMIN. */
function applyOrder(
  id: string,
  type: 'start' | 'stop',
  { deployed }: Context,
): Outcome<NodeManagerTypes> | Refused<'NO_SUCH_SERVICE'> {
  const service = deployed.get(id);
  if (service === undefined || service.own || service.leaving) return refuseWith('NO_SUCH_SERVICE');
  // Work that waited for this service may belong to another one now.
  return { effects: [{ type: 'ask', ids: [id], command: { type } }, { type: 'configured' }] };
}

/** Ends processes on demand that were idle for long. New work starts them again. */
function stopIdle(
  state: NodeManagerState,
  busy: ReadonlySet<string>,
  { now, idleMs, deployed, queuesOf }: Context,
): Outcome<NodeManagerTypes> {
  if (idleMs === 0) return {};
  const idleSince = new Map(state.idleSince);
  const effects: NodeManagerEffect[] = [];
  for (const { id, onDemand, model, state: service } of deployed.all) {
    const isIdle = onDemand && service.status === 'Running';
    if (!isIdle || queuesOf(model.serviceName).some((queue) => busy.has(queue))) {
      idleSince.delete(id);
      continue;
    }
    const since = idleSince.get(id) ?? now;
    idleSince.set(id, since);
    const { incarnation } = service;
    if (now - since >= idleMs)
      effects.push({ type: 'tell', ids: [id], command: { type: 'rest', incarnation } });
  }
  return { state: { ...state, idleSince }, effects };
}

/** Returns each process of a model as a service, with its id. */
export function ranksOf(
  host: string,
  model: ServiceModel,
  own = false,
): readonly (readonly [string, WantedService])[] {
  return Array.from({ length: model.serviceCount }, (_, index) => {
    const rank = index + 1;
    const id = fullName(host, model.serviceName, rank);
    return [id, { id, rank, model, own, onDemand: own || startsOnDemand(model) }];
  });
}
