import type { Logger } from '../../config/logger.ts';
import type { ProcessNotes } from '../../processes/process-notes.ts';
import type { Owner, Store } from '../../store/store.ts';
import type { ServiceModel } from '../node-configuration/model.ts';
import { assertNever } from '../runtime/assert-never.ts';
import { inMemory } from '../runtime/in-memory.ts';
import { commandsOf } from '../runtime/machine.ts';
import { DEFAULT_INTENSITY } from '../runtime/supervision.ts';
import type { ActorKind, ActorSystem, Family } from '../runtime/system.ts';
import { serviceKind, type ServiceDeps } from '../service/actor.ts';
import type { ServiceCommand } from '../service/commands.ts';
import type { RestartPolicy, ServiceReply } from '../service/transitions.ts';
import { Deployed, reasonToWait, shownServices } from './deployed.ts';
import { LocalServices, type LocalServiceDeps } from './local-services.ts';
import type { NodeManagerCommand, NodeManagerEffect, NodeManagerReply, NodeManagerTypes } from './model.ts';
import { NodeReport, NodeStates } from './node-state.ts';
import { NODE_MANAGER_MACHINE, ranksOf } from './transitions.ts';
import type { WorkerRegistry } from './workers.ts';

/** Kind of the node manager; its id is the host. */
export const NODE_MANAGER = 'node-manager';
const LONGEST_LOOK_MS = 30_000;
/** One that is late does not make a node silent. */
const BEATS_IN_SILENCE = 4;

export interface NodeManagerDeps extends LocalServiceDeps {
  readonly host: string;
  policy(isInstalled: boolean): RestartPolicy;
  /** Time an installed component has from its start until it asks for work. */
  readonly startMs: number;
  /** Services on demand end their processes after so many milliseconds without work; 0: never. */
  readonly idleMs: number;
  /** A node that is not heard of for so long is silent. */
  readonly silenceMs: number;
  /** For so long its processes may go on. */
  readonly tokenMs: number;
  /** No other server works on the same store. */
  readonly alone: boolean;
  readonly store: Store;
  readonly owner: Owner;
  readonly logger: Logger;
  /** Of the processes that run, for the server that comes after this one. */
  readonly notes: ProcessNotes;
  gone(worker: string, counted: boolean, reason: string): void;
  unavailable(queue: string, reason: string): void;
  /** Other services are able to work now: whoever knows what waits says so again. */
  configured(): void;
}

export interface NodeManager {
  /** Also the id of its actor. */
  readonly host: string;
  /** Services that may be configured: the installed components, one process each. */
  readonly availableServices: readonly ServiceModel[];
  readonly family: Family<NodeManagerCommand, NodeManagerReply>;
  readonly workers: WorkerRegistry;
  /** Services of this host, wanted and real. */
  readonly deployed: Deployed;
  /** Names of the processes that live now. */
  readonly running: ReadonlySet<string>;
  /** Ends what a server that was killed has left running; before the first configuration. */
  endLeftovers(): void;
  /** What all nodes have told of themselves. */
  readonly nodes: NodeStates;
  /** Tells of this node, again and again. */
  beat(): Promise<void>;
  readonly beatMs: number;
  /** Takes the tokens of nodes away that are not heard of any more. */
  forgetSilent(): Promise<void>;
  /** Nothing runs any more: nobody has to end it, and nothing more is told. */
  close(): Promise<void>;
  /** How often it is to be told which queues have work. */
  readonly lookMs: number;
  /** Why work of this queue waits, as far as services are the reason. */
  waitingReason(queue: string): string | undefined;
}

/** The node manager of this host: makes the services of the configuration real, and starts those on demand when work waits. */
export function registerNodeManager(system: ActorSystem, deps: NodeManagerDeps): NodeManager {
  const deployed = new Deployed();
  const report = new NodeReport({ ...deps, node: deps.host, services: () => shownServices(deployed) });
  const local = new LocalServices(deps, deployed, report);
  const nodes = new NodeStates(deps);
  const { workers, running } = local;
  const services: Family<ServiceCommand, ServiceReply> = system.register(
    serviceKind(serviceDeps(deps, local, (id, command) => services.tell(id, command))),
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
    lookMs: Math.min(LONGEST_LOOK_MS, Math.max(1, deps.idleMs / 4)),
    endLeftovers: () => {
      for (const pid of deps.notes.endLeftovers())
        deps.logger.warn({ pid }, 'ended a process that had outlived an earlier server');
    },
    nodes,
    forgetSilent: () => nodes.forgetSilent(deps.host, deps.owner),
    beat: () => report.beat(),
    beatMs: Math.max(1, deps.silenceMs / BEATS_IN_SILENCE),
    close: () => {
      deps.notes.close();
      return report.close();
    },
    waitingReason: (queue) => reasonToWait(queue, local.serving(queue), isServed(queue)),
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
            serving: local.serving,
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
  { configured }: NodeManagerDeps,
  deployed: Deployed,
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
      return configured();
    default:
      return assertNever(effect);
  }
}

/** What services ask of their node manager. */
function serviceDeps(
  deps: NodeManagerDeps,
  local: LocalServices,
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
    changed: (id, state) => deployed.show(id, state),
    removed: (id) => deployed.remove(id),
    gone: (worker, counted, reason) => {
      running.delete(worker);
      deps.gone(worker, counted, reason);
    },
    isUp: (worker) => workers.hasComeUp(worker),
    cameUp: (worker) => workers.forget(worker),
    unavailable: (id, reason) => {
      deps.logger.warn({ service: id, reason }, 'a service is unlaunchable');
      for (const queue of local.unservedQueues(id)) deps.unavailable(queue, reason);
    },
  };
}
