import { isStreamQueue } from '../../protocol/streams.ts';
import type { QueueFigures } from '../../store/ledger.ts';
import type { ConfiguredNodes } from './configured-nodes.ts';
import type { NodeRegistry } from './node-registry.ts';
import type { DeployedServiceModel } from '../node-manager/node-state.ts';
import { isAble, type RemoteNode } from './remote-node.ts';
import { serviceOfWorker } from './rules.ts';

export interface PlacementDeps {
  /** The server's own node. */
  readonly host: string;
  /** Returns the number of processes of the server's own node that can take work of a queue, now or after a start. */
  ownCapacity(queue: string): number;
  /** True if a component that no node has started has recently asked for work of this queue. */
  servedFromOutside(queue: string): boolean;
  unavailable(queue: string, reason: string): void;
  /** True if a node that does not connect to this server is alive, because it is another server's own node. */
  livesElsewhere(node: string): boolean;
  /** Returns the services of other servers' own nodes. */
  servicesElsewhere(): readonly DeployedServiceModel[];
  /** True if an operator drains the node, so that it gets no new work. */
  isDraining(node: string): boolean;
  /** Announces all waiting work again. */
  announce(): void;
}

export type Figures = Pick<QueueFigures, 'waiting' | 'held'>;

/** Which hosts can do the work of a queue, and the share of each. */
export class NodePlacement {
  readonly #deps: PlacementDeps;
  readonly #nodes: NodeRegistry;
  readonly #configured: ConfiguredNodes;
  /** The connected nodes at the last look. */
  #seen = '';

  constructor(deps: PlacementDeps, nodes: NodeRegistry, configured: ConfiguredNodes) {
    this.#deps = deps;
    this.#nodes = nodes;
    this.#configured = configured;
  }

  /** Announces waiting work again for other nodes, after a node has connected or become silent. Called repeatedly. */
  look(): void {
    const seen = JSON.stringify(this.#live().map(([node]) => node));
    if (seen !== this.#seen) this.#deps.announce();
    this.#seen = seen;
  }

  /** True if a connected node of another host can take work of this queue. `except`: a node that does not count. */
  canServe(queue: string, except?: string): boolean {
    const others = this.#live().filter(([node]) => node !== except);
    return others.some(([, remote]) => remote.serves(queue) || remote.capacity(queue) > 0);
  }

  /** True if no other known node takes work of this queue. */
  isOnlyHere(queue: string): boolean {
    const { host, servicesElsewhere } = this.#deps;
    return (
      servicesElsewhere().length === 0 &&
      this.#configured.hostsOf(queue).every((one) => one === host) &&
      this.#nodes.all().every((remote) => !remote.serves(queue) && remote.capacity(queue) === 0)
    );
  }

  /** True if a process of another host that takes work of this queue is up. */
  serves(queue: string): boolean {
    if (this.#live().some(([, remote]) => remote.serves(queue))) return true;
    return this.#elsewhere(queue).some(({ lastKnownState }) => lastKnownState === 'Running');
  }

  /** True if another server's own node can take work of this queue. */
  isAbleElsewhere(queue: string): boolean {
    return this.#elsewhere(queue).some(isAble);
  }

  #elsewhere(queue: string): readonly DeployedServiceModel[] {
    const services = this.#deps.servicesElsewhere();
    return services.filter(({ name }) => this.#configured.isServedBy(queue, serviceOfWorker(name)));
  }

  /** Returns the reason why work of this queue waits, if other hosts serve it. Returns undefined if they do not. */
  waitingReason(queue: string): string | undefined {
    const hosts = this.#configured.hostsOf(queue).filter((host) => host !== this.#deps.host);
    if (hosts.length === 0) {
      const nodeClass = this.#configured.classOf(queue);
      return nodeClass === undefined ? undefined : `no node of the class ${nodeClass} is connected`;
    }
    if (this.canServe(queue)) return 'its component is starting';
    const away = hosts.find(
      (host) => this.#nodes.get(host)?.silent !== false && !this.#deps.livesElsewhere(host),
    );
    if (away !== undefined) return `the node ${away} is not connected`;
    return this.#isAwaited(queue)
      ? 'its component is starting'
      : `its services on ${hosts[0]} are stopped or cannot be started`;
  }

  /** Returns the number of processes of other hosts that can take work of this queue, now or after a start. */
  capacity(queue: string): number {
    return this.#live().reduce((sum, [, remote]) => sum + remote.capacity(queue), 0);
  }

  /**
   * Handles a node whose services can no longer serve the queue. Its work waits while another node can serve it, or could after it
   * reconnects.
   */
  unavailable(node: string, queue: string, reason: string): void {
    const { host, ownCapacity, servedFromOutside } = this.#deps;
    const servedHere = node !== host && ownCapacity(queue) > 0;
    // The server's own node now takes the streams of this node.
    if (servedHere && isStreamQueue(queue)) this.#deps.announce();
    if (servedHere || servedFromOutside(queue) || this.canServe(queue, node)) return;
    if (this.#isAwaited(queue, node)) return;
    this.#deps.unavailable(queue, reason);
  }

  /** True if a configured host of this queue is not connected, or does not serve the queue yet. `except`: a node that does not count. */
  #isAwaited(queue: string, except?: string): boolean {
    const others = this.#configured.hostsOf(queue).filter((one) => one !== this.#deps.host && one !== except);
    return others.some((one) => {
      const remote = this.#nodes.get(one);
      // Another server decides about its own node.
      if (remote === undefined) return !this.#deps.livesElsewhere(one);
      return remote.silent || !remote.isFor(queue);
    });
  }

  /** True if neither this node nor any connected or awaited node takes work of this queue. */
  isUnserved(queue: string): boolean {
    const { ownCapacity, servedFromOutside } = this.#deps;
    const isServed = ownCapacity(queue) > 0 || servedFromOutside(queue) || this.canServe(queue);
    return !isServed && !this.#isAwaited(queue);
  }

  /**
   * Returns the share of each node. The server's own processes have priority except for streams, then each node gets up to its number of
   * processes.
   */
  shares(queue: string, { waiting, held }: Figures): ReadonlyMap<RemoteNode, number> {
    const shares = new Map<RemoteNode, number>();
    if (waiting === 0) return shares;
    const own = this.#deps.ownCapacity(queue);
    const isServed = own > 0 || this.#deps.servedFromOutside(queue) || this.canServe(queue);
    const isLost = !isServed && !this.#isAwaited(queue);
    // Streams belong to the hosts that are configured to watch them. The server's own node takes the rest.
    let left = waiting + held - (isStreamQueue(queue) ? 0 : own);
    for (const [node, remote] of this.#live()) {
      if (left <= 0) break;
      if (remote.draining || this.#deps.isDraining(node)) continue;
      // If no node can do the work, nodes with unlaunchable services are asked. They try again, or report the failure, so that the work
      // fails.
      const share = Math.min(left, isLost ? remote.unlaunchable(queue) : remote.capacity(queue));
      if (share > 0) shares.set(remote, share);
      left -= share;
    }
    return shares;
  }

  #live() {
    return this.#nodes.live();
  }
}
