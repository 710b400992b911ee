import type { Launch } from '../../processes/component-process.ts';
import type { Clock } from '../basics/clock.ts';
import { workerName } from '../service/actor.ts';
import { launchOf } from '../service/launch.ts';
import type { ManagedComponent } from './components.ts';
import type { DeployedServices, DeployedService } from './deployed-services.ts';
import { SharedNetworks, type SharedNetworksDeps } from './shared-networks.ts';
import { hashToken, newToken } from './tokens.ts';
import { WorkerRegistry, type TokenBook } from './workers.ts';

export interface LocalServiceDeps extends SharedNetworksDeps {
  readonly host: string;
  /** Returns the queue of a registered component that may be configured as a service. */
  registeredQueue(component: string): string | undefined;
  /** True if the processes of a service may do the work of a queue now. Other services may not serve a registered component. */
  mayServe(service: string, queue: string): boolean;
  readonly clock: Clock;
  /** Returns the address of the server, which is known only after the server listens. */
  serverUrl(): string;
}

/** The services of this host and the processes that they run, for code outside their actors. */
export class LocalServices {
  readonly workers: WorkerRegistry;
  /** Names of the running processes. */
  readonly running = new Set<string>();
  readonly networks: SharedNetworks;
  readonly deployed: DeployedServices;
  readonly #deps: LocalServiceDeps;
  readonly #installed: ReadonlyMap<string, ManagedComponent>;

  constructor(deps: LocalServiceDeps, deployed: DeployedServices, book: TokenBook) {
    this.#deps = deps;
    this.deployed = deployed;
    this.workers = new WorkerRegistry(book);
    this.networks = new SharedNetworks(deps);
    this.#installed = new Map([...deps.own, ...deps.components].map((one) => [one.model.serviceName, one]));
  }

  /** Returns all queues of the processes of a service. */
  readonly #queuesOf = (service: string): readonly string[] => {
    const registered = this.#deps.registeredQueue(service);
    return this.#installed.get(service)?.queues ?? (registered === undefined ? [] : [registered]);
  };

  /** Returns the queues whose work the service may do now. */
  readonly queuesOf = (service: string): readonly string[] =>
    this.#queuesOf(service).filter((queue) => this.#deps.mayServe(service, queue));

  readonly servicesOf = (queue: string): readonly DeployedService[] =>
    this.deployed.all.filter(({ model }) => this.queuesOf(model.serviceName).includes(queue));

  isInstalled(id: string): boolean {
    return this.#installed.has(this.deployed.get(id)?.model.serviceName ?? '');
  }

  /** True if this process works on many sub-jobs at the same time. */
  isSideBySide(worker: string): boolean {
    const id = worker.slice(0, worker.lastIndexOf('#'));
    return this.#installed.get(this.deployed.get(id)?.model.serviceName ?? '')?.sideBySide === true;
  }

  /** Returns how to start the process of this incarnation, and creates its token. */
  launch(id: string, incarnation: number): Launch {
    const service = this.deployed.get(id);
    if (service === undefined) throw new Error(`There is no service ${id}.`);
    const { model } = service;
    const token = newToken(this.#deps.host);
    const worker = workerName(id, incarnation);
    const queues = () => this.#queuesOf(model.serviceName);
    const mayServe = (queue: string) => this.#deps.mayServe(model.serviceName, queue);
    const after = this.workers.add({ worker, tokenHash: hashToken(token), queues, mayServe });
    this.running.add(worker);
    const [algorithm = null] = queues();
    const { bootstrap = { algorithm } } = this.#installed.get(model.serviceName) ?? {};
    const networks = 'stream' in bootstrap ? this.networks.path : undefined;
    const serverUrl = this.#deps.serverUrl();
    const facts = { ...this.#deps, serverUrl, token, fullName: id, bootstrap: { ...bootstrap, networks } };
    return { ...launchOf(model, facts), after };
  }

  /** Returns the queues of a service that no other running process serves. Work of other queues is not lost. */
  unservedQueues(id: string): readonly string[] {
    const now = this.#deps.clock.steady();
    return this.queuesOf(this.deployed.get(id)?.model.serviceName ?? '').filter(
      (queue) => !this.workers.serves(queue, now),
    );
  }
}
