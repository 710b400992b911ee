import { createHash } from 'node:crypto';
import { MEDIA_QUEUES } from '../../protocol/worker-protocol.ts';
import type { NodeManagerModel, ServiceModel } from '../node-configuration/model.ts';
import type { NodeConfiguration } from './messages.ts';

export interface ConfiguredNodesDeps {
  /** The server's own services, which no other node may run, are not among these. */
  readonly components: readonly { readonly queues: readonly string[]; readonly model: ServiceModel }[];
  /** The queue of a component that somebody has registered. */
  registeredQueue(component: string): string | undefined;
  /** Whether the processes of a service may do the work of a queue now: that of a registered component is not for others. */
  mayServe(service: string, queue: string): boolean;
}

/** Queues of the server's own media component: what they carry is for nobody else. */
const OWN_QUEUES: readonly string[] = Object.values(MEDIA_QUEUES);

/** What the node configuration gives to each host, and the work that its processes may therefore do. */
export class ConfiguredNodes {
  readonly #deps: ConfiguredNodesDeps;
  /** Undefined: it was not read yet. */
  #services: ReadonlyMap<string, readonly ServiceModel[]> | undefined;
  /** Names of services that have processes, by host. */
  #names: ReadonlyMap<string, ReadonlySet<string>> = new Map();
  #resume = () => {};
  /** Settles when the configuration was read, or never will be. */
  readonly settled = new Promise<void>((resolve) => (this.#resume = resolve));

  constructor(deps: ConfiguredNodesDeps) {
    this.#deps = deps;
  }

  /** From now on this is the configuration. */
  take(nodes: readonly NodeManagerModel[]): void {
    this.#services = new Map(nodes.map(({ host, services }) => [host, services]));
    this.#names = new Map(
      nodes.map(({ host, services }) => [
        host,
        new Set(
          services.filter(({ serviceCount }) => serviceCount > 0).map(({ serviceName }) => serviceName),
        ),
      ]),
    );
    this.#resume();
  }

  close(): void {
    this.#resume();
  }

  get isKnown(): boolean {
    return this.#services !== undefined;
  }

  /** Whether there is a service for this host. */
  has(node: string): boolean {
    return (this.#services?.get(node)?.length ?? 0) > 0;
  }

  /** Queues that processes of this service may serve on this node: none, unless the configuration gives it the service. */
  queuesOf(node: string, service: string): readonly string[] {
    return this.#names.get(node)?.has(service) === true ? this.#queuesOf(service) : [];
  }

  /** Hosts that are to serve this queue. */
  hostsOf(queue: string): readonly string[] {
    return [...this.#names]
      .filter(([, names]) => [...names].some((name) => this.isServedBy(queue, name)))
      .map(([host]) => host);
  }

  /** Whether a service of this name serves this queue wherever it runs. */
  isServedBy(queue: string, service: string): boolean {
    return this.#queuesOf(service).includes(queue) && this.#deps.mayServe(service, queue);
  }

  /** What this node is told of it; undefined: it is not known yet. */
  partOf(node: string): NodeConfiguration | undefined {
    if (this.#services === undefined) return undefined;
    const services = this.#services.get(node) ?? [];
    const queues = Object.fromEntries(
      services.map(({ serviceName }) => [serviceName, this.#queuesOf(serviceName)]),
    );
    const text = JSON.stringify([services, queues]);
    return { version: createHash('sha256').update(text).digest('base64url'), services, queues };
  }

  /** Queues that a service of this name serves wherever it runs, but for the server's own host. */
  #queuesOf(service: string): readonly string[] {
    const { components, registeredQueue } = this.#deps;
    const installed = components.find(({ model }) => model.serviceName === service)?.queues;
    const registered = registeredQueue(service);
    const queues = installed ?? (registered === undefined ? [] : [registered]);
    return queues.filter((queue) => !OWN_QUEUES.includes(queue));
  }
}
