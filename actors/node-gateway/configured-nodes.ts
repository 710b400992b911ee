import { createHash } from 'node:crypto';
import { MEDIA_QUEUES } from '../../protocol/worker-protocol.ts';
import type { NodeClasses, NodeManagerModel, ServiceModel } from '../node-configuration/model.ts';
import type { NodeConfiguration } from './messages.ts';
import type { NodeAbout } from '../node-manager/node-state.ts';

export interface ConfiguredNodesDeps {
  /** The server's own services, which no other node may run, are not among these. */
  readonly components: readonly { readonly queues: readonly string[]; readonly model: ServiceModel }[];
  /** The queue of a component that somebody has registered. */
  registeredQueue(component: string): string | undefined;
  /** Whether the processes of a service may do the work of a queue now: that of a registered component is not for others. */
  mayServe(service: string, queue: string): boolean;
}

/** Nodes as far as they have been heard of: each knows its class. */
interface HeardNodes {
  get(node: string): { readonly about: NodeAbout } | undefined;
  /** Those that are not silent. */
  live(): readonly (readonly [string, { readonly about: NodeAbout }])[];
}

/** Queues of the server's own media component: what they carry is for nobody else. */
const OWN_QUEUES: readonly string[] = Object.values(MEDIA_QUEUES);

/** What the node configuration gives to each host, and node classes to their nodes, and the work that their processes may therefore do. */
export class ConfiguredNodes {
  readonly #deps: ConfiguredNodesDeps;
  readonly #nodes: () => HeardNodes;
  /** Undefined: it was not read yet. */
  #posted: ReadonlyMap<string, readonly ServiceModel[]> | undefined;
  #classes: ReadonlyMap<string, readonly ServiceModel[]> | undefined;
  /** Somebody has posted them: their nodes are awaited. */
  #classesPosted = false;
  #resume = () => {};
  /** Settles when both were read, or never will be. */
  readonly settled = new Promise<void>((resolve) => (this.#resume = resolve));

  constructor(deps: ConfiguredNodesDeps, nodes: () => HeardNodes) {
    this.#deps = deps;
    this.#nodes = nodes;
  }

  /** From now on this is the configuration. */
  take(nodes: readonly NodeManagerModel[]): void {
    this.#posted = byHost(nodes);
    if (this.isKnown) this.#resume();
  }

  /** From now on these are the node classes. */
  takeClasses({ classes, isInitial }: NodeClasses): void {
    this.#classes = byHost(classes);
    this.#classesPosted = !isInitial;
    if (this.isKnown) this.#resume();
  }

  close(): void {
    this.#resume();
  }

  get isKnown(): boolean {
    return this.#posted !== undefined && this.#classes !== undefined;
  }

  /** Names of all node classes. */
  get classes(): readonly string[] {
    return [...(this.#classes?.keys() ?? [])];
  }

  /** Whether the configuration has a service for this host. */
  has(node: string): boolean {
    return (this.#posted?.get(node)?.length ?? 0) > 0;
  }

  /** Nodes that are there and run what their class says, for the configuration does not name them. */
  get members(): readonly NodeManagerModel[] {
    return this.#nodes()
      .live()
      .filter(([node]) => this.#posted?.has(node) !== true)
      .flatMap(([host, { about }]) => {
        const services = this.#classes?.get(about.nodeClass ?? '');
        return services === undefined ? [] : [{ host, services }];
      });
  }

  /** A class that somebody has posted and whose nodes serve this queue. */
  classOf(queue: string): string | undefined {
    if (!this.#classesPosted) return undefined;
    return [...(this.#classes ?? [])].find(([, services]) => this.#serve(queue, services))?.[0];
  }

  /** Queues that processes of this service may serve on this node: none, unless the configuration gives it the service. */
  queuesOf(node: string, service: string): readonly string[] {
    const isItsOwn = this.#servicesOf(node).some(
      (one) => one.serviceName === service && one.serviceCount > 0,
    );
    return isItsOwn ? this.#queuesOf(service) : [];
  }

  /** Hosts that are to serve this queue. */
  hostsOf(queue: string): readonly string[] {
    const posted = [...(this.#posted ?? [])].map(([host, services]) => ({ host, services }));
    return [...posted, ...this.members]
      .filter(({ services }) => this.#serve(queue, services))
      .map(({ host }) => host);
  }

  /** Whether a service of this name serves this queue wherever it runs. */
  isServedBy(queue: string, service: string): boolean {
    return this.#queuesOf(service).includes(queue) && this.#deps.mayServe(service, queue);
  }

  /** What this node is told of it; undefined: it is not known yet. */
  partOf(node: string): NodeConfiguration | undefined {
    if (!this.isKnown) return undefined;
    const services = this.#servicesOf(node);
    const queues = Object.fromEntries(
      services.map(({ serviceName }) => [serviceName, this.#queuesOf(serviceName)]),
    );
    const text = JSON.stringify([services, queues]);
    return { version: createHash('sha256').update(text).digest('base64url'), services, queues };
  }

  #servicesOf(node: string): readonly ServiceModel[] {
    const posted = this.#posted?.get(node);
    if (posted !== undefined) return posted;
    return this.#classes?.get(this.#nodes().get(node)?.about.nodeClass ?? '') ?? [];
  }

  #serve(queue: string, services: readonly ServiceModel[]): boolean {
    return services.some(
      ({ serviceName, serviceCount }) => serviceCount > 0 && this.isServedBy(queue, serviceName),
    );
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

const byHost = (nodes: readonly NodeManagerModel[]): ReadonlyMap<string, readonly ServiceModel[]> =>
  new Map(nodes.map(({ host, services }) => [host, services]));
