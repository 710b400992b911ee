/**
 * Simulated clients: each creates jobs at any server that responds, cancels some, and reruns or retries
 * others.
 */
import { isTerminal } from '../../actors/batch-job/state/status.ts';
import { storedJob } from '../../actors/batch-job/state/stored-job.ts';
import type { GivenJob } from '../actors/batch-job/jobs.ts';
import { between, oneOf, type Random } from '../cluster/chaos/chaos-plan.ts';
import { Broken, type Network } from './network.ts';
import type { Promises } from './promises.ts';
import type { Server } from './server.ts';
import { requestOf, shapeOf } from './shapes.ts';
import { ProcessClock, type SimulatedTime } from './time.ts';

export interface ClientDeps {
  readonly time: SimulatedTime;
  readonly network: Network;
  readonly random: Random;
  readonly promises: Promises;
  servers(): readonly Server[];
}

/** A job that a client has requested. */
export interface WantedJob {
  readonly key: string;
  readonly shape: GivenJob;
  readonly calls: boolean;
  /** The job number in the response; undefined: no response yet. */
  number?: number;
  /** A client has requested its cancellation. */
  cancelled: boolean;
  /** Number of reruns: confirmed ones, and the possible maximum. */
  resubmitted: { sure: number; perhaps: number };
}

const PAUSE_MS = [20, 300] as const;
const BEFORE_CANCEL_MS = [30, 1_500] as const;
const SHARE_WITH_CALLBACK = 0.8;
const SHARE_CANCELLED = 0.25;
const SHARE_AGAIN = 0.3;
/** Share of retries among the reruns of jobs with failures. */
const SHARE_RETRIED = 0.7;
const SHARE_ASKED_TWICE = 0.2;

export class Client {
  readonly jobs: WantedJob[] = [];
  readonly #deps: ClientDeps;
  readonly #name: string;
  readonly #clock: ProcessClock;

  constructor(name: string, deps: ClientDeps) {
    this.#name = name;
    this.#deps = deps;
    this.#clock = new ProcessClock(deps.time);
  }

  async run(count: number): Promise<void> {
    const { random } = this.#deps;
    const all: Promise<void>[] = [];
    for (let n = 0; n < count; n++) {
      await this.#clock.wait(between(random, ...PAUSE_MS));
      all.push(this.#follow(await this.#submitJob(`${this.#name}-${n}`)));
    }
    await Promise.all(all);
  }

  async #submitJob(key: string): Promise<WantedJob> {
    const { random } = this.#deps;
    const job: WantedJob = {
      ...{ key, shape: shapeOf(random), calls: random() < SHARE_WITH_CALLBACK },
      ...{ cancelled: false, resubmitted: { sure: 0, perhaps: 0 } },
    };
    this.jobs.push(job);
    const request = requestOf(job.shape, key, job.calls);
    const repeatable = { user: 'simulation', key, requestHash: key };
    for (let times = random() < SHARE_ASKED_TWICE ? 2 : 1; times > 0; times--)
      this.#noteAccepted(
        job,
        await this.#insist((server) => server.guardian.jobService.submit(request, repeatable), 'overloaded'),
      );
    return job;
  }

  #noteAccepted(job: WantedJob, answer: { readonly kind: string; readonly jobId?: string }): void {
    const { promises } = this.#deps;
    const number = Number(answer.jobId?.split('-').at(-1));
    if (answer.kind !== 'accepted') promises.breaks('a good request is accepted', JSON.stringify(answer));
    else if (job.number !== undefined && job.number !== number)
      promises.breaks('a key stands for one job', `${job.key} is ${job.number} and ${number}`);
    job.number = number;
    promises.tell(`${job.key} is job ${number}`);
  }

  async #follow(job: WantedJob): Promise<void> {
    const { random } = this.#deps;
    if (random() < SHARE_CANCELLED) {
      await this.#clock.wait(between(random, ...BEFORE_CANCEL_MS));
      job.cancelled = true;
      const ask = { type: 'cancel' } as const;
      await this.#insist((server) => server.guardian.jobs.ask(`${job.number!}`, ask));
    }
    if (random() < SHARE_AGAIN) await this.#again(job);
  }

  async #again(job: WantedJob): Promise<void> {
    const { random, servers } = this.#deps;
    const isOver = (server: Server) =>
      storedJob(server.connection.store, job.number!).then((stored) =>
        stored !== undefined && isTerminal(stored.snapshot.status) ? 'over' : 'live',
      );
    while ((await this.#insist(isOver)) === 'live') await this.#clock.wait(between(random, ...PAUSE_MS));
    const isRetry = random() < SHARE_RETRIED;
    for (;;) {
      const server = oneOf(random, servers());
      if (server === undefined) await this.#clock.wait(between(random, ...PAUSE_MS));
      else
        try {
          const { jobService } = server.guardian;
          const again = async () =>
            isRetry
              ? await jobService.retry(job.number!, { what: 'FAILED_SUB_JOBS' })
              : await jobService.resubmit(job.number!, undefined);
          const reply = await this.#deps.network.http(this.#clock, server, again);
          if (reply.kind === 'done' || reply.kind === 'retried') job.resubmitted.sure++;
          return;
        } catch {
          job.resubmitted.perhaps++;
          await this.#clock.wait(between(random, ...PAUSE_MS));
        }
    }
  }

  /** Asks one server after another until the response is not this one. */
  async #insist<T extends string | { readonly kind: string }>(
    ask: (server: Server) => Promise<T>,
    not?: string,
  ): Promise<T> {
    const { random, servers, network, promises } = this.#deps;
    for (;;) {
      const server = oneOf(random, servers());
      try {
        if (server !== undefined) {
          const answer = await network.http(this.#clock, server, () => ask(server));
          if (typeof answer === 'string' || answer.kind !== not) return answer;
        }
      } catch (error) {
        if (!(error instanceof Broken)) throw error;
        promises.tell(`${this.#name} got no answer of ${server?.name}: ${error.message}`);
      }
      await this.#clock.wait(between(random, ...PAUSE_MS));
    }
  }
}
