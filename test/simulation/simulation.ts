/** The simulation of one seed: servers, components and clients with a simulated Redis and faults. */
import type { Settings } from '../../config/settings.ts';
import { LIVE_JOBS, WAITING_JOBS } from '../../actors/batch-job/state/indexes.ts';
import { isTerminal } from '../../actors/batch-job/state/status.ts';
import type { Send } from '../../egress/request.ts';
import { MEDIA_QUEUES } from '../../protocol/worker-protocol.ts';
import { between, oneOf, randomOf, type Random } from '../cluster/chaos/chaos-plan.ts';
import { Client, type WantedJob } from './clients.ts';
import { Component } from './components.ts';
import { checkEnds, type Callback } from './end-checks.ts';
import { disturb } from './faults.ts';
import { Network } from './network.ts';
import { Promises } from './promises.ts';
import { Server } from './server.ts';
import { QUEUE, RECEIVER } from './shapes.ts';
import { SharedRedis, type LeftOut } from './shared-redis.ts';
import { SimulatedTime } from './time.ts';

export interface SimulationOptions {
  readonly seed: number;
  readonly settings: Settings;
  /** A rule that is switched off, to show that the simulation detects its absence. */
  readonly leftOut?: LeftOut;
}

export interface Outcome {
  /** The first broken guarantee with details; undefined: none. */
  readonly broken: string | undefined;
  readonly story: readonly string[];
  readonly jobs: number;
  readonly faults: number;
}

const SERVERS = [2, 3] as const;
const FAR_COMPONENTS = 1;
const CLIENTS = 2;
const JOBS_OF_ONE = 2;
const SILENCE_MS = 1_500;
/** After the last fault, all jobs must end within this time. */
const END_MS = 80_000;
const LOOK_MS = 250;
const LOST = 0.02;
/** Share of refused callbacks. */
const SHARE_REFUSED = 0.1;

export async function simulate(options: SimulationOptions): Promise<Outcome> {
  const simulation = new Simulation(options);
  await simulation.run();
  return simulation.outcome;
}

class Simulation {
  readonly #options: SimulationOptions;
  readonly #time = new SimulatedTime();
  readonly #random: Random;
  readonly #promises: Promises;
  readonly #redis: SharedRedis;
  readonly #network: Network;
  /** By position. A restarted server takes the position of the previous one. */
  readonly #servers: Server[] = [];
  readonly #clients: readonly Client[];
  readonly #callbacks: Callback[] = [];
  #starts = 0;
  #faults = 0;
  #isOver = false;

  constructor(options: SimulationOptions) {
    const { seed, leftOut } = options;
    this.#options = options;
    this.#random = randomOf(seed, 1);
    this.#promises = new Promises(() => this.#time.now);
    this.#redis = new SharedRedis(this.#time, this.#promises, leftOut);
    this.#network = new Network(this.#time, randomOf(seed, 2), { lost: LOST });
    this.#clients = Array.from(
      { length: CLIENTS },
      (_, n) => new Client(`client-${n}`, this.#around(10 + n)),
    );
  }

  get outcome(): Outcome {
    const { broken, story } = this.#promises;
    return { broken, story, jobs: this.#jobs.length, faults: this.#faults };
  }

  get #jobs(): readonly WantedJob[] {
    return this.#clients.flatMap(({ jobs }) => jobs);
  }

  /** The environment shared by components and clients. */
  #around(stream: number) {
    const { seed } = this.#options;
    return {
      ...{ seed, time: this.#time, network: this.#network, promises: this.#promises },
      random: randomOf(seed, stream),
      shapeOf: (key: string) => this.#jobs.find((job) => job.key === key)!.shape,
      servers: () => this.#servers.filter(({ isUp }) => isUp),
    };
  }

  readonly #onFailure = (error: unknown): void => {
    const how = error instanceof Error ? (error.stack ?? error.message) : String(error);
    this.#promises.breaks('the simulation itself works', how);
  };

  async run(): Promise<void> {
    for (let n = oneOf(this.#random, SERVERS); n-- > 0;) void this.#startServer(n).catch(this.#onFailure);
    for (let n = 0; n < FAR_COMPONENTS; n++)
      void new Component(`far-${n}`, [QUEUE], undefined, this.#around(20 + n)).run().catch(this.#onFailure);
    void this.#happen().catch(this.#onFailure);
    const isOver = () => this.#isOver || this.#promises.broken !== undefined;
    await this.#time.run(isOver, randomOf(this.#options.seed, 3));
  }

  async #startServer(place: number): Promise<void> {
    const start = ++this.#starts;
    const server = new Server(`server-${place}.${start}`, start, {
      ...{ time: this.#time, settings: this.#options.settings, silenceMs: SILENCE_MS },
      ...{ redis: this.#redis, network: this.#network, send: this.#send },
      spread: (by, offered) => this.#spread(by, offered),
      onFailure: (actor, error) => this.#promises.breaks('no actor fails', `${actor}: ${String(error)}`),
      toldEnd: (jobId) => this.#promises.toldEnd(jobId),
    });
    this.#servers[place] = server;
    await server.start();
    this.#promises.tell(`${server.name} is up`);
    const queues = [QUEUE, ...Object.values(MEDIA_QUEUES)];
    await new Component(`${server.name}:child`, queues, server, this.#around(100 + start)).run();
  }

  #spread(by: Server, offered: Parameters<Server['connection']['hear']>[0]): void {
    const others = this.#servers.filter((server) => server !== by);
    by.connection.hear(offered);
    this.#network.say(
      others.map(({ clock, connection }) => ({
        ...{ clock, link: connection.link },
        hear: () => connection.hear(offered),
      })),
    );
  }

  readonly #send: Send = async ({ url, idempotencyKey, headers = {} }) => {
    await this.#time.wait(between(this.#random, 2, 150));
    const drawn = this.#random();
    const failed = { kind: 'failed', reason: 'it hung up', trouble: 'receiver', final: false } as const;
    if (drawn < SHARE_REFUSED / 2) return failed;
    const status = Object.entries(headers).find(([name]) => name.toLowerCase() === 'troupe-job-status')?.[1];
    this.#callbacks.push({ key: url.slice(RECEIVER.length + 1), id: idempotencyKey, status: status ?? '' });
    return drawn < SHARE_REFUSED ? failed : { kind: 'sent' };
  };

  async #happen(): Promise<void> {
    const wanted = Promise.all(this.#clients.map((client) => client.run(JOBS_OF_ONE)));
    await disturb({
      ...{ random: randomOf(this.#options.seed, 4), time: this.#time, network: this.#network },
      ...{ servers: this.#servers, promises: this.#promises, onFault: () => this.#faults++ },
      start: (place) => void this.#startServer(place).catch(this.#onFailure),
    });
    this.#network.calm();
    this.#promises.tell('faults are over');
    const until = this.#time.now + END_MS;
    let isAnswered = false;
    void wanted.then(() => (isAnswered = true));
    for (;;) {
      const left = isAnswered ? await this.#whatIsLeft() : ['clients that wait for answers'];
      if (left.length === 0) break;
      if (this.#time.now > until)
        return this.#promises.breaks('all comes to an end', left.slice(0, 5).join(', '));
      await this.#time.wait(LOOK_MS);
    }
    checkEnds(this.#jobs, this.#callbacks, { seed: this.#options.seed, promises: this.#promises });
    this.#isOver = true;
  }

  async #whatIsLeft(): Promise<readonly string[]> {
    const { store, work } = this.#redis;
    const held = [...(await work.leases())].map(({ item }) => `${item.id} is held`);
    const queued = [...(await work.queues()).keys()].map((queue) => `work in ${queue}`);
    const news = (await work.news(9)).map(({ what, item }) => `news: ${item.id} is ${what}`);
    const known: string[] = [];
    for (const [id, { status }] of this.#promises.jobs) {
      if (!isTerminal(status)) known.push(`job ${id} is ${status}`);
      if ((await work.listIds({ kind: 'batch-job', id })).size > 0) known.push(`work of job ${id}`);
    }
    const indexes = await Promise.all(
      [LIVE_JOBS, WAITING_JOBS].map(async (index) => ((await store.count(index)) > 0 ? [index] : [])),
    );
    const owed = await store.destinations({ limit: 9 });
    return [...known, ...held, ...queued, ...news, ...indexes.flat(), ...owed];
  }
}
