import type { ServiceModel } from '../node-configuration/model.ts';
import { assertNever } from '../basics/assert-never.ts';
import { inMemory } from '../runtime/in-memory.ts';
import { commandsOf } from '../runtime/machine.ts';
import { DEFAULT_INTENSITY } from '../runtime/supervision.ts';
import type { ActorKind, ActorSystem, Family } from '../runtime/system.ts';
import { serviceKind, type ServiceDeps } from '../service/actor.ts';
import type { ServiceCommand } from '../service/commands.ts';
import type { MemoryOf } from '../service/memory.ts';
import type { RestartPolicy, ServiceReply } from '../service/transitions.ts';
import { reasonToWait, type DeployedServices } from './deployed-services.ts';
import { LocalServices, type LocalServiceDeps } from './local-services.ts';
import type { NodeManagerCommand, NodeManagerEffect, NodeManagerReply, NodeManagerTypes } from './model.ts';
import type { NodeLink } from './node-link.ts';
import { ServiceLogs } from '../service/service-logs.ts';
import { NODE_MANAGER_MACHINE, ranksOf } from './transitions.ts';
import type { TokenBook, WorkerRegistry } from './workers.ts';

/** Kind of the node manager; its id is the host. */
export const NODE_MANAGER = 'node-manager';
const LONGEST_LOOK_MS = 30_000;

export interface NodeManagerDeps extends LocalServiceDeps {
  readonly host: string;
  policy(isInstalled: boolean): RestartPolicy;
  /** Time an installed component has from its start until it asks for work. */
  readonly startMs: number;
  /** Services of this host, configured and actual. They outlive a restart of the actor. */
  readonly deployed: DeployedServices;
  /** Makes the tokens of processes known to the server. */
  readonly book: TokenBook;
  readonly link: NodeLink;
  readonly memoryOf: MemoryOf;
  /** Number of output lines that are kept of each service. */
  readonly logLines: number;
}

export interface NodeManager {
  /** Also the id of its actor. */
  readonly host: string;
  /** Services that may be configured: the installed components, one process each. */
  readonly availableServices: readonly ServiceModel[];
  readonly family: Family<NodeManagerCommand, NodeManagerReply>;
  readonly workers: WorkerRegistry;
  /** Services of this host, configured and actual. */
  readonly deployed: DeployedServices;
  /** Names of the processes that live now. */
  readonly running: ReadonlySet<string>;
  readonly logs: Pick<ServiceLogs, 'of'>;
  /** Ends processes that a killed server has left running. Called before the first configuration. */
  endLeftovers(): void;
  /** Ends the process of the networks and removes the notes, after all other processes have ended. */
  close(): void;
  /** Interval of the checks for queues with work, in milliseconds. */
  readonly lookMs: number;
  /** Returns the reason why work of this queue waits, if services are the reason. */
  waitingReason(queue: string): string | undefined;
  /** True if this node is configured to serve this queue. */
  isFor(queue: string): boolean;
  /** True if a service that is configured to serve this queue sets this environment variable. */
  setsVariable(queue: string, name: string): boolean;
  /** Returns the number of services that can take work of this queue, now or after a start. */
  capacity(queue: string): number;
}

/** The node manager of this host: starts and stops services as configured, and those on demand when work waits. */
export function registerNodeManager(system: ActorSystem, deps: NodeManagerDeps): NodeManager {
  const { deployed } = deps;
  const local = new LocalServices(deps, deployed, deps.book);
  const { workers, running } = local;
  const logs = new ServiceLogs(deps.logLines);
  const services: Family<ServiceCommand, ServiceReply> = system.register(
    serviceKind(serviceDeps(deps, local, logs, (id, command) => services.tell(id, command))),
  );
  for (const { model } of deps.own)
    for (const [, service] of ranksOf(deps.host, model, true)) deployed.want(service);
  const isServed = (queue: string) => workers.serves(queue, deps.clock.steady());
  return {
    host: deps.host,
    availableServices: deps.components.map(({ model }) => model),
    family: system.register(nodeManagerKind(deps, local, services)),
    workers,
    deployed,
    running,
    logs,
    lookMs: Math.min(LONGEST_LOOK_MS, Math.max(1, deps.idleMs / 4)),
    endLeftovers: () => {
      for (const pid of deps.notes.endLeftovers())
        deps.logger.warn({ pid }, 'ended a process that an earlier server had left running');
    },
    close: () => {
      local.networks.close();
      deps.notes.close();
    },
    waitingReason: (queue) => reasonToWait(queue, local.servicesOf(queue), isServed(queue)),
    isFor: (queue) => local.servicesOf(queue).some(({ leaving }) => !leaving),
    setsVariable: (queue, variable) =>
      local
        .servicesOf(queue)
        .some(({ model }) => model.environmentVariables.some(({ name }) => name === variable)),
    capacity: (queue) =>
      local
        .servicesOf(queue)
        .filter(({ leaving, state }) => !leaving && !state.stopped && !state.unlaunchable).length,
  };
}

function nodeManagerKind(
  deps: NodeManagerDeps,
  local: LocalServices,
  services: Family<ServiceCommand, ServiceReply>,
): ActorKind<NodeManagerCommand, NodeManagerReply> {
  const { host, idleMs, clock } = deps;
  const { deployed } = local;
  return {
    name: NODE_MANAGER,
    accepts: commandsOf(NODE_MANAGER_MACHINE),
    mailbox: 10_000,
    intensity: DEFAULT_INTENSITY,
    load: () =>
      Promise.resolve(
        inMemory<NodeManagerTypes>({
          machine: NODE_MANAGER_MACHINE,
          context: () => ({
            host,
            idleMs,
            now: clock.steady(),
            deployed,
            queuesOf: local.queuesOf,
            servicesOf: local.servicesOf,
          }),
          async perform(effects) {
            for (const effect of effects) await perform(deps, deployed, services, effect);
            return undefined;
          },
        }),
      ),
  };
}

async function perform(
  { link }: NodeManagerDeps,
  deployed: DeployedServices,
  services: Family<ServiceCommand, ServiceReply>,
  effect: NodeManagerEffect,
): Promise<void> {
  switch (effect.type) {
    case 'leave':
      for (const id of effect.ids) {
        deployed.leave(id);
        services.tell(id, { type: 'delete' });
      }
      return;
    case 'want':
      await Promise.all(
        effect.services.map(async ({ service, changed }) => {
          deployed.want(service);
          await services.ask(service.id, { type: 'configure', changed });
          if (!service.onDemand) services.tell(service.id, { type: 'launch' });
        }),
      );
      return;
    case 'tell':
      for (const id of effect.ids) services.tell(id, effect.command);
      return;
    case 'ask':
      await Promise.all(effect.ids.map((id) => services.ask(id, effect.command)));
      return;
    case 'configured':
      return link.onConfigured();
    default:
      return assertNever(effect);
  }
}

/** Returns the functions of the node manager that services use. */
function serviceDeps(
  deps: NodeManagerDeps,
  local: LocalServices,
  logs: ServiceLogs,
  tell: (id: string, command: ServiceCommand) => void,
): ServiceDeps {
  const { deployed, workers, running } = local;
  return {
    ...deps,
    manager: { kind: NODE_MANAGER, id: deps.host },
    tell,
    launch: (id, incarnation) => local.launch(id, incarnation),
    policy: (id) => deps.policy(local.isInstalled(id)),
    startMs: (id) => (local.isInstalled(id) ? deps.startMs : undefined),
    onChange: (id, state) => deployed.show(id, state),
    line: (id, line) => logs.add(id, line),
    onRemoved: (id) => {
      deployed.remove(id);
      logs.forget(id);
    },
    releaseWorker: (worker, counted, reason) => {
      running.delete(worker);
      deps.link.releaseWorker(worker, counted && !local.isSideBySide(worker), reason);
    },
    isUp: (worker) => workers.hasComeUp(worker),
    couldAsk: () => deps.link.reaches(),
    cameUp: (worker) => workers.forget(worker),
    unavailable: (id, reason) => {
      deps.logger.warn({ service: id, reason }, 'a service is unlaunchable');
      for (const queue of local.unservedQueues(id)) deps.link.unavailable(queue, reason);
    },
  };
}
