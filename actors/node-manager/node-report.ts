import type { Logger } from '../../config/logger.ts';
import { VersionConflict, type Commit, type Owner, type Row, type Store } from '../../store/store.ts';
import type { Clock } from '../basics/clock.ts';
import {
  NODE_SCHEMA,
  nodeBody,
  nodeKey,
  NODES,
  TOKENS,
  type DeployedServiceModel,
  type NodeAbout,
  type TokenHolder,
} from './node-state.ts';

export interface NodeReportDeps {
  readonly store: Store;
  readonly owner: Owner;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly node: string;
  /** True if no other server reads the report. Then only changes are written. */
  readonly alone: boolean;
  readonly silenceMs: number;
  readonly about?: NodeAbout;
  /** Version of the product, if `about` does not contain it. */
  readonly version?: string;
  services(): readonly DeployedServiceModel[];
}

/** Stores the report of one node: tokens at once, services and the heartbeat at each beat. A failed write is repeated at the next beat. */
export class NodeReport {
  readonly #deps: NodeReportDeps;
  readonly #tokens = new Map<string, () => TokenHolder>();
  /** Version of the stored actor. Undefined if the stored report is of an earlier start. */
  #version: number | undefined;
  /** The last written report, as JSON. */
  #written = { services: '', tokens: new Map<string, string>() };
  #writing: Promise<void> | undefined;
  #again = false;
  /** Number of version conflicts in a row. */
  #conflicts = 0;
  #closed = false;
  /** True if the node has ended in order. */
  #left = false;

  constructor(deps: NodeReportDeps) {
    this.#deps = deps;
  }

  /**
   * Makes the holder of this token known to all servers. `holder` is called each time, because a component may be registered while its
   * process runs.
   */
  add(hash: string, holder: () => TokenHolder): void {
    this.#tokens.set(hash, holder);
    this.#write();
  }

  remove(hashes: readonly string[]): void {
    for (const hash of hashes) this.#tokens.delete(hash);
    this.#write();
  }

  /** Writes a heartbeat. Must be called more often than NODE_SILENCE_MS. */
  beat(): Promise<void> {
    this.#write();
    return this.#writing ?? Promise.resolve();
  }

  /** Reports that the node has ended in order, so that it counts as silent at once. */
  async leave(): Promise<void> {
    this.#left = true;
    this.#tokens.clear();
    await this.beat();
    await this.close();
  }

  /** Stops all writing. Settles after the last commit. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#writing;
  }

  /** Starts a commit. Changes during a running commit are combined in the next one. */
  #write(): void {
    if (this.#closed) return;
    this.#again = true;
    this.#writing ??= this.#writeAll().finally(() => (this.#writing = undefined));
  }

  async #writeAll(): Promise<void> {
    // Further changes in this turn of the event loop are part of the same commit.
    await new Promise<void>((resolve) => setImmediate(resolve));
    while (this.#again && !this.#closed) {
      this.#again = false;
      await this.#commit().catch((err: unknown) => this.#logFailure(err));
    }
  }

  async #commit(): Promise<void> {
    const { store, owner, clock, node, alone, about, version } = this.#deps;
    const first = this.#version === undefined;
    const services = this.#deps.services();
    const written = { services: JSON.stringify(services), tokens: this.#holders() };
    const { put, gone } = changes(this.#written.tokens, written.tokens);
    const isNews = first || put.length + gone.length > 0 || written.services !== this.#written.services;
    if (alone && !isNews) return;
    if (first) this.#version = await this.#findVersion();
    const now = clock.now();
    const content: Pick<Commit, 'putRows' | 'removeRows'> = first
      ? { removeRows: [''], putRows: put }
      : { removeRows: gone, putRows: put };
    this.#version = await store.commit({
      actor: nodeKey(node),
      expected: this.#version ?? 0,
      owner,
      snapshot: {
        schema: NODE_SCHEMA,
        body: { seenAt: this.#left ? 0 : now, services, ...(about === undefined ? { version } : { about }) },
      },
      index: { [NODES]: now },
      ...content,
      ...(this.#version === 0 ? { record: { node } } : {}),
    });
    this.#written = written;
    this.#conflicts = 0;
  }

  /** Returns the stored version of the actor. Logs an error if another server has written it a moment ago. */
  async #findVersion(): Promise<number> {
    const { store, owner, clock, node, logger, silenceMs } = this.#deps;
    const stored = await store.load(nodeKey(node));
    if (stored === undefined) return 0;
    const { seenAt = 0 } = nodeBody.safeParse(stored.snapshot.body).data ?? {};
    if (this.#conflicts > 0 && stored.owner.server !== owner.server && clock.now() - seenAt < silenceMs)
      logger.error({ node }, 'another server uses the same name for its node: give each its own NODE_NAME');
    return stored.version;
  }

  #holders(): Map<string, string> {
    return new Map([...this.#tokens].map(([hash, holder]) => [TOKENS + hash, JSON.stringify(holder())]));
  }

  #logFailure(err: unknown): void {
    const { logger, node } = this.#deps;
    this.#version = undefined;
    this.#written = { services: '', tokens: new Map() };
    this.#again = err instanceof VersionConflict && ++this.#conflicts === 1;
    if (!this.#again) logger.warn({ err, node }, 'the state of a node cannot be stored');
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
