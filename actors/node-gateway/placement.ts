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
  /** Processes of the server's own node that can take work of a queue, now or when they are started. */
  ownCapacity(queue: string): number;
  /** Whether a component that no node has started has asked for work of this queue lately. */
  servedFromOutside(queue: string): boolean;
  unavailable(queue: string, reason: string): void;
  /** Whether a node that does not come here was heard of lately all the same: it is another server's own. */
  heardElsewhere(node: string): boolean;
  /** Services of other servers' own nodes. */
  servicesElsewhere(): readonly DeployedServiceModel[];
  /** A node that drains gets no new work. */
  isDraining(node: string): boolean;
  /** Has all work that waits said again. */
  announce(): void;
}

export type Figures = Pick<QueueFigures, 'waiting' | 'held'>;

/** Which hosts can do the work of a queue, and the share of each. */
export class NodePlacement {
  readonly #deps: PlacementDeps;
  readonly #nodes: NodeRegistry;
  readonly #configured: ConfiguredNodes;
  /** The nodes that were connected when somebody looked last. */
  #seen = '';

  constructor(deps: PlacementDeps, nodes: NodeRegistry, configured: ConfiguredNodes) {
    this.#deps = deps;
    this.#nodes = nodes;
    this.#configured = configured;
  }

  /** To be called again and again: what waits for a node that has fallen silent is said again, for others. */
  look(): void {
    const seen = JSON.stringify(this.#live().map(([node]) => node));
    if (seen !== this.#seen) this.#deps.announce();
    this.#seen = seen;
  }

  /** Whether a node of another host that is connected can take work of this queue. `except`: but this one. */
  canServe(queue: string, except?: string): boolean {
    const others = this.#live().filter(([node]) => node !== except);
    return others.some(([, remote]) => remote.serves(queue) || remote.capacity(queue) > 0);
  }

  /** Whether no other node is to do work of this queue, as far as anybody knows. */
  isOnlyHere(queue: string): boolean {
    const { host, servicesElsewhere } = this.#deps;
    return (
      servicesElsewhere().length === 0 &&
      this.#configured.hostsOf(queue).every((one) => one === host) &&
      this.#nodes.all().every((remote) => !remote.serves(queue) && remote.capacity(queue) === 0)
    );
  }

  /** Whether a process of another host that takes work of this queue is up. */
  serves(queue: string): boolean {
    if (this.#live().some(([, remote]) => remote.serves(queue))) return true;
    return this.#elsewhere(queue).some(({ lastKnownState }) => lastKnownState === 'Running');
  }

  /** Whether another server's own node can take work of this queue. */
  isAbleElsewhere(queue: string): boolean {
    return this.#elsewhere(queue).some(isAble);
  }

  #elsewhere(queue: string): readonly DeployedServiceModel[] {
    const services = this.#deps.servicesElsewhere();
    return services.filter(({ name }) => this.#configured.isServedBy(queue, serviceOfWorker(name)));
  }

  /** Why work of this queue waits, as far as other hosts are to serve it; undefined: they are not. */
  waitingReason(queue: string): string | undefined {
    const hosts = this.#configured.hostsOf(queue).filter((host) => host !== this.#deps.host);
    if (hosts.length === 0) {
      const nodeClass = this.#configured.classOf(queue);
      return nodeClass === undefined ? undefined : `no node of the class ${nodeClass} is connected`;
    }
    if (this.canServe(queue)) return 'its component is starting';
    const away = hosts.find(
      (host) => this.#nodes.get(host)?.silent !== false && !this.#deps.heardElsewhere(host),
    );
    if (away !== undefined) return `the node ${away} is not connected`;
    return this.#isAwaited(queue)
      ? 'its component is starting'
      : `its services on ${hosts[0]} are stopped or cannot be started`;
  }

  /** Processes of other hosts that can take work of this queue, now or when they are started. */
  capacity(queue: string): number {
    return this.#live().reduce((sum, [, remote]) => sum + remote.capacity(queue), 0);
  }

  /** No service of this node can serve the queue any more. Its work waits while another node can serve it, or could after it reconnects. */
  unavailable(node: string, queue: string, reason: string): void {
    const { host, ownCapacity, servedFromOutside } = this.#deps;
    const servedHere = node !== host && ownCapacity(queue) > 0;
    // Streams that this node was to watch are for the server's own now.
    if (servedHere && isStreamQueue(queue)) this.#deps.announce();
    if (servedHere || servedFromOutside(queue) || this.canServe(queue, node)) return;
    if (this.#isAwaited(queue, node)) return;
    this.#deps.unavailable(queue, reason);
  }

  /** Whether a host is to serve this queue that is not connected, or has not begun with it yet. `except`: but this one. */
  #isAwaited(queue: string, except?: string): boolean {
    const others = this.#configured.hostsOf(queue).filter((one) => one !== this.#deps.host && one !== except);
    return others.some((one) => {
      const remote = this.#nodes.get(one);
      // For another server's own node that server speaks.
      if (remote === undefined) return !this.#deps.heardElsewhere(one);
      return remote.silent || !remote.isFor(queue);
    });
  }

  /** Whether neither this node nor any that is connected here, or is to be, takes work of this queue. */
  isNobodys(queue: string): boolean {
    const { ownCapacity, servedFromOutside } = this.#deps;
    const isServed = ownCapacity(queue) > 0 || servedFromOutside(queue) || this.canServe(queue);
    return !isServed && !this.#isAwaited(queue);
  }

  /** Processes of the server's own node come first but for streams, then those of the others, as many as there are of each. */
  shares(queue: string, { waiting, held }: Figures): ReadonlyMap<RemoteNode, number> {
    const shares = new Map<RemoteNode, number>();
    if (waiting === 0) return shares;
    const own = this.#deps.ownCapacity(queue);
    const isServed = own > 0 || this.#deps.servedFromOutside(queue) || this.canServe(queue);
    const isLost = !isServed && !this.#isAwaited(queue);
    // Streams are for the hosts that are configured to watch them; the server's own takes what these cannot.
    let left = waiting + held - (isStreamQueue(queue) ? 0 : own);
    for (const [node, remote] of this.#live()) {
      if (left <= 0) break;
      if (remote.draining || this.#deps.isDraining(node)) continue;
      // Where nobody is able to do it, or will be, those are asked that cannot be started: they try again, or say so, and the work fails.
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
