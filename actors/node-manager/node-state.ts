/**
 * What a node tells of itself, in the store, so that any server shows its services and knows the tokens of its processes: an actor for
 * each node, which the node alone writes. A token is a row of its node: it is good as long as that is heard of, and the first report of a
 * new start takes all of those of before away.
 */
import { z } from 'zod';
import type { Logger } from '../../config/logger.ts';
import {
  allEntries,
  VersionConflict,
  type ActorKey,
  type Commit,
  type Owner,
  type Row,
  type Store,
} from '../../store/store.ts';
import type { Clock } from '../runtime/clock.ts';
import { SERVICE_STATUSES } from '../service/state.ts';
import { hashToken, nodeOfToken } from './tokens.ts';

export const NODE = 'node';
const SCHEMA = 1;
const TOKENS = 'token/';
/** Nodes by when they were heard of last. */
const NODES = 'nodes';

/** Specification 2.4, DeployedServiceModel. */
export interface DeployedServiceModel {
  /** `<host>:<service>:<n>` */
  readonly name: string;
  readonly kind: 'simple' | 'generic';
  readonly rank: number;
  readonly serviceCount: number;
  readonly lastKnownState: (typeof SERVICE_STATUSES)[number];
  readonly restartCount: number;
  readonly unlaunchable: boolean;
}

const bodySchema = z.object({
  /** Milliseconds since the epoch. */
  seenAt: z.number(),
  services: z.array(
    z.object({
      name: z.string(),
      kind: z.enum(['simple', 'generic']),
      rank: z.number(),
      serviceCount: z.number(),
      lastKnownState: z.enum(SERVICE_STATUSES),
      restartCount: z.number(),
      unlaunchable: z.boolean(),
    }),
  ),
});
const tokenSchema = z.object({ worker: z.string(), queues: z.array(z.string()) });

/** A component process, and what its token lets it do. */
export type TokenHolder = z.infer<typeof tokenSchema>;

export interface SeenNode {
  readonly services: readonly DeployedServiceModel[];
  /** It has not been heard of for NODE_SILENCE_MS. */
  readonly silent: boolean;
}

export interface NodeStateDeps {
  readonly store: Store;
  readonly clock: Clock;
  /** A node that is not heard of for so long is silent. */
  readonly silenceMs: number;
  /** For so long its processes may go on. */
  readonly tokenMs: number;
}

const ifConflict = (error: unknown) => {
  if (!(error instanceof VersionConflict)) throw error;
};
const keyOf = (node: string): ActorKey => ({ kind: NODE, id: node });

/** What nodes have told. */
export class NodeStates {
  readonly #deps: NodeStateDeps;

  constructor(deps: NodeStateDeps) {
    this.#deps = deps;
  }

  /** Undefined: nothing was ever heard of this node, or nothing that this version understands. */
  async seen(node: string): Promise<SeenNode | undefined> {
    const body = await this.#bodyOf(node);
    return body === undefined
      ? undefined
      : { services: body.services, silent: this.#age(body) >= this.#deps.silenceMs };
  }

  /** Whose token this is; undefined when no node has made it, when its process has ended, or when its node is not heard of any more. */
  async holderOf(token: string): Promise<TokenHolder | undefined> {
    const node = nodeOfToken(token);
    if (node === undefined) return undefined;
    const body = await this.#bodyOf(node);
    if (body === undefined || this.#age(body) >= this.#deps.tokenMs) return undefined;
    const key = TOKENS + hashToken(token);
    const [row] = await this.#deps.store.rows(keyOf(node), { prefix: key, limit: 1 });
    return row?.key === key ? tokenSchema.safeParse(row.body).data : undefined;
  }

  /** Takes the tokens of nodes away that are not heard of any more, but for this one. */
  async forgetSilent(own: string, owner: Owner): Promise<void> {
    const { store, clock, tokenMs } = this.#deps;
    for await (const { id, score } of allEntries(store, NODES)) {
      if (clock.now() - score < tokenMs) return;
      if (id === own) continue;
      const stored = await store.load(keyOf(id));
      if (stored === undefined) continue;
      const { version: expected, snapshot } = stored;
      const change = { removeRows: [TOKENS], index: { [NODES]: null } };
      // One that is back by now has written.
      await store.commit({ actor: keyOf(id), expected, owner, snapshot, ...change }).catch(ifConflict);
    }
  }

  async #bodyOf(node: string): Promise<z.infer<typeof bodySchema> | undefined> {
    const stored = await this.#deps.store.load(keyOf(node));
    if (stored === undefined || stored.snapshot.schema > SCHEMA) return undefined;
    return bodySchema.safeParse(stored.snapshot.body).data;
  }

  /** Clocks of hosts may differ a little: who seems to be ahead is heard of now. */
  #age({ seenAt }: { readonly seenAt: number }): number {
    return this.#deps.clock.now() - seenAt;
  }
}

export interface NodeReportDeps {
  readonly store: Store;
  readonly owner: Owner;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly node: string;
  /** Nobody else reads it while this server is there: only what changes is written. */
  readonly alone: boolean;
  readonly silenceMs: number;
  services(): readonly DeployedServiceModel[];
}

/** Writes what one node tells of itself: tokens at once, services and that it is there at each beat. What fails is written at the next beat. */
export class NodeReport {
  readonly #deps: NodeReportDeps;
  readonly #tokens = new Map<string, () => TokenHolder>();
  /** Undefined: whatever is stored is of an earlier start. */
  #version: number | undefined;
  /** What was written last, as JSON. */
  #written = { services: '', tokens: new Map<string, string>() };
  #writing: Promise<void> | undefined;
  #again = false;
  /** In a row. */
  #conflicts = 0;
  #closed = false;

  constructor(deps: NodeReportDeps) {
    this.#deps = deps;
  }

  /** From now on the holder of this token is known to all; asked each time, for a component may be registered while its process runs. */
  add(hash: string, holder: () => TokenHolder): void {
    this.#tokens.set(hash, holder);
    this.#write();
  }

  remove(hashes: readonly string[]): void {
    for (const hash of hashes) this.#tokens.delete(hash);
    this.#write();
  }

  /** To be called more often than NODE_SILENCE_MS. */
  beat(): Promise<void> {
    this.#write();
    return this.#writing ?? Promise.resolve();
  }

  /** Nothing is written any more; settles when the last commit has. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#writing;
  }

  /** What comes while a commit is under way goes together into the next one. */
  #write(): void {
    if (this.#closed) return;
    this.#again = true;
    this.#writing ??= this.#writeAll().finally(() => (this.#writing = undefined));
  }

  async #writeAll(): Promise<void> {
    // Whatever else happens in this turn goes into the same commit.
    await new Promise<void>((resolve) => setImmediate(resolve));
    while (this.#again && !this.#closed) {
      this.#again = false;
      await this.#commit().catch((err: unknown) => this.#failed(err));
    }
  }

  async #commit(): Promise<void> {
    const { store, owner, clock, node, alone } = this.#deps;
    const first = this.#version === undefined;
    const services = this.#deps.services();
    const written = { services: JSON.stringify(services), tokens: this.#holders() };
    const { put, gone } = changes(this.#written.tokens, written.tokens);
    const isNews = first || put.length + gone.length > 0 || written.services !== this.#written.services;
    if (alone && !isNews) return;
    if (first) this.#version = await this.#found();
    const now = clock.now();
    const content: Pick<Commit, 'putRows' | 'removeRows'> = first
      ? { removeRows: [''], putRows: put }
      : { removeRows: gone, putRows: put };
    this.#version = await store.commit({
      actor: keyOf(node),
      expected: this.#version ?? 0,
      owner,
      snapshot: { schema: SCHEMA, body: { seenAt: now, services } },
      index: { [NODES]: now },
      ...content,
      ...(this.#version === 0 ? { record: { node } } : {}),
    });
    this.#written = written;
    this.#conflicts = 0;
  }

  /** Which version of the actor is there; says so when another server has written it a moment ago. */
  async #found(): Promise<number> {
    const { store, owner, clock, node, logger, silenceMs } = this.#deps;
    const stored = await store.load(keyOf(node));
    if (stored === undefined) return 0;
    const { seenAt = 0 } = bodySchema.safeParse(stored.snapshot.body).data ?? {};
    if (this.#conflicts > 0 && stored.owner.server !== owner.server && clock.now() - seenAt < silenceMs)
      logger.error(
        { node },
        'another server calls its node by the same name: give each a NODE_NAME of its own',
      );
    return stored.version;
  }

  #holders(): Map<string, string> {
    return new Map([...this.#tokens].map(([hash, holder]) => [TOKENS + hash, JSON.stringify(holder())]));
  }

  #failed(err: unknown): void {
    const { logger, node } = this.#deps;
    this.#version = undefined;
    this.#written = { services: '', tokens: new Map() };
    this.#again = err instanceof VersionConflict && ++this.#conflicts === 1;
    if (!this.#again) logger.warn({ err, node }, 'what is to be known of a node cannot be stored');
  }
}

function changes(
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): { readonly put: readonly Row[]; readonly gone: readonly string[] } {
  return {
    put: [...after]
      .filter(([key, holder]) => before.get(key) !== holder)
      .map(([key, holder]) => ({ key, body: JSON.parse(holder) as unknown })),
    gone: [...before.keys()].filter((key) => !after.has(key)),
  };
}
