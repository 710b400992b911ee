/** Requests of clients in a cluster with faults: they go to any server, and are retried at another one. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Service } from '../../support/processes/service.ts';
import { between, oneOf, type Random } from './chaos-plan.ts';

export interface Told {
  /** broken: no response arrived, so it is unknown whether the server processed the request. */
  readonly status: number | 'broken';
  readonly text: string;
  /** An earlier attempt got no response, so it may have been processed, or may still be. */
  readonly isRepeated?: boolean;
}

/** Shorter than the longest freeze of a server. */
const PATIENCE_MS = 4_000;
const PAUSE_MS = [20, 250] as const;
/** Faults last only seconds. A longer time without any response is an error of the cluster. */
const AT_MOST_MS = 240_000;

export interface AskingDeps {
  readonly services: readonly Service[];
  readonly random: Random;
  token(): Promise<string>;
}

export class Asking {
  readonly #deps: AskingDeps;

  constructor(deps: AskingDeps) {
    this.#deps = deps;
  }

  once(method: string, path: string, body?: string, headers = {}): Promise<Told> {
    const { services, random } = this.#deps;
    return this.of(oneOf(random, services), method, path, body, headers);
  }

  async of(service: Service, method: string, path: string, body?: string, headers = {}): Promise<Told> {
    try {
      const response = await fetch(`${service.url}${path}`, {
        method,
        headers: {
          authorization: `Bearer ${await this.#deps.token()}`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        signal: AbortSignal.timeout(PATIENCE_MS),
        ...(body === undefined ? {} : { body }),
      });
      return { status: response.status, text: await response.text() };
    } catch (error) {
      return { status: 'broken', text: String(error) };
    }
  }

  /** Repeats the request until a server responds. */
  async insist(method: string, path: string, body?: string, headers = {}): Promise<Told> {
    const until = Date.now() + AT_MOST_MS;
    for (let isRepeated = false; ; isRepeated = true) {
      const told = await this.once(method, path, body, headers);
      if ((told.status !== 503 && told.status !== 'broken') || Date.now() > until)
        return { ...told, isRepeated };
      await sleep(between(this.#deps.random, ...PAUSE_MS));
    }
  }
}
