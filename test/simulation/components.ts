/** Simulated components: they claim work, send heartbeats, and then answer, die or hang. */
import type { Lease } from '../../store/ledger.ts';
import type { Assignment } from '../../protocol/worker-protocol.ts';
import { DISPATCHER } from '../../actors/dispatcher/actor.ts';
import type { SubJobRow } from '../../actors/batch-job/state/state.ts';
import { rowOf } from '../../actors/worker-gateway/leases/assignments.ts';
import type { AnswerOutcome } from '../../protocol/answer-outcome.ts';
import { doneWith, failedWith, type GivenJob } from '../actors/batch-job/jobs.ts';
import { between, oneOf, type Random } from '../cluster/chaos/chaos-plan.ts';
import { Broken, type Network } from './network.ts';
import type { Promises } from './promises.ts';
import type { Server } from './server.ts';
import { fateOf, type Fate } from './shapes.ts';
import { ProcessClock, type SimulatedTime } from './time.ts';

export interface ComponentDeps {
  readonly seed: number;
  readonly time: SimulatedTime;
  readonly network: Network;
  readonly random: Random;
  readonly promises: Promises;
  /** The request from which a job was made. */
  shapeOf(key: string): GivenJob;
  /** The servers that it may use. A child process has one server and ends with it. */
  servers(): readonly Server[];
}

const BEAT_MS = 400;
const STEP_MS = 200;
const LOOK_MS = [40, 400] as const;
const WORK_MS = [5, 600] as const;
const RESTART_MS = 100;
/** Answers are retried for longer than a server or Redis is unavailable. */
const INSIST_MS = 20_000;
/** A child process notices the end of its server within this time. */
const ORPHAN_MS = 700;

export class Component {
  readonly #deps: ComponentDeps;
  readonly #name: string;
  readonly #queues: readonly string[];
  /** The server that started it; undefined: it outlives servers. */
  readonly #parent: Server | undefined;
  #starts = 0;

  constructor(name: string, queues: readonly string[], parent: Server | undefined, deps: ComponentDeps) {
    this.#deps = deps;
    this.#name = name;
    this.#queues = queues;
    this.#parent = parent;
  }

  /** Runs one process after another while its server exists. */
  async run(): Promise<void> {
    const { time, promises } = this.#deps;
    while (this.#parent?.clock.isDead !== true) {
      const worker = `${this.#name}#${++this.#starts}`;
      const reason = await new Process(worker, this.#queues, this.#parent, this.#deps).run();
      promises.tell(`${worker} ends: ${reason}`);
      // The parent reports the end to a server. If the report is lost, the lease expires.
      void this.#tellEnd(worker, reason);
      await time.wait(RESTART_MS);
    }
  }

  async #tellEnd(worker: string, reason: string): Promise<void> {
    const { random, servers } = this.#deps;
    const up = this.#parent === undefined ? servers() : [this.#parent];
    const server = up.length === 0 ? undefined : oneOf(random, up);
    if (server === undefined || server.clock.isDead) return;
    const gone = { type: 'workerGone', worker, counted: true, reason } as const;
    server.clock.after(20, () => server.guardian.dispatcher.tell(DISPATCHER, gone));
  }
}

class Process {
  readonly #deps: ComponentDeps;
  readonly #worker: string;
  readonly #queues: readonly string[];
  readonly #parent: Server | undefined;
  readonly #clock: ProcessClock;
  readonly #inTurn: boolean;
  #ended: string | undefined;

  constructor(worker: string, queues: readonly string[], parent: Server | undefined, deps: ComponentDeps) {
    this.#worker = worker;
    this.#queues = queues;
    this.#parent = parent;
    this.#deps = deps;
    this.#clock = new ProcessClock(deps.time);
    this.#inTurn = deps.random() < 0.3;
  }

  /** Returns the reason why it has ended. */
  async run(): Promise<string> {
    const { random } = this.#deps;
    while (this.#ended === undefined) {
      await this.#clock.wait(between(random, ...LOOK_MS));
      if (this.#parent?.clock.isDead === true) {
        await this.#clock.wait(random() * ORPHAN_MS);
        this.#ended = 'its server is gone';
        break;
      }
      const work = await this.#claim();
      for (const assignment of work) await this.#work(assignment);
    }
    this.#clock.kill();
    return this.#ended ?? '';
  }

  #server(): Server | undefined {
    if (this.#parent !== undefined) return this.#parent;
    const servers = this.#deps.servers();
    return servers.length === 0 ? undefined : oneOf(this.#deps.random, servers);
  }

  async #claim(): Promise<readonly Assignment[]> {
    const server = this.#server();
    if (server === undefined) return [];
    const claim = {
      ...{ queues: this.#queues, max: this.#inTurn ? 3 : 1, waitMs: 0, worker: this.#worker },
      ...{ lasting: this.#parent === undefined, inTurn: this.#inTurn },
    };
    const ask = () => server.guardian.workerGateway.claim(claim, new AbortController().signal);
    try {
      const { work } = await this.#deps.network.http(this.#clock, server, ask, (missed) => missed.giveBack());
      for (const assignment of work) this.#deps.promises.handedOut(assignment, this.#worker);
      return work;
    } catch {
      return [];
    }
  }

  async #work({ token, id }: Assignment): Promise<void> {
    if (this.#ended !== undefined) return;
    const { random, promises, seed } = this.#deps;
    const beats = this.#beat(token);
    try {
      const held = await this.#insist((server) => this.#look(server, token));
      if (held === undefined || this.#ended !== undefined) return;
      const fate = fateOf(seed, held.key, held.row);
      if (fate === 'hangs' || fate === 'garbage') promises.attemptLost(id);
      await this.#compute(beats, fate === 'hangs' ? Infinity : between(random, ...WORK_MS));
      if (this.#ended !== undefined) return;
      if (beats.verdict === 'cancelled')
        await this.#insist((server) => server.guardian.workerGateway.intake.release(token, this.#worker));
      // A server that takes work back from a hanging component also ends it.
      else if (beats.verdict === 'lost') this.#ended = fate === 'hangs' ? 'it hung' : undefined;
      else if (fate === 'dies') {
        promises.attemptLost(id);
        this.#ended = 'it crashed';
      } else {
        const taken = await this.#insist((server) => this.#answer(server, token, held, fate));
        promises.tell(`${this.#worker} has answered ${id} (${fate}): ${taken?.kind ?? 'in vain'}`);
      }
    } finally {
      beats.stop();
    }
  }

  /** Sends a heartbeat every second, whatever the component does. */
  #beat(token: string): Beats {
    const beats: Beats = { done: 0, verdict: 'on', stop: () => (isOver = true) };
    let isOver = false;
    const beat = () => {
      if (isOver || this.#ended !== undefined || this.#parent?.clock.isDead === true) return;
      const { done } = beats;
      void this.#once((server) =>
        server.guardian.workerGateway.heartbeat(token, this.#worker, done, 100),
      ).then((verdict) => {
        if (verdict !== undefined && verdict !== 'on') beats.verdict = verdict;
      });
      this.#clock.after(BEAT_MS, beat);
    };
    this.#clock.after(BEAT_MS, beat);
    return beats;
  }

  /** Computes for this time, or until it is told to stop. */
  async #compute(beats: Beats, ms: number): Promise<void> {
    const { time } = this.#deps;
    const until = time.now + ms;
    while (time.now < until && beats.verdict === 'on' && this.#parent?.clock.isDead !== true) {
      await this.#clock.wait(Math.min(STEP_MS, until - time.now));
      if (ms < Infinity) beats.done++;
    }
  }

  async #look(server: Server, token: string): Promise<Held | 'lost'> {
    const lease = await server.settlement.lease(token, this.#worker);
    if (typeof lease === 'string') return 'lost';
    const row = await rowOf(server.connection.store, lease.item);
    if (row === undefined) return 'lost';
    const job = this.#deps.promises.jobs.get(lease.item.actor.id)!;
    return { lease, row, key: job.record.externalId! };
  }

  /** Like a server that accepts the answer, but nothing is written to disk. */
  async #answer(
    { settlement, connection }: Server,
    token: string,
    held: Held,
    fate: Fate,
  ): Promise<AnswerOutcome> {
    const lease = await settlement.lease(token, this.#worker);
    if (typeof lease === 'string') return { kind: lease };
    const row = await rowOf(connection.store, lease.item);
    if (row === undefined) return settlement.end(token);
    if (row.token === token) return { kind: 'accepted' };
    if (fate === 'garbage') return settlement.garbage(token, 'it is garbage');
    await connection.store.work.noteArrival(token, true);
    const command = fate === 'fails' ? failedWith(row) : doneWith(this.#deps.shapeOf(held.key), row);
    const file = `spool/${row.id}.${token}`;
    return settlement.toJob(lease, { ...command, token, file } as Parameters<typeof settlement.toJob>[1]);
  }

  /** Repeats the request until a server responds, or no server is left. */
  async #insist<T>(ask: (server: Server) => Promise<T | 'lost'>): Promise<T | undefined> {
    const { time, random } = this.#deps;
    const until = time.now + INSIST_MS;
    while (time.now < until && this.#ended === undefined && this.#parent?.clock.isDead !== true) {
      const answer = await this.#once(ask);
      if (answer === 'lost') return undefined;
      if (answer !== undefined) return answer;
      await this.#clock.wait(between(random, ...LOOK_MS));
    }
    return undefined;
  }

  async #once<T>(ask: (server: Server) => Promise<T>): Promise<T | undefined> {
    const server = this.#server();
    if (server === undefined) return undefined;
    try {
      return await this.#deps.network.http(this.#clock, server, () => ask(server));
    } catch (error) {
      if (error instanceof Broken) return undefined;
      throw error;
    }
  }
}

/** The heartbeats of a lease, with the last response. */
interface Beats {
  done: number;
  verdict: 'on' | 'cancelled' | 'lost';
  stop(): void;
}

interface Held {
  readonly lease: Lease;
  readonly row: SubJobRow;
  /** Key of its request. */
  readonly key: string;
}
