/**
 * The stored report of a node, so that any server shows its services and accepts the tokens of its processes. Each node has one actor,
 * which only the node writes. A token is a row of its node and is valid while the node sends heartbeats. The first report of a new start
 * removes all earlier tokens.
 */
import { z } from 'zod';
import {
  allEntries,
  commitAfter,
  VersionConflict,
  type ActorKey,
  type Owner,
  type Store,
  type StoredActor,
} from '../../store/store.ts';
import type { Clock } from '../basics/clock.ts';
import { SERVICE_STATUSES } from '../service/state.ts';
import { hashToken, nodeOfToken } from './tokens.ts';

export const NODE = 'node';
export const NODE_SCHEMA = 1;
export const TOKENS = 'token/';
/** Index of nodes by the time of their last heartbeat. */
export const NODES = 'nodes';

/** Specification 2.4, DeployedServiceModel. */
const deployedService = z.object({
  /** `<host>:<service>:<n>` */
  name: z.string(),
  kind: z.enum(['simple', 'generic']),
  rank: z.number(),
  serviceCount: z.number(),
  lastKnownState: z.enum(SERVICE_STATUSES),
  restartCount: z.number(),
  unlaunchable: z.boolean(),
});
export type DeployedServiceModel = Readonly<z.infer<typeof deployedService>>;

/** Identifies the start of a node and its client. A server's own node has none. */
const aboutSchema = z.object({
  instance: z.string(),
  version: z.string(),
  client: z.string(),
  /** If undefined, the node runs what the node configuration gives to its name. */
  nodeClass: z.string().optional(),
});
export type NodeAbout = Readonly<z.infer<typeof aboutSchema>>;

/** State of the messages of a node on another host. Servers that share a store use it, because any of them may receive the next message. */
const linkSchema = z.object({
  /** Turn of the last accepted message. */
  turn: z.number(),
  /** Random id for each start of the node, whose commands are numbered from 1. */
  numbering: z.string(),
  /** Number of the last command. */
  number: z.number(),
  /** Number of the last command that the node was given. */
  given: z.number(),
  /** Commands that the node has not carried out yet. */
  commands: z.array(z.looseObject({ type: z.string(), number: z.number() })),
  processes: z.array(z.object({ worker: z.string(), tokenHash: z.string() })),
  /** The node ends soon, and takes no new work. */
  draining: z.boolean().optional(),
  /** False if processes of the earlier start may still have leases. */
  takenBack: z.boolean().optional(),
  /** Components that are installed on the node, as services. */
  installed: z.array(z.looseObject({ serviceName: z.string() })),
});
export type StoredLink = z.infer<typeof linkSchema>;

export const nodeBody = z.object({
  /** Milliseconds since the epoch; 0: the node has ended in order. */
  seenAt: z.number(),
  /** Version of a server's own node. */
  version: z.string().optional(),
  about: aboutSchema.optional(),
  link: linkSchema.optional(),
  services: z.array(deployedService),
});
export type NodeBody = z.infer<typeof nodeBody>;
const tokenSchema = z.object({ worker: z.string(), queues: z.array(z.string()) });

/** A component process, and the queues that its token allows. */
export type TokenHolder = z.infer<typeof tokenSchema>;

export interface SeenNode {
  readonly services: readonly DeployedServiceModel[];
  /** The node has been silent for NODE_SILENCE_MS. */
  readonly silent: boolean;
  /** Milliseconds since the epoch; 0: the node has ended in order. */
  readonly seenAt: number;
  /** Version of the product. Undefined if the node has not reported it. */
  readonly version?: string | undefined;
  /** Undefined if it is a server's own node. */
  readonly about?: NodeAbout | undefined;
}

export interface NodeStateDeps {
  readonly store: Store;
  readonly clock: Clock;
  /** Time until a silent node counts as silent, in milliseconds. */
  readonly silenceMs: number;
  /** Milliseconds of silence for which the tokens of its processes stay valid. */
  readonly tokenMs: number;
  /** True if other servers are running. Nodes could send them messages while this server was down. */
  othersThere?(): boolean;
}

const ifConflict = (error: unknown) => {
  if (!(error instanceof VersionConflict)) throw error;
};
export const nodeKey = (node: string): ActorKey => ({ kind: NODE, id: node });

/** Returns the stored state of a node. Returns undefined if there is none that this version can read. */
export function bodyOf(stored: StoredActor | undefined): NodeBody | undefined {
  if (stored === undefined || stored.snapshot.schema > NODE_SCHEMA) return undefined;
  return nodeBody.safeParse(stored.snapshot.body).data;
}

/** The stored reports of all nodes. */
export class NodeStates {
  readonly #deps: NodeStateDeps;
  /** Start of this server. Time before it counts as silence of no node, because this server was not running. */
  readonly #since: number;

  constructor(deps: NodeStateDeps) {
    this.#deps = deps;
    this.#since = deps.clock.now();
  }

  /** Returns a stored node. Returns undefined if the node is unknown, or this version cannot read its state. */
  async findNode(node: string): Promise<SeenNode | undefined> {
    const body = await this.#bodyOf(node);
    if (body === undefined) return undefined;
    const { services, seenAt, about } = body;
    const version = about?.version ?? body.version;
    return { services, seenAt, silent: this.isSilent(body), version, about };
  }

  /** True if the node has been silent for NODE_SILENCE_MS, or has ended. */
  isSilent(body: Pick<NodeBody, 'seenAt'>): boolean {
    const { silenceMs, othersThere } = this.#deps;
    const since = othersThere?.() === true ? -Infinity : this.#since;
    return this.#age(body, since) >= silenceMs;
  }

  /** Returns the nodes that have sent a heartbeat within NODE_SILENCE_MS, to this or another server. */
  async heardNodes(): Promise<readonly string[]> {
    const { store, clock, silenceMs } = this.#deps;
    const names: string[] = [];
    for await (const { id, score } of allEntries(store, NODES))
      if (clock.now() - score < silenceMs) names.push(id);
    return names;
  }

  /** Returns the process with this token. Returns undefined if no node has issued it, its process has ended, or its node is silent. */
  async holderOf(token: string): Promise<TokenHolder | undefined> {
    const node = nodeOfToken(token);
    if (node === undefined) return undefined;
    const body = await this.#bodyOf(node);
    if (body === undefined || !this.isTokenGood(this.#age(body))) return undefined;
    const hash = hashToken(token);
    const process = body.link?.processes.find(({ tokenHash }) => tokenHash === hash);
    // The configuration determines its queues.
    if (process !== undefined) return { worker: process.worker, queues: [] };
    const key = TOKENS + hash;
    const [row] = await this.#deps.store.rows(nodeKey(node), { prefix: key, limit: 1 });
    return row?.key === key ? tokenSchema.safeParse(row.body).data : undefined;
  }

  /**
   * True if the tokens of a node are still valid that sent its last heartbeat `agoMs` milliseconds ago. An outage of the store does not
   * count, because no node could send heartbeats. Tokens of a node that has ended in order are invalid at once.
   */
  isTokenGood(agoMs: number): boolean {
    const { store, tokenMs } = this.#deps;
    return agoMs !== Infinity && Math.min(agoMs, store.reachedMs?.() ?? Infinity) < tokenMs;
  }

  /** Revokes the tokens of silent nodes, except for this one. */
  async forgetSilent(own: string, owner: Owner): Promise<void> {
    const { store, clock } = this.#deps;
    for await (const { id, score } of allEntries(store, NODES)) {
      if (this.isTokenGood(clock.now() - score)) return;
      if (id === own) continue;
      const stored = await store.load(nodeKey(id));
      if (stored === undefined) continue;
      const change = { removeRows: [TOKENS], index: { [NODES]: null } };
      // A node that is back has written a new version, so this commit fails with a conflict.
      const commit = {
        actor: nodeKey(id),
        ...commitAfter(stored),
        owner,
        snapshot: stored.snapshot,
        ...change,
      };
      await store.commit(commit).catch(ifConflict);
    }
  }

  async #bodyOf(node: string): Promise<NodeBody | undefined> {
    return bodyOf(await this.#deps.store.load(nodeKey(node)));
  }

  /** Returns the milliseconds since the last heartbeat. Clocks of hosts may differ a little, so the result may be negative. */
  #age({ seenAt }: { readonly seenAt: number }, since = this.#since): number {
    return seenAt === 0 ? Infinity : this.#deps.clock.now() - Math.max(seenAt, since);
  }
}
