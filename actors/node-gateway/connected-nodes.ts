import type { Logger } from '../../config/logger.ts';
import type { WorkLedger } from '../../store/ledger.ts';
import type { Owner, Store } from '../../store/store.ts';
import type { NodeStates } from '../node-manager/node-state.ts';
import type { Clock } from '../runtime/clock.ts';
import type { ConfiguredNodes } from './configured.ts';
import type { NodeAccess, SyncRequest } from './messages.ts';
import { RemoteNode } from './remote-node.ts';
import {
  nodeOfWorker,
  objectionTo,
  versionWarning,
  wrongOwner,
  type KnownNode,
  type NodeObjection,
} from './rules.ts';

export interface ConnectedNodesDeps {
  /** The server's own node. */
  readonly host: string;
  readonly serverId: string;
  readonly version: string;
  readonly store: Store;
  readonly ledger: WorkLedger;
  readonly owner: Owner;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly states: NodeStates;
  readonly silenceMs: number;
  readonly maxNodes: number;
  /** Takes back what a process held that is gone. */
  gone(worker: string, counted: boolean, reason: string): Promise<unknown>;
  /** Tells administrators as long as it is so; undefined: it is over. */
  warn(about: string, sentence: string | undefined): void;
}

/** What a node was refused, and why. */
export class NodeRefused extends Error {
  readonly objection: NodeObjection;
  constructor(objection: NodeObjection) {
    super(objection.message);
    this.name = 'NodeRefused';
    this.objection = objection;
  }
}

/** The nodes on other hosts that have been heard of since the start of this server, and whom it takes for which of them. */
export class ConnectedNodes {
  readonly #deps: ConnectedNodesDeps;
  readonly #configured: ConfiguredNodes;
  readonly #nodes = new Map<string, RemoteNode>();

  constructor(deps: ConnectedNodesDeps, configured: ConfiguredNodes) {
    this.#deps = deps;
    this.#configured = configured;
  }

  get size(): number {
    return this.#nodes.size;
  }

  get(node: string): RemoteNode | undefined {
    return this.#nodes.get(node);
  }

  all(): readonly RemoteNode[] {
    return [...this.#nodes.values()];
  }

  /** Those that are not silent. */
  live(): readonly (readonly [string, RemoteNode])[] {
    return [...this.#nodes].filter(([, { silent }]) => !silent);
  }

  async leave(node: string, remote: RemoteNode): Promise<void> {
    await remote.leave();
    if (this.#nodes.get(node) === remote) this.#nodes.delete(node);
    this.#deps.logger.info({ node }, 'a node has gone');
  }

  /** The node that sends this message. @throws NodeRefused */
  async admitted(node: string, access: NodeAccess, message: SyncRequest): Promise<RemoteNode> {
    const stored = this.#nodes.has(node) ? undefined : await this.#stored(node);
    const current = this.#nodes.get(node);
    const known = current === undefined ? stored : this.#knownOf(node, current);
    const objection =
      wrongOwner(node, message) ??
      objectionTo(node, message, access, known, this.#deps) ??
      this.#tooMany(node);
    if (objection !== undefined) throw new NodeRefused(objection);
    if (current?.about.instance === message.instance) return current;
    const remote = this.#begin(node, access, message);
    await current?.close();
    if (known !== undefined && known.instance !== message.instance) await this.#takeBack(node);
    return remote;
  }

  #begin(node: string, { client }: NodeAccess, message: SyncRequest): RemoteNode {
    const { logger, warn, serverId, version: own } = this.#deps;
    const { instance, version } = message;
    const done = message.server === serverId ? message.done : 0;
    const about = { instance, version, client };
    const queuesOf = (service: string) => this.#configured.queuesOf(node, service);
    const remote = new RemoteNode({ ...this.#deps, node, about, done, queuesOf });
    this.#nodes.set(node, remote);
    logger.info({ node, ...about }, 'a node is connected');
    warn(`version of node ${node}`, versionWarning(node, version, own));
    return remote;
  }

  async #stored(node: string): Promise<KnownNode | undefined> {
    const seen = await this.#deps.states.seen(node);
    if (seen?.about === undefined) return undefined;
    const { about, silent, seenAt } = seen;
    return { ...about, silent, left: seenAt === 0, configured: this.#configured.has(node) };
  }

  #knownOf(node: string, { about, silent, left }: RemoteNode): KnownNode {
    return { ...about, silent, left, configured: this.#configured.has(node) };
  }

  /** Nodes that are silent make room for others. */
  #tooMany(node: string): NodeObjection | undefined {
    const { maxNodes } = this.#deps;
    if (this.#nodes.has(node) || this.#nodes.size < maxNodes) return undefined;
    for (const [name, { silent }] of this.#nodes) if (silent) this.#nodes.delete(name);
    if (this.#nodes.size < maxNodes) return undefined;
    return { refusal: 'CONFLICT', message: `There are ${maxNodes} nodes already (setting MAX_NODES).` };
  }

  /** What processes of an earlier start held: they have ended with it. */
  async #takeBack(node: string): Promise<void> {
    const leases = await this.#deps.ledger.leases();
    const workers = new Set(leases.map(({ worker }) => worker).filter((one) => nodeOfWorker(one) === node));
    for (const worker of workers) await this.#deps.gone(worker, false, 'its node was started again');
  }
}
