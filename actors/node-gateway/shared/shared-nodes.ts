import {
  allEntries,
  commitAfter,
  newCommitId,
  VersionConflict,
  type Committed,
  type StoredActor,
} from '../../../store/store.ts';
import {
  bodyOf,
  NODE_SCHEMA,
  nodeKey,
  NODES,
  type NodeBody,
  type StoredLink,
} from '../../node-manager/node-state.ts';
import { delay } from '../../basics/clock.ts';
import { TransientError } from '../../basics/errors.ts';
import type { ConfiguredNodes } from '../configured-nodes.ts';
import {
  makeRoom,
  NodesByName,
  refuseUnfit,
  takeBack,
  type NodeRegistry,
  type NodeRegistryDeps,
  type StoredNode,
  type TakenMessage,
} from '../node-registry.ts';
import type { NodeAccess, SyncRequest } from '../messages.ts';
import { RemoteNode } from '../remote-node.ts';
import { versionWarning, type KnownNode } from '../rules.ts';
import { StoredCommands } from './stored-commands.ts';
import { bodyAfter, isLinked, isOtherwise, toldBy, type LinkedBody } from './stored-node.ts';

export interface SharedNodesDeps extends NodeRegistryDeps {
  /** Makes all servers read the stored state of this node. */
  tellOthers(node: string): void;
}

interface Shown {
  readonly remote: RemoteNode;
  readonly commands: StoredCommands;
  readonly commit: Committed;
  readonly seenAt: number;
}

/** Maximum number of attempts to change a node, because other servers may commit first. */
const TRIES = 50;
const LONGEST_PAUSE_MS = 20;

/**
 * The nodes of servers that share a store. Any of them receives the messages of a node. Reports and orders are stored, and each server
 * shows them.
 */
export class SharedNodes extends NodesByName<Shown> implements NodeRegistry {
  readonly #deps: SharedNodesDeps;
  readonly #configured: ConfiguredNodes;

  constructor(deps: SharedNodesDeps, configured: ConfiguredNodes) {
    super();
    this.#deps = deps;
    this.#configured = configured;
  }

  async take(node: string, access: NodeAccess, message: SyncRequest): Promise<TakenMessage> {
    let before: NodeBody | undefined;
    let isNew = false;
    const body = await this.#change(node, (stored) => {
      before = stored;
      refuseUnfit(this.#deps, node, access, message, this.#knownOf(node, stored), this.#configured);
      if (stored === undefined || !this.nodes.has(node)) makeRoom(this.nodes, this.#deps.maxNodes);
      const next = bodyAfter(access, message, stored, this.#deps.clock.now());
      isNew = next !== undefined;
      return next;
    });
    // Read before the next await, because a refresh of all nodes may remove the node.
    const { remote } = this.nodes.get(node)!;
    const isBegun = before?.about?.instance !== message.instance;
    if (isBegun) this.#noteStart(node, body as LinkedBody);
    if (isLinked(body) && body.link.takenBack === false) await this.#takeBack(node, body);
    if (isNew && isOtherwise(before, body)) this.#deps.tellOthers(node);
    return { remote, isNew };
  }

  leave(node: string, remote: RemoteNode): Promise<void> {
    remote.leave();
    if (this.get(node) === remote) this.nodes.delete(node);
    this.#deps.logger.info({ node }, 'a node has ended');
    return Promise.resolve();
  }

  async refresh(): Promise<readonly StoredNode[]> {
    const before = new Map(this.nodes);
    const stored = new Map<string, number>();
    for await (const { id, score } of allEntries(this.#deps.store, NODES)) stored.set(id, score);
    // A node that connected or sent a message in the meantime may have been stored after the list was read.
    for (const [name, shown] of before)
      if (!stored.has(name) && this.nodes.get(name) === shown) this.#forget(name);
    return Promise.all(
      [...stored].map(async ([node, heardAt]) => {
        const isOwn = node === this.#deps.host;
        return { node, heardAt, body: isOwn ? undefined : await this.#look(node) };
      }),
    );
  }

  async look(node: string): Promise<void> {
    await this.#look(node);
  }

  async #look(node: string): Promise<NodeBody | undefined> {
    const known = this.nodes.get(node);
    const stored = await this.#deps.store.load(nodeKey(node));
    const body = bodyOf(stored);
    if (stored === undefined || !isLinked(body)) return body;
    if (body.seenAt === 0) this.#forget(node);
    else this.#show(node, body, stored, known);
    return body;
  }

  /** Removes a node that has ended, or that has been silent for long. */
  #forget(node: string): void {
    this.get(node)?.leave();
    this.get(node)?.wake();
    this.nodes.delete(node);
  }

  #noteStart(node: string, { about }: LinkedBody): void {
    const { logger, warn, version } = this.#deps;
    logger.info({ node, ...about }, 'a node is connected');
    warn(`version of node ${node}`, versionWarning(node, about.version, version));
  }

  /** Releases the leases of earlier starts of the node. Each message repeats this until it succeeds, at any server. */
  async #takeBack(node: string, { about, link }: LinkedBody): Promise<void> {
    await takeBack(
      this.#deps,
      node,
      link.processes.map(({ worker }) => worker),
    );
    await this.#changeLink(node, about.instance, (now) =>
      now.takenBack === false ? { ...now, takenBack: true } : undefined,
    );
  }

  #knownOf(node: string, body: NodeBody | undefined): KnownNode | undefined {
    if (body?.about === undefined) return undefined;
    const { about, seenAt } = body;
    const silent = this.#deps.states.isSilent(body);
    return { ...about, silent, left: seenAt === 0, configured: this.#configured.has(node) };
  }

  /**
   * Stores the result of `next` for the stored state, and shows it. If `next` returns undefined, nothing changes. Returns the state that is
   * then stored.
   * @throws TransientError if other servers commit first each time
   */
  async #change(
    node: string,
    next: (body: NodeBody | undefined) => NodeBody | undefined,
  ): Promise<NodeBody | undefined> {
    const { store, clock } = this.#deps;
    for (let tries = 0; tries < TRIES; tries++) {
      const known = this.nodes.get(node);
      const stored = await store.load(nodeKey(node));
      const before = bodyOf(stored);
      const body = next(before);
      try {
        const commit = body === undefined ? stored : await this.#commit(node, stored, body);
        const shown = body ?? before;
        if (commit !== undefined && isLinked(shown)) this.#show(node, shown, commit, known);
        return shown;
      } catch (error) {
        if (!(error instanceof VersionConflict)) throw error;
        await delay(clock, Math.random() * LONGEST_PAUSE_MS);
      }
    }
    throw new TransientError(`The state of the node ${node} could not be stored.`);
  }

  async #commit(node: string, stored: StoredActor | undefined, body: NodeBody): Promise<Committed> {
    const { store, owner, clock } = this.#deps;
    const commit = newCommitId();
    const version = await store.commit({
      actor: nodeKey(node),
      ...commitAfter(stored),
      id: commit,
      owner,
      snapshot: { schema: NODE_SCHEMA, body },
      index: { [NODES]: body.seenAt === 0 ? clock.now() : body.seenAt },
      ...(stored === undefined ? { record: { node } } : {}),
    });
    return { version, commit };
  }

  /**
   * Updates the state of a node in memory, unless this server has learned something newer since it began to read, when it had `before`. If
   * the known state has not changed since then, the read state is newer whatever its version. A store that lost its last commits uses the
   * same versions again.
   */
  #show(node: string, body: LinkedBody, commit: Committed, before: Shown | undefined): void {
    const { about, link, services, seenAt } = body;
    const known = this.nodes.get(node);
    if (known?.commit.commit === commit.commit) return;
    if (known !== undefined && known !== before && commit.version <= known.commit.version) return;
    const isSame = known?.remote.about.instance === about.instance;
    const { remote, commands } = isSame ? known : this.#first(node, body);
    this.nodes.set(node, { remote, commands, commit, seenAt });
    if (!isSame) known?.remote.wake();
    remote.take({ ...toldBy(link), services });
    if (!isSame || known.seenAt !== seenAt) remote.noteHeard(Math.max(0, this.#deps.clock.now() - seenAt));
    commands.show(link);
    remote.wake();
  }

  /** Returns the objects for another start of the node. Clears the version warning of the start before. */
  #first(node: string, { about, link }: LinkedBody): Pick<Shown, 'remote' | 'commands'> {
    this.#deps.warn(`version of node ${node}`, undefined);
    const commands = new StoredCommands(link, (next) => this.#changeLink(node, about.instance, next));
    const remote = new RemoteNode({
      ...this.#deps,
      ...{ about, commands },
      queuesOf: (service) => this.#configured.queuesOf(node, service),
    });
    return { remote, commands };
  }

  async #changeLink(
    node: string,
    instance: string,
    next: (link: StoredLink) => StoredLink | undefined,
  ): Promise<StoredLink | undefined> {
    let changed: StoredLink | undefined;
    await this.#change(node, (body) => {
      changed = isLinked(body) && body.about.instance === instance ? next(body.link) : undefined;
      return changed === undefined ? undefined : { ...body!, link: changed };
    });
    if (changed !== undefined) this.#deps.tellOthers(node);
    return changed;
  }
}
