/**
 * The store as one server sees it over the network. Calls with unknown outcome follow the rules of the real
 * connection.
 */
import type { Channel, Liveness } from '../../actors/cluster/cluster.ts';
import type { Claim, LedgerListener, WorkLedger } from '../../store/ledger.ts';
import { UnconfirmedLeases } from '../../store/redis/ledger/unclear-leases.ts';
import type { Store } from '../../store/store.ts';
import { Link, type Network } from './network.ts';
import type { SharedRedis, Told } from './shared-redis.ts';
import type { ProcessClock } from './time.ts';

/** REDIS_TIMEOUT_MS. */
const TIMEOUT_MS = 700;

const READS = [
  'load',
  'since',
  'rows',
  'list',
  'count',
  'outbox',
  'destinations',
  'counters',
  'next',
] as const;
const LEDGER_CALLS = [
  'offer',
  'withdraw',
  'noteArrival',
  'answerOf',
  'look',
  'reject',
  'forget',
  'news',
  'dismiss',
  'announce',
  'queues',
  'counts',
  'leases',
  'listIds',
  'workStatus',
] as const;

type Call = (...args: never[]) => Promise<unknown>;

export interface ConnectionDeps {
  readonly server: string;
  readonly redis: SharedRedis;
  readonly network: Network;
  readonly clock: ProcessClock;
  /** Passes notifications to all servers. */
  spread(told: Told['offered']): void;
}

export class Connection {
  readonly store: Store;
  readonly link = new Link();
  readonly liveness: Liveness;
  readonly #deps: ConnectionDeps;
  readonly #listeners: LedgerListener[] = [];
  readonly #unconfirmed = new UnconfirmedLeases();
  #claims = 0;

  constructor(deps: ConnectionDeps) {
    this.#deps = deps;
    const { redis, server } = deps;
    const { store } = redis;
    this.store = {
      shared: true,
      work: this.#ledger(),
      ...(this.#calls(store, READS) as Pick<Store, (typeof READS)[number]>),
      commit: (commit) => this.#ask(() => redis.commit(commit)),
      quarantine: (...args) => this.#ask(() => redis.quarantine(...args)),
      check: () => this.#ask(() => store.check()),
      close: () => Promise.resolve(),
    };
    this.liveness = {
      alive: (ms) => this.#ask(() => redis.alive(server, ms)),
      listKnown: () => this.#ask(() => Promise.resolve(redis.known)),
      listConnected: () => this.#ask(() => Promise.resolve(new Set(redis.connected))),
      cut: (other, leftMs) => this.#ask(async () => redis.cut(other, leftMs)),
      isThere: (other) => this.#ask(() => Promise.resolve(redis.isThere(other))),
      leave: () => Promise.resolve(),
    };
  }

  /** Handles the notification that queues have work. */
  hear(offered: Told['offered'][number]): void {
    for (const listener of this.#listeners) listener.onOffer(offered);
  }

  #ledger(): WorkLedger {
    const { work } = this.#deps.redis;
    return {
      ...(this.#calls(work, LEDGER_CALLS) as Pick<WorkLedger, (typeof LEDGER_CALLS)[number]>),
      watch: (listener) => void this.#listeners.push(listener),
      claim: (claim) => this.#claim(claim),
      beat: (...args) => this.#ask(() => this.#deps.redis.beat(...args)),
      unavailable: (...args) => this.#ask(() => this.#deps.redis.unavailable(this.#deps.server, ...args)),
      release: async (token, worker, begun = true) => {
        try {
          return await this.#ask(() => work.release(token, worker, begun));
        } catch (error) {
          this.#unconfirmed.add({ token, worker, begun });
          throw error;
        }
      },
      expire: async (stalledMs) => {
        const expired = await this.#ask(() => this.#deps.redis.expire(stalledMs));
        await this.#giveBackUnclear();
        return expired;
      },
      releaseWorker: async (...args) => {
        await this.#giveBackUnclear();
        await this.#ask(() => work.releaseWorker(...args));
      },
    };
  }

  #giveBackUnclear(): Promise<void> {
    return this.#unconfirmed.giveBack(({ token, worker, begun }) =>
      this.store.work.release(token, worker, begun),
    );
  }

  async #claim(claim: Claim): ReturnType<WorkLedger['claim']> {
    const { server, redis } = this.#deps;
    const tokens = Array.from({ length: claim.max }, () => `${server}-${++this.#claims}`);
    try {
      return await this.#ask(() => redis.claim(server, claim, tokens));
    } catch (error) {
      for (const token of tokens) this.#unconfirmed.add({ token, worker: claim.worker, begun: false });
      throw error;
    }
  }

  #calls<T extends object>(of: T, names: readonly (keyof T)[]): unknown {
    return Object.fromEntries(
      names.map((name) => [name, (...args: never[]) => this.#ask(() => (of[name] as Call).apply(of, args))]),
    );
  }

  async #ask<T>(carryOut: () => Promise<T>): Promise<T> {
    const { network, clock, redis, spread } = this.#deps;
    const { answer, news } = await network.redis(this.link, clock, TIMEOUT_MS, async () => {
      try {
        const found = await carryOut();
        const told = redis.tellListeners();
        spread(told.offered);
        return { answer: found, news: told.news };
      } catch (error) {
        spread(redis.tellListeners().offered);
        throw error;
      }
    });
    if (news.length > 0) for (const listener of this.#listeners) listener.news(news);
    return answer;
  }
}

/** Messages between servers. None of them is required in the simulation. */
export const DEAF: Channel = { say: () => Promise.resolve(), listen: () => undefined };
