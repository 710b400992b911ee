import { isStreamQueue } from '../../protocol/streams.ts';
import type { NodeClasses, NodeManagerModel } from '../node-configuration/model.ts';
import type { TokenHolder } from '../node-manager/node-state.ts';
import { hashToken, nodeOfToken } from '../node-manager/tokens.ts';
import { ConfiguredNodes, type ConfiguredNodesDeps } from './configured-nodes.ts';
import { ConnectedNodes } from './connected-nodes.ts';
import type { NodeRegistry, NodeRegistryDeps, StoredNode } from './node-registry.ts';
import type { NodeAccess, NodeNews, SyncAnswer, SyncRequest } from './messages.ts';
import type { NodeOrder } from '../cluster/cluster.ts';
import { NodeOrders } from './orders.ts';
import { NodePlacement, type Figures, type PlacementDeps } from './placement.ts';
import type { RemoteNode } from './remote-node.ts';
import { nodeOfWorker, serviceOfWorker } from './rules.ts';
import { SharedNodes } from './shared/shared-nodes.ts';

/** Other servers that share the store, for messages about nodes. */
export interface OtherServers {
  order(order: NodeOrder): void;
  /** Returns the stored node configuration, which any server may have changed. */
  storedConfiguration(): Promise<readonly NodeManagerModel[]>;
  /** Returns the stored node classes, which any server may have changed. */
  storedClasses(): Promise<NodeClasses>;
}

export interface NodeGatewayDeps extends NodeRegistryDeps, ConfiguredNodesDeps, PlacementDeps {
  /** Undefined if this server is alone. */
  readonly others?: OtherServers;
  /** Called when a node of a class has ended in order, so that the next node of its name inherits nothing. */
  onLeave(node: string): Promise<void>;
}

/** Number of messages within the silence time, so that one late message does not make a node silent. */
const MESSAGES_IN_SILENCE = 4;

/** Receives the state of nodes on other hosts and sends them their orders. */
export class NodeGateway {
  readonly #deps: NodeGatewayDeps;
  readonly #nodes: NodeRegistry;
  readonly #configured: ConfiguredNodes;
  readonly orders: NodeOrders;
  readonly placement: NodePlacement;
  #closed = false;

  constructor(deps: NodeGatewayDeps) {
    this.#deps = deps;
    this.#configured = new ConfiguredNodes(deps, () => this.#nodes);
    const { others } = deps;
    const tellOthers = (node: string) => others?.order({ type: 'nodeChanged', node });
    this.#nodes =
      others === undefined
        ? new ConnectedNodes(deps, this.#configured)
        : new SharedNodes({ ...deps, tellOthers }, this.#configured);
    this.orders = new NodeOrders(deps.clock, (node) => this.#nodes.get(node));
    this.placement = new NodePlacement(deps, this.#nodes, this.#configured);
  }

  /** Handles a message of a node, and waits until there is something for the node to do. @throws NodeRefused */
  async sync(node: string, access: NodeAccess, message: SyncRequest, gone: AbortSignal): Promise<SyncAnswer> {
    // Returns the numbering that the node already knows, because another value would start a new numbering.
    if (!(await this.#isConfigured(gone)))
      return { server: message.server || this.#deps.serverId, taken: 0, commands: [], wanted: {} };
    await this.#lookForClass(message);
    const { remote, isNew } = await this.#nodes.take(node, access, message);
    await this.#lookWhoseIsNewer(node, message);
    if (isNew) await remote.hear(message.news, (one) => this.#hear(node, one));
    if (message.leaving) await this.#leave(node, remote);
    else await this.#untilSomething(node, remote, message, gone);
    return this.#answer(node, remote, message, gone);
  }

  /** Returns the process of a node with this token. Returns undefined if no node in memory has such a process. */
  holderOf(token: string): TokenHolder | undefined {
    const node = nodeOfToken(token);
    const remote = node === undefined ? undefined : this.#nodes.get(node);
    if (remote === undefined || !this.#deps.states.isTokenGood(remote.silenceMs)) return undefined;
    return remote.holderOf(hashToken(token));
  }

  /**
   * Returns the stored process with this token. Its node may not have connected since the start of this server, or may belong to another
   * server.
   */
  async storedHolderOf(token: string): Promise<TokenHolder | undefined> {
    const holder = await this.#deps.states.holderOf(token);
    const node = nodeOfToken(token);
    if (holder === undefined || node === undefined) return undefined;
    // The server of such a node has stored the queues that its processes may serve.
    if ((await this.#deps.states.findNode(node))?.about === undefined) return holder;
    await this.#configured.settled;
    await this.#nodes.look(node);
    // `holderOf` also informs the node that the process is up.
    const known = this.holderOf(token);
    if (known !== undefined) return known;
    return { ...holder, queues: [...this.#configured.queuesOf(node, serviceOfWorker(holder.worker))] };
  }

  /** Sets what nodes run, and wakes all nodes. */
  configure(nodes: readonly NodeManagerModel[]): void {
    this.#configured.take(nodes);
    for (const remote of this.#nodes.all()) remote.wake();
  }

  /** Sets the node classes, and wakes all nodes. */
  configureClasses(classes: NodeClasses): void {
    this.#configured.takeClasses(classes);
    for (const remote of this.#nodes.all()) remote.wake();
  }

  /** Connected nodes that the configuration does not name, with the services of their class. */
  get members(): readonly NodeManagerModel[] {
    return this.#configured.members;
  }

  /** Names of connected nodes, by their class. */
  get byClass(): ReadonlyMap<string, readonly string[]> {
    const byClass = new Map<string, readonly string[]>();
    for (const [node, { about }] of this.#nodes.live())
      if (about.nodeClass !== undefined)
        byClass.set(about.nodeClass, [...(byClass.get(about.nodeClass) ?? []), node]);
    return byClass;
  }

  /** True if the node of this worker reports that it drains. */
  isEnding(worker: string): boolean {
    return this.#nodes.get(nodeOfWorker(worker) ?? '')?.draining === true;
  }

  /** True if both the node and this worker are silent. `askedMs`: milliseconds since the last request of the worker. */
  isSilent(worker: string, askedMs: number): boolean {
    const remote = this.#nodes.get(nodeOfWorker(worker) ?? '');
    return remote?.silent === true && askedMs >= this.#deps.silenceMs;
  }

  /** Wakes nodes that must start processes for waiting work. */
  onOffer(queues: ReadonlyMap<string, Figures>): void {
    if (this.#nodes.size === 0) return;
    for (const [queue, figures] of queues)
      for (const [remote, wanted] of this.placement.shares(queue, figures))
        if (remote.isNews(queue, wanted)) remote.wake();
  }

  /** Orders the node of this worker to kill it. Returns false if no node on another host has started this worker. */
  kill(worker: string, reason: string): boolean {
    const node = nodeOfWorker(worker);
    const remote = node === undefined ? undefined : this.#nodes.get(node);
    remote?.send({ type: 'kill', worker, reason });
    return remote !== undefined;
  }

  /**
   * Informs the node that this worker, which was started for a stream, has nothing to do. Returns false if no node on another host has
   * started it.
   */
  rest(worker: string): boolean {
    const remote = this.#nodes.get(nodeOfWorker(worker) ?? '');
    remote?.send({ type: 'rest', worker });
    return remote !== undefined;
  }

  /** Reads the state that other servers have stored of all nodes, and returns it. A server that is alone returns nothing. */
  refresh(): Promise<readonly StoredNode[]> {
    return this.#nodes.refresh();
  }

  /** Handles an order of another server about one node or all nodes. */
  hear(order: NodeOrder): void {
    if (order.type === 'nodeChanged') void this.#nodes.look(order.node).catch(() => undefined);
    else if (order.type === 'lines') this.orders.hear(order);
    else this.#isUnavailable(order);
  }

  /** Returns the connected nodes. */
  connectedNodes(): ReadonlyMap<string, Pick<RemoteNode, 'about' | 'installed'>> {
    return new Map(this.#nodes.live());
  }

  /** Ends all waits. */
  close(): void {
    this.#closed = true;
    this.#configured.close();
    for (const remote of this.#nodes.all()) remote.wake();
  }

  /** True once the configuration is known. At a start, nodes may connect before the server has read it. */
  async #isConfigured(gone: AbortSignal): Promise<boolean> {
    if (this.#configured.isKnown) return true;
    const hungUp = new Promise<void>((resolve) => {
      if (gone.aborted) resolve();
      else gone.addEventListener('abort', () => resolve(), { once: true });
    });
    await Promise.race([this.#configured.settled, hungUp]);
    return this.#configured.isKnown;
  }

  /**
   * Reads the stored configuration if the node has a different one. Another server may have stored a newer one, which must not be reverted.
   */
  async #lookWhoseIsNewer(node: string, { configuration }: SyncRequest): Promise<void> {
    const { others } = this.#deps;
    if (others === undefined || configuration === '') return;
    if (this.#configured.partOf(node)?.version !== configuration)
      this.#configured.take(await others.storedConfiguration());
    if (this.#configured.partOf(node)?.version !== configuration)
      this.#configured.takeClasses(await others.storedClasses());
  }

  /** Reads the stored classes if the class is unknown, because another server may have stored it a moment ago. */
  async #lookForClass({ nodeClass }: SyncRequest): Promise<void> {
    const { others } = this.#deps;
    if (others === undefined || nodeClass === undefined || this.#configured.classes.includes(nodeClass))
      return;
    this.#configured.takeClasses(await others.storedClasses());
  }

  async #leave(node: string, remote: RemoteNode): Promise<void> {
    await this.#nodes.leave(node, remote);
    if (remote.about.nodeClass !== undefined) await this.#deps.onLeave(node);
  }

  async #hear(node: string, news: NodeNews): Promise<void> {
    const { releaseWorker, announce, others } = this.#deps;
    if (news.what === 'gone') await releaseWorker(news.worker, news.counted, news.reason);
    else if (news.what === 'configured') announce();
    else if (news.what === 'lines') {
      const { request, lines } = news;
      // Another server may have sent the request.
      if (!this.orders.hear(news)) others?.order({ type: 'lines', request, lines });
    } else {
      const order = { type: 'unavailable', node, queue: news.queue, reason: news.reason } as const;
      this.#isUnavailable(order);
      // Each server decides for itself whether it still waits for this node.
      others?.order(order);
    }
  }

  #isUnavailable({ node, queue, reason }: Extract<NodeOrder, { readonly type: 'unavailable' }>): void {
    if (this.#configured.hostsOf(queue).includes(node)) this.placement.unavailable(node, queue, reason);
  }

  async #untilSomething(
    node: string,
    remote: RemoteNode,
    message: SyncRequest,
    gone: AbortSignal,
  ): Promise<void> {
    const { clock, silenceMs } = this.#deps;
    const until = clock.steady() + Math.min(message.waitMs, silenceMs / MESSAGES_IN_SILENCE);
    for (;;) {
      // Events after this call wake the wait below.
      remote.look();
      if (await this.#hasSomething(node, remote, message)) return;
      const left = until - clock.steady();
      if (left <= 0 || gone.aborted || this.#closed || remote.isOver(message.turn)) return;
      await remote.wait(left, gone);
    }
  }

  async #hasSomething(
    node: string,
    remote: RemoteNode,
    { done, server, configuration }: SyncRequest,
  ): Promise<boolean> {
    const { all, numbering } = remote.commands;
    if (all.some(({ number }) => server !== numbering || number > done)) return true;
    const wanted = this.#configured.partOf(node);
    if (wanted !== undefined && wanted.version !== configuration) return true;
    return [...(await this.#wantedOf(remote))].some(([queue, count]) => remote.isNews(queue, count));
  }

  async #answer(
    node: string,
    remote: RemoteNode,
    message: SyncRequest,
    gone: AbortSignal,
  ): Promise<SyncAnswer> {
    const configuration = this.#configured.partOf(node);
    const wanted = await this.#wantedOf(remote);
    remote.tell(wanted);
    return {
      server: remote.commands.numbering,
      taken: remote.taken,
      // A disconnected node does not read the answer, so it is given no commands.
      commands: gone.aborted ? [] : await remote.commands.give(),
      wanted: Object.fromEntries(wanted),
      ...(await this.#workingOf(node, remote)),
      ...(configuration === undefined || configuration.version === message.configuration
        ? {}
        : { configuration }),
    };
  }

  /**
   * Returns the number of leases of a draining node, so that the node knows when it may end. A node that an operator drains ends by itself
   * only if it has a class.
   */
  async #workingOf(node: string, remote: RemoteNode): Promise<Pick<SyncAnswer, 'working'>> {
    const { ledger, isDraining } = this.#deps;
    const isToEnd = remote.draining || (remote.about.nodeClass !== undefined && isDraining(node));
    if (!isToEnd) return {};
    const leases = await ledger.leases();
    const working = leases.filter(
      ({ worker, item }) => nodeOfWorker(worker) === node && !isStreamQueue(item.queue),
    ).length;
    return { working };
  }

  /** Returns the number of processes of this node that are wanted for waiting work, by queue that has work. */
  async #wantedOf(remote: RemoteNode): Promise<ReadonlyMap<string, number>> {
    const wanted = new Map<string, number>();
    for (const [queue, figures] of await this.#deps.ledger.queues())
      if (remote.isFor(queue)) wanted.set(queue, this.placement.shares(queue, figures).get(remote) ?? 0);
    return wanted;
  }
}
