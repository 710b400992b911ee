import { createHash } from 'node:crypto';
import { MEDIA_QUEUES } from '../../protocol/worker-protocol.ts';
import type { NodeClasses, NodeManagerModel, ServiceModel } from '../node-configuration/model.ts';
import type { NodeConfiguration } from './messages.ts';
import type { NodeAbout } from '../node-manager/node-state.ts';

export interface ConfiguredNodesDeps {
  /** All components except the server's own services, which no other node may run. */
  readonly components: readonly { readonly queues: readonly string[]; readonly model: ServiceModel }[];
  /** Returns the queue of a registered component. */
  registeredQueue(component: string): string | undefined;
  /** True if the processes of a service may do the work of a queue now. Other services may not serve a registered component. */
  mayServe(service: string, queue: string): boolean;
}

/** The nodes that this server knows, with their classes. */
interface HeardNodes {
  get(node: string): { readonly about: NodeAbout } | undefined;
  /** Returns the nodes that are not silent. */
  live(): readonly (readonly [string, { readonly about: NodeAbout }])[];
}

/** Queues of the server's own media component. No other component may serve them. */
const OWN_QUEUES: readonly string[] = Object.values(MEDIA_QUEUES);

/**
 * The services that the configuration gives to hosts, and node classes to their nodes. Determines which queues their processes may serve.
 */
export class ConfiguredNodes {
  readonly #deps: ConfiguredNodesDeps;
  readonly #nodes: () => HeardNodes;
  /** Undefined until it is read. */
  #posted: ReadonlyMap<string, readonly ServiceModel[]> | undefined;
  #classes: ReadonlyMap<string, readonly ServiceModel[]> | undefined;
  /** True if the classes were posted, so that the server waits for their nodes. */
  #classesPosted = false;
  #resume = () => {};
  /** Settles when configuration and classes are read, or this object is closed. */
  readonly settled = new Promise<void>((resolve) => (this.#resume = resolve));

  constructor(deps: ConfiguredNodesDeps, nodes: () => HeardNodes) {
    this.#deps = deps;
    this.#nodes = nodes;
  }

  /** Sets the configuration. */
  take(nodes: readonly NodeManagerModel[]): void {
    this.#posted = byHost(nodes);
    if (this.isKnown) this.#resume();
  }

  /** Sets the node classes. */
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

  /** True if the configuration has a service for this host. */
  has(node: string): boolean {
    return (this.#posted?.get(node)?.length ?? 0) > 0;
  }

  /** Live nodes that the configuration does not name, with the services of their class. */
  get members(): readonly NodeManagerModel[] {
    return this.#nodes()
      .live()
      .filter(([node]) => this.#posted?.has(node) !== true)
      .flatMap(([host, { about }]) => {
        const services = this.#classes?.get(about.nodeClass ?? '');
        return services === undefined ? [] : [{ host, services }];
      });
  }

  /** Returns a posted class whose nodes serve this queue. */
  classOf(queue: string): string | undefined {
    if (!this.#classesPosted) return undefined;
    return [...(this.#classes ?? [])].find(([, services]) => this.#serve(queue, services))?.[0];
  }

  /**
   * Returns the queues that processes of this service may serve on this node. Returns none unless the configuration gives the service to
   * the node.
   */
  queuesOf(node: string, service: string): readonly string[] {
    const isItsOwn = this.#servicesOf(node).some(
      (one) => one.serviceName === service && one.serviceCount > 0,
    );
    return isItsOwn ? this.#queuesOf(service) : [];
  }

  /** Returns the hosts that are configured to serve this queue. */
  hostsOf(queue: string): readonly string[] {
    const posted = [...(this.#posted ?? [])].map(([host, services]) => ({ host, services }));
    return [...posted, ...this.members]
      .filter(({ services }) => this.#serve(queue, services))
      .map(({ host }) => host);
  }

  /** True if a service of this name serves this queue on any host. */
  isServedBy(queue: string, service: string): boolean {
    return this.#queuesOf(service).includes(queue) && this.#deps.mayServe(service, queue);
  }

  /** Returns the configuration for this node, or undefined if it is not known yet. */
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

  /** Returns the queues that a service of this name serves on any host except the server's own. */
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
