/** Clients that send requests to any server, and retry them at another server. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Service } from '../../support/processes/service.ts';
import { Asking } from './chaos-asking.ts';
import type { Call, ChaosJob, Seen } from './chaos-history.ts';
import { between, oneOf, randomOf, type Random } from './chaos-plan.ts';
import type { Shapes } from './chaos-shapes.ts';

export interface ClientsDeps {
  readonly seed: number;
  readonly services: readonly Service[];
  readonly shapes: Shapes;
  /** URL for callbacks. */
  readonly receiver: string;
  token(): Promise<string>;
}

interface OwnJob {
  readonly jobId: string;
  /** False for most jobs, which run to their end. */
  readonly isToBeCancelled: boolean;
  terminal: boolean;
}

const PAUSE_MS = [20, 250] as const;
const SHARE_WITH_CALLBACK = 0.8;
const SHARE_ASKED_TWICE = 0.1;
const SHARE_CANCELLED = 0.25;
/** A client keeps at most this number of jobs live, so that the run ends. */
const MOST_LIVE = 5;

export class Clients {
  readonly calls: Call[] = [];
  readonly jobs: ChaosJob[] = [];
  readonly #deps: ClientsDeps;
  #isOver = false;

  constructor(deps: ClientsDeps) {
    this.#deps = deps;
  }

  /** Runs this many clients in parallel until `stop`. */
  async run(clients: number): Promise<void> {
    await Promise.all(Array.from({ length: clients }, (_, n) => new Client(this.#deps, this, n).run()));
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  stop(): void {
    this.#isOver = true;
  }
}

class Client {
  readonly #deps: ClientsDeps;
  readonly #all: Clients;
  readonly #number: number;
  readonly #random: Random;
  readonly #asking: Asking;
  readonly #own: OwnJob[] = [];
  #submitted = 0;

  constructor(deps: ClientsDeps, all: Clients, number: number) {
    this.#deps = deps;
    this.#all = all;
    this.#number = number;
    this.#random = randomOf(deps.seed, 1 + number);
    this.#asking = new Asking({ ...deps, random: this.#random });
  }

  async run(): Promise<void> {
    while (!this.#all.isOver) {
      await this.#step();
      await sleep(this.#pause());
    }
  }

  async #step(): Promise<void> {
    const random = this.#random;
    const live = this.#own.filter(({ terminal }) => !terminal);
    const ended = this.#own.filter(({ terminal }) => terminal);
    const drawn = random();
    if (live.length < MOST_LIVE && (drawn < 0.5 || this.#own.length === 0)) return this.#submit();
    const doomed = live.filter(({ isToBeCancelled }) => isToBeCancelled);
    if (drawn < 0.65 && doomed.length > 0) return this.#insist('cancel', oneOf(random, doomed));
    if (drawn < 0.75 && ended.length > 0) return this.#insist('resubmit', oneOf(random, ended));
    const some = live.length > 0 && random() < 0.8 ? live : this.#own;
    if (some.length > 0) await this.#read(oneOf(random, some));
  }

  async #submit(): Promise<void> {
    const random = this.#random;
    const key = `chaos-${this.#number}-${++this.#submitted}`;
    const [shape, request] = oneOf(random, [...this.#deps.shapes]);
    const callback = random() < SHARE_WITH_CALLBACK;
    const media = request.media.map((mediaUri) => ({ mediaUri }));
    const callbackURL = `${this.#deps.receiver}/${key}`;
    const body = JSON.stringify({ ...request, media, ...(callback ? { callbackURL } : {}) });
    // At the end each client learns the outcome of its last request. The faults are over, so a server
    // responds.
    for (let times = random() < SHARE_ASKED_TWICE ? 2 : 1; times > 0; await sleep(this.#pause())) {
      const server = this.#anyServer();
      const at = Date.now();
      const { status, text } = await this.#ask(server, 'POST', '/rest/jobs', body, {
        'idempotency-key': key,
      });
      const job = status === 201 ? (JSON.parse(text) as { jobId: string }).jobId : undefined;
      this.#note({ at, server, what: 'submit', key, status, ...(job === undefined ? { text } : { job }) });
      if (job !== undefined) this.#noteAccepted({ jobId: job, key, shape, callback });
      if (status !== 503 && status !== 'broken') times--;
    }
  }

  #noteAccepted(job: ChaosJob): void {
    const { jobId } = job;
    if (this.#own.some((one) => one.jobId === jobId)) return;
    this.#own.push({ jobId, terminal: false, isToBeCancelled: this.#random() < SHARE_CANCELLED });
    this.#all.jobs.push(job);
  }

  /** Repeats the request until a server responds. */
  async #insist(what: 'cancel' | 'resubmit', job: OwnJob): Promise<void> {
    const { jobId } = job;
    while (!this.#all.isOver) {
      const server = this.#anyServer();
      const at = Date.now();
      const { status, text } = await this.#ask(server, 'POST', `/rest/jobs/${jobId}/${what}`);
      this.#note({ at, server, what, job: jobId, status, text });
      if (what === 'resubmit') job.terminal = false;
      if (status !== 503 && status !== 'broken') return;
      await sleep(this.#pause());
    }
  }

  async #read(job: OwnJob): Promise<void> {
    const { jobId } = job;
    const server = this.#anyServer();
    const at = Date.now();
    const { status, text } = await this.#ask(server, 'GET', `/rest/jobs/${jobId}`);
    const call = { at, server, what: 'read', job: jobId, status } as const;
    if (status !== 200) return this.#note({ ...call, text });
    const { jobStatus, terminal, endDate } = JSON.parse(text) as Seen;
    job.terminal = terminal;
    this.#note({ ...call, saw: { jobStatus, terminal, endDate } });
  }

  #anyServer(): number {
    return Math.floor(this.#random() * this.#deps.services.length);
  }

  #pause(): number {
    return between(this.#random, ...PAUSE_MS);
  }

  #note(call: Omit<Call, 'until' | 'client'>): void {
    this.#all.calls.push({ ...call, until: Date.now(), client: this.#number });
  }

  #ask(server: number, method: string, path: string, body?: string, more = {}) {
    return this.#asking.of(this.#deps.services[server]!, method, path, body, more);
  }
}
