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

/** Servers that share a store, as far as their nodes are concerned. */
export interface OtherServers {
  order(order: NodeOrder): void;
  /** What nodes are to run, as it is stored now: any server may have stored another one. */
  storedConfiguration(): Promise<readonly NodeManagerModel[]>;
  /** The same of node classes. */
  storedClasses(): Promise<NodeClasses>;
}

export interface NodeGatewayDeps extends NodeRegistryDeps, ConfiguredNodesDeps, PlacementDeps {
  /** Absent: this server is alone. */
  readonly others?: OtherServers;
  /** A node of a class has ended in order: nothing that was meant for it is to be found by the next one of its name. */
  onLeave(node: string): Promise<void>;
}

/** A message that is late does not make a node silent. */
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

  /** Takes a message of a node, and waits until there is something for it to do. @throws NodeRefused */
  async sync(node: string, access: NodeAccess, message: SyncRequest, gone: AbortSignal): Promise<SyncAnswer> {
    // With the numbering that it knows already, or it would begin it anew.
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

  /** The process of a node that this token belongs to; undefined: of none that has been heard of here. */
  holderOf(token: string): TokenHolder | undefined {
    const node = nodeOfToken(token);
    const remote = node === undefined ? undefined : this.#nodes.get(node);
    if (remote === undefined || !this.#deps.states.isTokenGood(remote.silenceMs)) return undefined;
    return remote.holderOf(hashToken(token));
  }

  /** The same of what is stored: of a node that has not been heard of since the start of this server, or whose server is another one. */
  async storedHolderOf(token: string): Promise<TokenHolder | undefined> {
    const holder = await this.#deps.states.holderOf(token);
    const node = nodeOfToken(token);
    if (holder === undefined || node === undefined) return undefined;
    // What processes of another server's own node may do that server says.
    if ((await this.#deps.states.findNode(node))?.about === undefined) return holder;
    await this.#configured.settled;
    await this.#nodes.look(node);
    // Its node hears that it is up.
    const known = this.holderOf(token);
    if (known !== undefined) return known;
    return { ...holder, queues: [...this.#configured.queuesOf(node, serviceOfWorker(holder.worker))] };
  }

  /** From now on this is what nodes are to run. */
  configure(nodes: readonly NodeManagerModel[]): void {
    this.#configured.take(nodes);
    for (const remote of this.#nodes.all()) remote.wake();
  }

  /** From now on these are the node classes. */
  configureClasses(classes: NodeClasses): void {
    this.#configured.takeClasses(classes);
    for (const remote of this.#nodes.all()) remote.wake();
  }

  /** Nodes that are connected and run what their class says, for the configuration does not name them. */
  get members(): readonly NodeManagerModel[] {
    return this.#configured.members;
  }

  /** Names of nodes that are connected, by their class. */
  get byClass(): ReadonlyMap<string, readonly string[]> {
    const byClass = new Map<string, readonly string[]>();
    for (const [node, { about }] of this.#nodes.live())
      if (about.nodeClass !== undefined)
        byClass.set(about.nodeClass, [...(byClass.get(about.nodeClass) ?? []), node]);
    return byClass;
  }

  /** Whether the node of this worker is to end soon, as it says itself. */
  isEnding(worker: string): boolean {
    return this.#nodes.get(nodeOfWorker(worker) ?? '')?.draining === true;
  }

  /** Whether a host has been silent to its node's server and to this worker alike, which asked so many milliseconds ago. */
  isSilent(worker: string, askedMs: number): boolean {
    const remote = this.#nodes.get(nodeOfWorker(worker) ?? '');
    return remote?.silent === true && askedMs >= this.#deps.silenceMs;
  }

  /** Work waits: nodes that are to start processes for it are told at once. */
  onOffer(queues: ReadonlyMap<string, Figures>): void {
    if (this.#nodes.size === 0) return;
    for (const [queue, figures] of queues)
      for (const [remote, wanted] of this.placement.shares(queue, figures))
        if (remote.isNews(queue, wanted)) remote.wake();
  }

  /** False: no node on another host has started this worker. */
  kill(worker: string, reason: string): boolean {
    const node = nodeOfWorker(worker);
    const remote = node === undefined ? undefined : this.#nodes.get(node);
    remote?.send({ type: 'kill', worker, reason });
    return remote !== undefined;
  }

  /** There is nothing to do for this worker, which was started for a stream. False: no node on another host has started it. */
  rest(worker: string): boolean {
    const remote = this.#nodes.get(nodeOfWorker(worker) ?? '');
    remote?.send({ type: 'rest', worker });
    return remote !== undefined;
  }

  /** Looks what other servers have heard of all nodes, and tells what is stored of each; of a server that is alone: nothing. */
  refresh(): Promise<readonly StoredNode[]> {
    return this.#nodes.refresh();
  }

  /** What another server has heard of a node, or what concerns all of them. */
  hear(order: NodeOrder): void {
    if (order.type === 'nodeChanged') void this.#nodes.look(order.node).catch(() => undefined);
    else if (order.type === 'lines') this.orders.hear(order);
    else this.#isUnavailable(order);
  }

  /** The nodes that are connected. */
  connectedNodes(): ReadonlyMap<string, Pick<RemoteNode, 'about' | 'installed'>> {
    return new Map(this.#nodes.live());
  }

  /** Nobody is held up any longer. */
  close(): void {
    this.#closed = true;
    this.#configured.close();
    for (const remote of this.#nodes.all()) remote.wake();
  }

  /** At a start nodes come while the configuration is still being read: what they may do is known only then. */
  async #isConfigured(gone: AbortSignal): Promise<boolean> {
    if (this.#configured.isKnown) return true;
    const hungUp = new Promise<void>((resolve) => {
      if (gone.aborted) resolve();
      else gone.addEventListener('abort', () => resolve(), { once: true });
    });
    await Promise.race([this.#configured.settled, hungUp]);
    return this.#configured.isKnown;
  }

  /** The node may have what another server has stored, and this one has not seen: that is not to be taken back. */
  async #lookWhoseIsNewer(node: string, { configuration }: SyncRequest): Promise<void> {
    const { others } = this.#deps;
    if (others === undefined || configuration === '') return;
    if (this.#configured.partOf(node)?.version !== configuration)
      this.#configured.take(await others.storedConfiguration());
    if (this.#configured.partOf(node)?.version !== configuration)
      this.#configured.takeClasses(await others.storedClasses());
  }

  /** Another server may have been given it a moment ago. */
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
      // Whoever has asked for them may have asked another server.
      if (!this.orders.hear(news)) others?.order({ type: 'lines', request, lines });
    } else {
      const order = { type: 'unavailable', node, queue: news.queue, reason: news.reason } as const;
      this.#isUnavailable(order);
      // Each server says for itself that it does not wait for this node.
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
      // What comes while we look wakes us.
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
      // Nobody reads the answer to a node that has hung up.
      commands: gone.aborted ? [] : await remote.commands.give(),
      wanted: Object.fromEntries(wanted),
      ...(await this.#workingOf(node, remote)),
      ...(configuration === undefined || configuration.version === message.configuration
        ? {}
        : { configuration }),
    };
  }

  /** So that a node that is to end knows when it may. One that an operator drains ends by itself when it has come by itself. */
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

  /** How many processes of this node are wanted for what waits, by queue that has work. */
  async #wantedOf(remote: RemoteNode): Promise<ReadonlyMap<string, number>> {
    const wanted = new Map<string, number>();
    for (const [queue, figures] of await this.#deps.ledger.queues())
      if (remote.isFor(queue)) wanted.set(queue, this.placement.shares(queue, figures).get(remote) ?? 0);
    return wanted;
  }
}
