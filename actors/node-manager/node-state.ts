/**
 * The stored report of a node, so that any server shows its services and accepts the tokens of its processes: one actor for each node,
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

/** Which start of a node it is that tells this, and whose; of nodes of servers nothing. */
const aboutSchema = z.object({
  instance: z.string(),
  version: z.string(),
  client: z.string(),
  /** Absent: it runs what the node configuration gives to its name. */
  nodeClass: z.string().optional(),
});
export type NodeAbout = Readonly<z.infer<typeof aboutSchema>>;

/** Of a node on another host, for servers that share a store: how its messages stand, whichever of them takes the next one. */
const linkSchema = z.object({
  /** Of the last message that was taken. */
  turn: z.number(),
  /** Random for each start of the node: its commands are numbered from 1. */
  numbering: z.string(),
  /** Of the last command. */
  number: z.number(),
  /** Number of the last command that the node was given. */
  given: z.number(),
  /** What it has not carried out yet. */
  commands: z.array(z.looseObject({ type: z.string(), number: z.number() })),
  processes: z.array(z.object({ worker: z.string(), tokenHash: z.string() })),
  /** It is to end soon, and takes no new work. */
  draining: z.boolean().optional(),
  /** False: processes of the start before may still hold work. */
  takenBack: z.boolean().optional(),
  /** Components that are installed there, as services. */
  installed: z.array(z.looseObject({ serviceName: z.string() })),
});
export type StoredLink = z.infer<typeof linkSchema>;

export const nodeBody = z.object({
  /** Milliseconds since the epoch; 0: it has gone in order. */
  seenAt: z.number(),
  /** Of a server's own node. */
  version: z.string().optional(),
  about: aboutSchema.optional(),
  link: linkSchema.optional(),
  services: z.array(deployedService),
});
export type NodeBody = z.infer<typeof nodeBody>;
const tokenSchema = z.object({ worker: z.string(), queues: z.array(z.string()) });

/** A component process, and what its token lets it do. */
export type TokenHolder = z.infer<typeof tokenSchema>;

export interface SeenNode {
  readonly services: readonly DeployedServiceModel[];
  /** It has not been heard of for NODE_SILENCE_MS. */
  readonly silent: boolean;
  /** Milliseconds since the epoch; 0: it has gone in order. */
  readonly seenAt: number;
  /** Of the product; undefined: it has not told. */
  readonly version?: string | undefined;
  /** Undefined: it is a server's own. */
  readonly about?: NodeAbout | undefined;
}

export interface NodeStateDeps {
  readonly store: Store;
  readonly clock: Clock;
  /** A node that is not heard of for so long is silent. */
  readonly silenceMs: number;
  /** For so long its processes may go on. */
  readonly tokenMs: number;
  /** Whether other servers are there, which nodes could talk to while this one was away. */
  othersThere?(): boolean;
}

const ifConflict = (error: unknown) => {
  if (!(error instanceof VersionConflict)) throw error;
};
export const nodeKey = (node: string): ActorKey => ({ kind: NODE, id: node });

/** The stored state of a node; undefined: there is none that this version can read. */
export function bodyOf(stored: StoredActor | undefined): NodeBody | undefined {
  if (stored === undefined || stored.snapshot.schema > NODE_SCHEMA) return undefined;
  return nodeBody.safeParse(stored.snapshot.body).data;
}

/** The stored reports of all nodes. */
export class NodeStates {
  readonly #deps: NodeStateDeps;
  /** Before it nobody could be heard here: time in which this server was away is nobody's silence. */
  readonly #since: number;

  constructor(deps: NodeStateDeps) {
    this.#deps = deps;
    this.#since = deps.clock.now();
  }

  /** Undefined: nothing was ever heard of this node, or nothing that this version understands. */
  async findNode(node: string): Promise<SeenNode | undefined> {
    const body = await this.#bodyOf(node);
    if (body === undefined) return undefined;
    const { services, seenAt, about } = body;
    const version = about?.version ?? body.version;
    return { services, seenAt, silent: this.isSilent(body), version, about };
  }

  /** It has not been heard of for NODE_SILENCE_MS, or has gone. */
  isSilent(body: Pick<NodeBody, 'seenAt'>): boolean {
    const { silenceMs, othersThere } = this.#deps;
    const since = othersThere?.() === true ? -Infinity : this.#since;
    return this.#age(body, since) >= silenceMs;
  }

  /** Nodes that have been heard of within NODE_SILENCE_MS, here or at another server. */
  async heardNodes(): Promise<readonly string[]> {
    const { store, clock, silenceMs } = this.#deps;
    const names: string[] = [];
    for await (const { id, score } of allEntries(store, NODES))
      if (clock.now() - score < silenceMs) names.push(id);
    return names;
  }

  /** Whose token this is; undefined when no node has made it, when its process has ended, or when its node is not heard of any more. */
  async holderOf(token: string): Promise<TokenHolder | undefined> {
    const node = nodeOfToken(token);
    if (node === undefined) return undefined;
    const body = await this.#bodyOf(node);
    if (body === undefined || !this.isTokenGood(this.#age(body))) return undefined;
    const hash = hashToken(token);
    const process = body.link?.processes.find(({ tokenHash }) => tokenHash === hash);
    // What it may do the configuration says.
    if (process !== undefined) return { worker: process.worker, queues: [] };
    const key = TOKENS + hash;
    const [row] = await this.#deps.store.rows(nodeKey(node), { prefix: key, limit: 1 });
    return row?.key === key ? tokenSchema.safeParse(row.body).data : undefined;
  }

  /**
   * Whether tokens are good of a node that was heard of so long ago. While the store was away no node could be heard of, so none has had
   * less time than since then; one that has gone in order needs no time.
   */
  isTokenGood(agoMs: number): boolean {
    const { store, tokenMs } = this.#deps;
    return agoMs !== Infinity && Math.min(agoMs, store.reachedMs?.() ?? Infinity) < tokenMs;
  }

  /** Takes the tokens of nodes away that are not heard of any more, but for this one. */
  async forgetSilent(own: string, owner: Owner): Promise<void> {
    const { store, clock } = this.#deps;
    for await (const { id, score } of allEntries(store, NODES)) {
      if (this.isTokenGood(clock.now() - score)) return;
      if (id === own) continue;
      const stored = await store.load(nodeKey(id));
      if (stored === undefined) continue;
      const change = { removeRows: [TOKENS], index: { [NODES]: null } };
      // One that is back by now has written.
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

  /** Clocks of hosts may differ a little: who seems to be ahead is heard of now. */
  #age({ seenAt }: { readonly seenAt: number }, since = this.#since): number {
    return seenAt === 0 ? Infinity : this.#deps.clock.now() - Math.max(seenAt, since);
  }
}
