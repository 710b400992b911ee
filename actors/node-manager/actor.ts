import type { Logger } from '../../config/logger.ts';
import type { Launch } from '../../processes/component-process.ts';
import type { ProcessNotes } from '../../processes/process-notes.ts';
import type { Owner, Store } from '../../store/store.ts';
import type { ServiceModel } from '../node-configuration/model.ts';
import type { Clock } from '../runtime/clock.ts';
import { DEFAULT_INTENSITY } from '../runtime/supervision.ts';
import type { ActorKind, ActorSystem, Family } from '../runtime/system.ts';
import { serviceKind, workerName } from '../service/actor.ts';
import type { ServiceCommand } from '../service/commands.ts';
import { launchOf } from '../service/launch.ts';
import type { RestartPolicy, ServiceReply } from '../service/transitions.ts';
import { NODE_MANAGER_COMMANDS, type NodeManagerCommand, type NodeManagerReply } from './commands.ts';
import { Deployed, reasonToWait, shownServices } from './deployed.ts';
import { Manager, ranksOf } from './manager.ts';
import { NodeReport, NodeStates } from './node-state.ts';
import { hashToken, newToken } from './tokens.ts';
import { WorkerRegistry } from './workers.ts';

/** Kind of the node manager; its id is the host. */
export const NODE_MANAGER = 'node-manager';
const LONGEST_LOOK_MS = 30_000;
/** One that is late does not make a node silent. */
const BEATS_IN_SILENCE = 4;

/** A component that is installed with the server: the queues that it serves, and how it is run. */
export interface ManagedComponent {
  readonly queues: readonly string[];
  readonly model: ServiceModel;
  /** What its processes are told besides the server's address and their token. */
  readonly bootstrap: Readonly<Record<string, unknown>>;
}

export interface NodeManagerDeps {
  readonly host: string;
  /** Installed components, which a configuration may name. */
  readonly components: readonly ManagedComponent[];
  /** The server's own, which are always there. */
  readonly own: readonly ManagedComponent[];
  /** The queue of a registered component that somebody may have configured as a service. */
  registeredQueue(component: string): string | undefined;
  readonly inherited: Readonly<Record<string, string>>;
  readonly places: Readonly<Record<string, string>>;
  readonly home: string;
  policy(isInstalled: boolean): RestartPolicy;
  /** Time an installed component has from its start until it asks for work. */
  readonly startMs: number;
  /** Services on demand end their processes after so many milliseconds without work; 0: never. */
  readonly idleMs: number;
  /** Bytes of memory of one component process. */
  readonly maxMemory: number;
  /** A node that is not heard of for so long is silent. */
  readonly silenceMs: number;
  /** For so long its processes may go on. */
  readonly tokenMs: number;
  /** No other server works on the same store. */
  readonly alone: boolean;
  readonly store: Store;
  readonly owner: Owner;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Of the processes that run, for the server that comes after this one. */
  readonly notes: ProcessNotes;
  /** Known only once the server listens. */
  serverUrl(): string;
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
  const running = new Set<string>();
  const deployed = new Deployed();
  const report = new NodeReport({ ...deps, node: deps.host, services: () => shownServices(deployed) });
  const workers = new WorkerRegistry(report);
  const nodes = new NodeStates(deps);
  const installed = new Map([...deps.own, ...deps.components].map((one) => [one.model.serviceName, one]));
  const queuesOf = (service: string): readonly string[] => {
    const registered = deps.registeredQueue(service);
    return installed.get(service)?.queues ?? (registered === undefined ? [] : [registered]);
  };
  const serving = (queue: string) =>
    deployed.all.filter(({ model }) => queuesOf(model.serviceName).includes(queue));
  const existing = (id: string) => {
    const service = deployed.get(id);
    if (service === undefined) throw new Error(`There is no service ${id}.`);
    return service;
  };
  const launch = (id: string, incarnation: number): Launch => {
    const { model } = existing(id);
    const token = newToken(deps.host);
    const worker = workerName(id, incarnation);
    workers.add({ worker, tokenHash: hashToken(token), queues: () => queuesOf(model.serviceName) });
    running.add(worker);
    const [algorithm = null] = queuesOf(model.serviceName);
    const bootstrap = installed.get(model.serviceName)?.bootstrap ?? { algorithm };
    return launchOf(model, { ...deps, serverUrl: deps.serverUrl(), token, fullName: id, bootstrap });
  };
  const isInstalled = (id: string) => installed.has(deployed.get(id)?.model.serviceName ?? '');
  const services: Family<ServiceCommand, ServiceReply> = system.register(
    serviceKind({
      ...deps,
      manager: { kind: NODE_MANAGER, id: deps.host },
      launch,
      policy: (id) => deps.policy(isInstalled(id)),
      startMs: (id) => (isInstalled(id) ? deps.startMs : undefined),
      changed: (id, state) => deployed.show(id, state),
      removed: (id) => deployed.remove(id),
      gone: (worker, counted, reason) => {
        running.delete(worker);
        deps.gone(worker, counted, reason);
      },
      cameUp: (worker) => workers.forget(worker),
      tell: (id, command) => services.tell(id, command),
      unavailable: (id, reason) => {
        deps.logger.warn({ service: id, reason }, 'a service is unlaunchable');
        // As long as another process of the component works, its work is not lost.
        for (const queue of queuesOf(deployed.get(id)?.model.serviceName ?? ''))
          if (!workers.serves(queue, deps.clock.steady())) deps.unavailable(queue, reason);
      },
      isUp: (worker) => workers.hasComeUp(worker),
    }),
  );
  const kind: ActorKind<NodeManagerCommand, NodeManagerReply> = {
    name: NODE_MANAGER,
    accepts: NODE_MANAGER_COMMANDS,
    mailbox: 10_000,
    intensity: DEFAULT_INTENSITY,
    load: () => Promise.resolve(new Manager({ ...deps, deployed, services, serving, queuesOf })),
  };
  for (const { model } of deps.own)
    for (const [, service] of ranksOf(deps.host, model, true)) deployed.want(service);
  return {
    host: deps.host,
    availableServices: deps.components.map(({ model }) => model),
    family: system.register(kind),
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
    waitingReason: (queue) => reasonToWait(queue, serving(queue), workers.serves(queue, deps.clock.steady())),
  };
}
