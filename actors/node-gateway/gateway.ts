import type { QueueFigures } from '../../store/ledger.ts';
import type { NodeManagerModel } from '../node-configuration/model.ts';
import type { TokenHolder } from '../node-manager/node-state.ts';
import { hashToken, nodeOfToken } from '../node-manager/tokens.ts';
import { ConfiguredNodes, type ConfiguredNodesDeps } from './configured.ts';
import { ConnectedNodes, type ConnectedNodesDeps } from './connected-nodes.ts';
import type { NodeAccess, NodeNews, SyncAnswer, SyncRequest } from './messages.ts';
import { NodeOrders } from './orders.ts';
import type { RemoteNode } from './remote-node.ts';
import { nodeOfWorker, serviceOfWorker } from './rules.ts';

export interface NodeGatewayDeps extends ConnectedNodesDeps, ConfiguredNodesDeps {
  /** So long after a node was heard of the tokens of its processes are good. */
  readonly tokenMs: number;
  /** Processes of the server's own node that can take work of a queue, now or when they are started. */
  ownCapacity(queue: string): number;
  /** Whether a component that no node has started has asked for work of this queue lately. */
  servedFromOutside(queue: string): boolean;
  unavailable(queue: string, reason: string): void;
  announce(): void;
}

type Figures = Pick<QueueFigures, 'waiting' | 'held'>;

/** A message that is late does not make a node silent. */
const MESSAGES_IN_SILENCE = 4;

/** Where nodes on other hosts come: takes in how they stand, and tells them what to do. */
export class NodeGateway {
  readonly #deps: NodeGatewayDeps;
  readonly #nodes: ConnectedNodes;
  readonly #configured: ConfiguredNodes;
  readonly orders: NodeOrders;
  #closed = false;

  constructor(deps: NodeGatewayDeps) {
    this.#deps = deps;
    this.#configured = new ConfiguredNodes(deps);
    this.#nodes = new ConnectedNodes(deps, this.#configured);
    this.orders = new NodeOrders(deps.clock, (node) => this.#nodes.get(node));
  }

  /** Takes a message of a node, and waits until there is something for it to do. @throws NodeRefused */
  async sync(node: string, access: NodeAccess, message: SyncRequest, gone: AbortSignal): Promise<SyncAnswer> {
    if (!(await this.#isConfigured(gone)))
      return { server: this.#deps.serverId, taken: 0, commands: [], wanted: {} };
    const remote = await this.#nodes.admitted(node, access, message);
    const news = remote.take(message);
    await remote.stored();
    await remote.heard(news, (one) => this.#hear(node, one));
    if (message.leaving) await this.#nodes.leave(node, remote);
    else await this.#untilSomething(node, remote, message, gone);
    return this.#answer(node, remote, message, gone);
  }

  /** The process of a node that this token belongs to; undefined: of none that has been heard of here. */
  holderOf(token: string): TokenHolder | undefined {
    const node = nodeOfToken(token);
    const remote = node === undefined ? undefined : this.#nodes.get(node);
    if (remote === undefined || remote.silenceMs >= this.#deps.tokenMs) return undefined;
    return remote.holderOf(hashToken(token));
  }

  /** The same of what is stored: of a node that has not been heard of since the start of this server, or whose server is another one. */
  async storedHolderOf(token: string): Promise<TokenHolder | undefined> {
    const holder = await this.#deps.states.holderOf(token);
    const node = nodeOfToken(token);
    if (holder === undefined || node === undefined) return undefined;
    // What processes of another server's own node may do that server says.
    if ((await this.#deps.states.seen(node))?.about === undefined) return holder;
    await this.#configured.settled;
    return { ...holder, queues: [...this.#configured.queuesOf(node, serviceOfWorker(holder.worker))] };
  }

  /** From now on this is what nodes are to run. */
  configure(nodes: readonly NodeManagerModel[]): void {
    this.#configured.take(nodes);
    for (const remote of this.#nodes.all()) remote.wake();
  }

  /** Work waits: nodes that are to start processes for it are told at once. */
  offered(queues: ReadonlyMap<string, Figures>): void {
    if (this.#nodes.size === 0) return;
    for (const [queue, figures] of queues)
      for (const [remote, wanted] of this.#shares(queue, figures))
        if (remote.isNews(queue, wanted)) remote.wake();
  }

  /** False: no node that is connected here has started this worker. */
  kill(worker: string, reason: string): boolean {
    const node = nodeOfWorker(worker);
    const remote = node === undefined ? undefined : this.#nodes.get(node);
    remote?.send({ type: 'kill', worker, reason });
    return remote !== undefined;
  }

  /** Whether a node of another host that is connected can take work of this queue. `except`: but this one. */
  canServe(queue: string, except?: string): boolean {
    const others = this.#nodes.live().filter(([node]) => node !== except);
    return others.some(([, remote]) => remote.serves(queue) || remote.capacity(queue) > 0);
  }

  /** Whether a process of another host that takes work of this queue is up. */
  serves(queue: string): boolean {
    return this.#nodes.live().some(([, remote]) => remote.serves(queue));
  }

  /** Why work of this queue waits, as far as other hosts are to serve it; undefined: they are not. */
  waitingReason(queue: string): string | undefined {
    const hosts = this.#configured.hostsOf(queue).filter((host) => host !== this.#deps.host);
    if (hosts.length === 0) return undefined;
    if (this.canServe(queue)) return 'starting';
    const away = hosts.find((host) => this.#nodes.get(host)?.silent !== false);
    if (away !== undefined) return `the node ${away} is not connected`;
    return this.#isAwaited(queue)
      ? 'starting'
      : `its services on ${hosts[0]} are stopped or cannot be started`;
  }

  /** The nodes that are connected. */
  connected(): ReadonlyMap<string, Pick<RemoteNode, 'about' | 'installed'>> {
    return new Map(this.#nodes.live());
  }

  /** No service of this node can serve a queue any more; its work waits as long as any other can, or could if it were not away. */
  unavailable(node: string, queue: string, reason: string): void {
    const { host, ownCapacity, servedFromOutside } = this.#deps;
    const servedHere = node !== host && ownCapacity(queue) > 0;
    if (servedHere || servedFromOutside(queue) || this.canServe(queue, node)) return;
    if (this.#isAwaited(queue, node)) return;
    this.#deps.unavailable(queue, reason);
  }

  /** Whether a host is to serve this queue that is not connected, or has not begun with it yet. `except`: but this one. */
  #isAwaited(queue: string, except?: string): boolean {
    const others = this.#configured.hostsOf(queue).filter((one) => one !== this.#deps.host && one !== except);
    return others.some((one) => {
      const remote = this.#nodes.get(one);
      return remote === undefined || remote.silent || !remote.isFor(queue);
    });
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

  async #hear(node: string, news: NodeNews): Promise<void> {
    if (news.what === 'gone') await this.#deps.gone(news.worker, news.counted, news.reason);
    else if (news.what === 'configured') this.#deps.announce();
    else if (news.what === 'lines') this.orders.hear(news);
    else if (this.#configured.hostsOf(news.queue).includes(node))
      this.unavailable(node, news.queue, news.reason);
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
    if (remote.commands.all.some(({ number }) => server !== this.#deps.serverId || number > done))
      return true;
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
      server: this.#deps.serverId,
      taken: remote.taken,
      // Nobody reads the answer to a node that has hung up.
      commands: gone.aborted ? [] : remote.commands.give(),
      wanted: Object.fromEntries(wanted),
      ...(configuration === undefined || configuration.version === message.configuration
        ? {}
        : { configuration }),
    };
  }

  /** How many processes of this node are wanted for what waits, by queue that has work. */
  async #wantedOf(remote: RemoteNode): Promise<ReadonlyMap<string, number>> {
    const wanted = new Map<string, number>();
    for (const [queue, figures] of await this.#deps.ledger.queues())
      if (remote.isFor(queue)) wanted.set(queue, this.#shares(queue, figures).get(remote) ?? 0);
    return wanted;
  }

  /** Processes of the server's own node come first, then those of the others, as many as there are of each. */
  #shares(queue: string, { waiting, held }: Figures): ReadonlyMap<RemoteNode, number> {
    const shares = new Map<RemoteNode, number>();
    if (waiting === 0) return shares;
    const own = this.#deps.ownCapacity(queue);
    const isServed = own > 0 || this.#deps.servedFromOutside(queue) || this.canServe(queue);
    const isLost = !isServed && !this.#isAwaited(queue);
    let left = waiting + held - own;
    for (const [, remote] of this.#nodes.live()) {
      if (left <= 0) break;
      // Where nobody is able to do it, or will be, those are asked that cannot be started: they try again, or say so, and the work fails.
      const share = Math.min(left, isLost ? remote.unlaunchable(queue) : remote.capacity(queue));
      if (share > 0) shares.set(remote, share);
      left -= share;
    }
    return shares;
  }
}
