import { createHash, randomBytes } from 'node:crypto';
import type { Logger } from '../../config/logger.ts';
import type { Launch } from '../../node/component-process.ts';
import type { Clock } from '../runtime/clock.ts';
import { DEFAULT_INTENSITY } from '../runtime/supervision.ts';
import type { ActorKind, ActorSystem, Behavior, Envelope, Family } from '../runtime/system.ts';
import { serviceKind, workerName } from '../service/actor.ts';
import type { ServiceCommand } from '../service/commands.ts';
import type { ServiceState } from '../service/state.ts';
import type { RestartPolicy } from '../service/transitions.ts';
import { WorkerRegistry } from './workers.ts';

export const NODE_MANAGER = 'node-manager';

/** What this host can run: one entry a component, by the queue (algorithm) that it serves. */
export interface ManagedComponent {
  readonly queue: string;
  readonly service: string;
  /** What the process is told about itself; the server's address and its token are added. */
  readonly launch: Omit<Launch, 'greeting'>;
  readonly greeting: Readonly<Record<string, unknown>>;
}

export type NodeManagerCommand =
  /** From the dispatcher: so much work waits while so much runs. */
  | { readonly type: 'demand'; readonly queue: string; readonly wanted: number }
  /** From the dispatcher: this worker hangs. */
  | { readonly type: 'kill'; readonly worker: string; readonly reason: string }
  /** From the server when it stops. */
  | { readonly type: 'stop' };

const COMMANDS: ReadonlySet<NodeManagerCommand['type']> = new Set(['demand', 'kill', 'stop']);

export interface NodeManagerParts {
  readonly host: string;
  readonly components: readonly ManagedComponent[];
  /** Processes of one component at most. */
  readonly processes: number;
  readonly policy: RestartPolicy;
  readonly stopMs: number;
  /** Time a process has from its start until it asks for work. */
  readonly startMs: number;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Known only once the server listens. */
  serverUrl(): string;
  gone(worker: string, counted: boolean, reason: string): void;
  unavailable(queue: string, reason: string): void;
}

export interface NodeManager {
  readonly family: Family<NodeManagerCommand, void>;
  readonly services: Family<ServiceCommand, ServiceState>;
  readonly workers: WorkerRegistry;
  /** Names of the processes that live now. */
  readonly running: ReadonlySet<string>;
}

/** The node manager of this host: starts a component's processes on first work, keeps them warm, up to the limit. */
export function registerNodeManager(system: ActorSystem, parts: NodeManagerParts): NodeManager {
  const workers = new WorkerRegistry();
  const running = new Set<string>();
  const byService = new Map(parts.components.map((component) => [component.service, component]));
  const componentOf = (id: string) => {
    const component = byService.get(id.split(':')[1] ?? '');
    if (component === undefined) throw new Error(`There is no component for the service ${id}.`);
    return component;
  };
  const services: Family<ServiceCommand, ServiceState> = system.register(
    serviceKind({
      ...parts,
      launch: (id, incarnation) => {
        running.add(workerName(id, incarnation));
        return launchOf(parts, workers, componentOf(id), id, incarnation);
      },
      gone: (worker, counted, reason) => {
        running.delete(worker);
        parts.gone(worker, counted, reason);
      },
      cameUp: (worker) => workers.forget(worker),
      tell: (id, command) => services.tell(id, command),
      // As long as another process of the component works, its work is not lost.
      unavailable: (id, reason) => {
        const { queue } = componentOf(id);
        if (!workers.serves(queue, parts.clock.steady())) parts.unavailable(queue, reason);
      },
      isUp: (worker) => workers.hasComeUp(worker),
    }),
  );
  const kind: ActorKind<NodeManagerCommand, void> = {
    name: NODE_MANAGER,
    accepts: COMMANDS,
    mailbox: 10_000,
    intensity: DEFAULT_INTENSITY,
    load: () => Promise.resolve(new Manager(parts, services)),
  };
  return { family: system.register(kind), services, workers, running };
}

class Manager implements Behavior<NodeManagerCommand, void> {
  readonly #parts: NodeManagerParts;
  readonly #services: Family<ServiceCommand, ServiceState>;
  /** Services that were ever wanted, by id. */
  readonly #wanted = new Set<string>();
  #stopping = false;

  constructor(parts: NodeManagerParts, services: Family<ServiceCommand, ServiceState>) {
    this.#parts = parts;
    this.#services = services;
  }

  async handle({ command }: Envelope<NodeManagerCommand>): Promise<void> {
    switch (command.type) {
      case 'demand':
        return this.#demand(command.queue, command.wanted);
      case 'kill': {
        const [id, incarnation] = command.worker.split('#');
        if (id !== undefined && this.#wanted.has(id))
          this.#services.tell(id, { type: 'kill', incarnation: Number(incarnation), reason: command.reason });
        return;
      }
      case 'stop':
        this.#stopping = true;
        await Promise.all([...this.#wanted].map((id) => this.#services.ask(id, { type: 'stop' })));
        return;
    }
  }

  async #demand(queue: string, wanted: number): Promise<void> {
    const component = this.#parts.components.find((candidate) => candidate.queue === queue);
    if (component === undefined || this.#stopping) return;
    for (let n = 1; n <= Math.min(wanted, this.#parts.processes); n++) {
      const id = `${this.#parts.host}:${component.service}:${n}`;
      this.#wanted.add(id);
      this.#services.tell(id, { type: 'launch' });
    }
  }
}

function launchOf(
  { serverUrl }: NodeManagerParts,
  workers: WorkerRegistry,
  component: ManagedComponent,
  id: string,
  incarnation: number,
): Launch {
  const token = randomBytes(32).toString('base64url');
  workers.add({
    worker: workerName(id, incarnation),
    tokenHash: hashToken(token),
    queues: [component.queue],
  });
  const greeting = JSON.stringify({ ...component.greeting, serverUrl: serverUrl(), token });
  return { ...component.launch, greeting };
}

export const hashToken = (token: string) => createHash('sha256').update(token).digest('base64url');
