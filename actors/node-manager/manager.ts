import {
  fullName,
  isSameDefinition,
  startsOnDemand,
  type NodeManagerModel,
  type ServiceModel,
} from '../node-configuration/model.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Behavior, Envelope, Family } from '../runtime/system.ts';
import type { ServiceCommand } from '../service/commands.ts';
import type { ServiceReply } from '../service/transitions.ts';
import type { NodeManagerCommand, NodeManagerReply } from './commands.ts';
import type { Deployed, DeployedService } from './deployed.ts';

export interface ManagerDeps {
  readonly host: string;
  readonly deployed: Deployed;
  readonly services: Family<ServiceCommand, ServiceReply>;
  readonly clock: Clock;
  /** Services on demand end their processes after so many milliseconds without work; 0: never. */
  readonly idleMs: number;
  /** Queues that the processes of a service serve. */
  queuesOf(service: string): readonly string[];
  /** Services whose processes serve this queue. */
  serving(queue: string): readonly DeployedService[];
  /** Other services are able to work now: whoever knows what waits says so again. */
  configured(): void;
}

/** Compares wanted with real services and tells each what is wanted of it; the rest is the services' own. */
export class Manager implements Behavior<NodeManagerCommand, NodeManagerReply> {
  readonly #deps: ManagerDeps;
  #stopping = false;
  /** Since when services have had nothing to do, by id. */
  readonly #idleSince = new Map<string, number>();

  constructor(deps: ManagerDeps) {
    this.#deps = deps;
  }

  async handle({ command }: Envelope<NodeManagerCommand>): Promise<NodeManagerReply> {
    switch (command.type) {
      case 'configure':
        await this.#configure(command.nodes);
        return 'done';
      case 'startService':
        return this.#ask(command.service, { type: 'start' });
      case 'stopService':
        return this.#ask(command.service, { type: 'stop' });
      case 'demand':
        this.#demand(command.queue, command.wanted);
        return 'done';
      case 'kill':
        this.#kill(command.worker, command.reason);
        return 'done';
      case 'look':
        this.#look(command.busy);
        return 'done';
      case 'stop':
        this.#stopping = true;
        await Promise.all(
          this.#deps.deployed.all.map(({ id }) => this.#deps.services.ask(id, { type: 'shutdown' })),
        );
        return 'done';
    }
  }

  async #configure(nodes: readonly NodeManagerModel[]): Promise<void> {
    const { host, deployed, services, configured } = this.#deps;
    if (this.#stopping) return;
    const models = nodes.find((node) => node.host === host)?.services ?? [];
    const wanted = new Map(models.flatMap((model) => ranksOf(host, model)));
    for (const { id, own, leaving } of deployed.all) {
      if (own || leaving || wanted.has(id)) continue;
      deployed.leave(id);
      services.tell(id, { type: 'delete' });
    }
    // Answered, so that what each remembers is known before work is said to wait.
    await Promise.all([...wanted].map(([id, service]) => this.#want(id, service)));
    configured();
  }

  async #want(id: string, service: Wanted): Promise<void> {
    const { deployed, services } = this.#deps;
    const before = deployed.get(id);
    const changed = before !== undefined && !isSameDefinition(before.model, service.model);
    deployed.want(service);
    await services.ask(id, { type: 'configure', changed });
    if (!service.onDemand) services.tell(id, { type: 'launch' });
  }

  async #ask(id: string, command: ServiceCommand): Promise<NodeManagerReply> {
    const service = this.#deps.deployed.get(id);
    if (service === undefined || service.own || service.leaving) return 'noSuchService';
    if (this.#stopping) return 'stopping';
    await this.#deps.services.ask(id, command);
    // What it had begun to start for may be for another one now.
    this.#deps.configured();
    return 'done';
  }

  #demand(queue: string, wanted: number): void {
    if (this.#stopping) return;
    const able = this.#deps.serving(queue).filter(({ leaving, state }) => !leaving && !state.stopped);
    for (const { id } of able.slice(0, wanted)) this.#deps.services.tell(id, { type: 'launch' });
  }

  /** A process that was started for work and has had none for long goes; work starts it again. */
  #look(busy: ReadonlySet<string>): void {
    const { clock, deployed, idleMs, queuesOf, services } = this.#deps;
    if (this.#stopping || idleMs === 0) return;
    const now = clock.steady();
    for (const { id, onDemand, model, state } of deployed.all) {
      const isIdle = onDemand && state.status === 'Running';
      if (!isIdle || queuesOf(model.serviceName).some((queue) => busy.has(queue))) {
        this.#idleSince.delete(id);
        continue;
      }
      const since = this.#idleSince.get(id) ?? now;
      this.#idleSince.set(id, since);
      if (now - since >= idleMs) services.tell(id, { type: 'rest', incarnation: state.incarnation });
    }
  }

  #kill(worker: string, reason: string): void {
    const end = worker.lastIndexOf('#');
    const id = worker.slice(0, Math.max(0, end));
    if (this.#deps.deployed.get(id) === undefined) return;
    this.#deps.services.tell(id, { type: 'kill', incarnation: Number(worker.slice(end + 1)), reason });
  }
}

type Wanted = Parameters<Deployed['want']>[0];

export function ranksOf(
  host: string,
  model: ServiceModel,
  own = false,
): readonly (readonly [string, Wanted])[] {
  return Array.from({ length: model.serviceCount }, (_, index) => {
    const rank = index + 1;
    const id = fullName(host, model.serviceName, rank);
    return [id, { id, rank, model, own, onDemand: own || startsOnDemand(model) }];
  });
}
