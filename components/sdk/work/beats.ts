/** The second thread's part of `Heartbeat`. */
import { json } from 'node:stream/consumers';
import { Access, type AccessOptions } from '../connection/access.ts';
import { agentFor, exchange } from '../../../egress/node-http.ts';
import type { HeartbeatAnswer, HeartbeatRequest } from '../../../protocol/worker-messages.ts';

/** Data that the thread needs for heartbeats. */
export interface Beating {
  readonly leases: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The thread renews its own token, because the detector may block the other thread for longer than a token's life. */
  readonly access: AccessOptions;
  /** Two doubles: done, total. */
  readonly progress: Float64Array<SharedArrayBuffer>;
  /**
   * The lease's token in ASCII after its length; length 0 means none. Shared memory, because a sub-job may end before a message arrives.
   */
  readonly token: Uint8Array<SharedArrayBuffer>;
}
/** A message from the thread. */
export interface Verdict {
  readonly token: string;
  readonly why: 'CANCELLED' | 'LEASE_LOST';
}

/** Timeout of a heartbeat. The next one does not wait for it. */
const ASTRAY_MS = 5_000;

export class Beats {
  readonly #beating: Beating;
  readonly #tell: (verdict: Verdict) => void;
  readonly #agent: ReturnType<typeof agentFor>;
  readonly #access: Access;
  #waiting = false;

  constructor(beating: Beating, tell: (verdict: Verdict) => void) {
    this.#beating = beating;
    this.#tell = tell;
    this.#agent = agentFor(beating.leases);
    this.#access = new Access(beating.access);
  }

  beat(): void {
    const { token: shared } = this.#beating;
    const token = String.fromCharCode(...shared.subarray(1, 1 + (shared[0] ?? 0)));
    if (this.#waiting || token === '') return;
    this.#waiting = true;
    void this.#send(token)
      .then((why) => why !== undefined && this.#tell({ token, why }))
      // The server is unavailable. The lease is long enough for the next heartbeats.
      .catch(() => undefined)
      .finally(() => (this.#waiting = false));
  }

  async #send(token: string): Promise<Verdict['why'] | undefined> {
    const { leases, headers, progress } = this.#beating;
    const [done = 0, total = 0] = progress;
    const bearer = await this.#access.bearer();
    const answer = await exchange(this.#agent, `${leases}/${token}/heartbeat`, {
      method: 'POST',
      headers: { ...headers, authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
      body: JSON.stringify({ done, total } satisfies HeartbeatRequest),
      signal: AbortSignal.timeout(ASTRAY_MS),
    });
    const { statusCode } = answer;
    if (statusCode === 401) this.#access.renewAfterRefusal(bearer);
    if (statusCode === 409) answer.resume();
    if (statusCode === 409) return 'LEASE_LOST';
    // Other errors come from a busy server, or from a proxy before an unavailable one. The next heartbeat may arrive.
    const { go } = (await json(answer)) as Partial<HeartbeatAnswer>;
    return go === 'cancelled' ? 'CANCELLED' : undefined;
  }
}
