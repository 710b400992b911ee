import { NodeReport } from '../node-manager/node-report.ts';
import type { ConfiguredNodes } from './configured-nodes.ts';
import {
  makeRoom,
  NodesByName,
  refuseUnfit,
  storedNode,
  takeBack,
  type NodeRegistry,
  type NodeRegistryDeps,
  type StoredNode,
  type TakenMessage,
} from './node-registry.ts';
import type { NodeAccess, SyncRequest } from './messages.ts';
import { NumberedCommands } from './numbered-commands.ts';
import { RemoteNode } from './remote-node.ts';
import { aboutOf, versionWarning, type KnownNode } from './rules.ts';

interface Connected {
  readonly remote: RemoteNode;
  readonly commands: NumberedCommands;
  readonly report: NodeReport;
}

/** The nodes of a server with its own store: nodes that have connected since its start. */
export class ConnectedNodes extends NodesByName<Connected> implements NodeRegistry {
  readonly #deps: NodeRegistryDeps;
  readonly #configured: ConfiguredNodes;
  /** Starts of nodes whose earlier starts may still have leases. */
  readonly #owed = new WeakSet<RemoteNode>();

  constructor(deps: NodeRegistryDeps, configured: ConfiguredNodes) {
    super();
    this.#deps = deps;
    this.#configured = configured;
  }

  async take(node: string, access: NodeAccess, message: SyncRequest): Promise<TakenMessage> {
    const { remote, commands, report } = await this.#admit(node, access, message);
    await this.#takeBack(node, remote, message);
    const isNew = remote.take(message);
    if (isNew) commands.settle(message.server, message.done);
    await report.beat();
    return { remote, isNew };
  }

  async leave(node: string, remote: RemoteNode): Promise<void> {
    const connected = this.nodes.get(node);
    if (connected?.remote !== remote) return;
    remote.leave();
    await connected.report.leave();
    if (this.nodes.get(node) === connected) this.nodes.delete(node);
    this.#deps.logger.info({ node }, 'a node has ended');
  }

  /** Does nothing, because there are no other servers. */
  look(): Promise<void> {
    return Promise.resolve();
  }

  refresh(): Promise<readonly StoredNode[]> {
    return Promise.resolve([]);
  }

  async #admit(node: string, access: NodeAccess, message: SyncRequest): Promise<Connected> {
    const stored = this.nodes.has(node) ? undefined : await storedNode(this.#deps, this.#configured, node);
    const current = this.nodes.get(node);
    const known = current === undefined ? stored : this.#knownOf(node, current.remote);
    refuseUnfit(this.#deps, node, access, message, known, this.#configured);
    if (current === undefined) makeRoom(this.nodes, this.#deps.maxNodes);
    if (current?.remote.about.instance === message.instance) return current;
    const connected = this.#begin(node, access, message);
    if (known !== undefined && known.instance !== message.instance) this.#owed.add(connected.remote);
    current?.remote.wake();
    await current?.report.close();
    return connected;
  }

  /** Releases the leases of earlier starts of the node. Each message repeats this until it succeeds. */
  async #takeBack(node: string, remote: RemoteNode, { processes }: SyncRequest): Promise<void> {
    if (!this.#owed.has(remote)) return;
    await takeBack(
      this.#deps,
      node,
      processes.map(({ worker }) => worker),
    );
    this.#owed.delete(remote);
  }

  #begin(node: string, { client }: NodeAccess, message: SyncRequest): Connected {
    const { logger, warn, serverId, version: own } = this.#deps;
    const { version } = message;
    const about = aboutOf(message, client);
    const report = new NodeReport({
      ...this.#deps,
      ...{ node, about, alone: false },
      services: () => remote.services,
    });
    // This start of the node may have been connected before. Then the numbering continues.
    const commands = new NumberedCommands(serverId, message.server === serverId ? message.done : 0);
    const remote: RemoteNode = new RemoteNode({
      ...this.#deps,
      ...{ about, report, commands },
      queuesOf: (service) => this.#configured.queuesOf(node, service),
    });
    const connected = { remote, commands, report };
    this.nodes.set(node, connected);
    logger.info({ node, ...about }, 'a node is connected');
    warn(`version of node ${node}`, versionWarning(node, version, own));
    return connected;
  }

  #knownOf(node: string, { about, silent, left }: RemoteNode): KnownNode {
    return { ...about, silent, left, configured: this.#configured.has(node) };
  }
}
