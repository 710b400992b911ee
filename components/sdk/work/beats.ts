/** What the second thread does of `Heartbeat`. */
import { json } from 'node:stream/consumers';
import { Access, type AccessOptions } from '../connection/access.ts';
import { agentFor, exchange } from '../../../egress/node-http.ts';
import type { HeartbeatAnswer, HeartbeatRequest } from '../../../protocol/worker-messages.ts';

/** For whom the thread sends heartbeats. */
export interface Beating {
  readonly leases: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The thread renews a token of its own: the detector may hold up the other thread for longer than one lasts. */
  readonly access: AccessOptions;
  /** Two doubles: done, total. */
  readonly progress: Float64Array<SharedArrayBuffer>;
  /** The token of the lease, in ASCII, behind its length; length 0: there is none. A sub-job may be done sooner than a message arrives. */
  readonly token: Uint8Array<SharedArrayBuffer>;
}
/** What the thread tells. */
export interface Verdict {
  readonly token: string;
  readonly why: 'CANCELLED' | 'LEASE_LOST';
}

/** A heartbeat that got no answer in this time went astray: the next one goes without it. */
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
      // The server is away: the lease is long enough for the next ones.
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
    // Whatever else is no success comes from a server that is busy, or from a proxy before one that is away: the next one may arrive.
    const { go } = (await json(answer)) as Partial<HeartbeatAnswer>;
    return go === 'cancelled' ? 'CANCELLED' : undefined;
  }
}
