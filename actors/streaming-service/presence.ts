/**
 * Shows on brokers which streams are analyzed. One server holds a connection for each stream with MQTT. If that server dies, the broker
 * publishes that the stream is offline. The server that takes over corrects it.
 */
import type { MqttPresence, OpenPresence } from '../../protocol/mqtt-message.ts';
import type { ClusterLocks } from '../../store/cluster-locks.ts';
import { allEntries, type Store } from '../../store/store.ts';
import { every, type Clock } from '../basics/clock.ts';
import { LIVE_STREAMS } from '../streaming-job/indexes.ts';
import { isEnded, STREAMING_JOB } from '../streaming-job/state.ts';
import { storedStream } from '../streaming-job/stored-stream.ts';
import { OFFLINE, ONLINE, statusTopic } from '../streaming-job/zones/mqtt-messages.ts';
import type { MqttReceiver } from '../streaming-job/zones/record.ts';

export interface StreamPresenceDeps {
  readonly store: Store;
  readonly locks: ClusterLocks;
  readonly clock: Clock;
  readonly present: OpenPresence;
}

/** Interval of checks which streams are live. */
const LOOK_MS = 2_000;
/** Time until the lock of a server expires. That of a dead server ends at once. */
const LOCK_MS = 30_000;
/** Pause after a broker could not be reached. */
const RETRY_MS = 10_000;
const lockOf = (job: number) => `stream-presence/${job}`;

/** A stream that this server shows, or is about to show. */
interface Shown {
  presence: MqttPresence | undefined;
  isOpening: boolean;
  /** The newest state on the broker, if it has one. */
  state: string | undefined;
  /** Time of the steady clock. */
  retryAt: number;
}

const newShown = (): Shown => ({
  ...{ presence: undefined, isOpening: false, state: undefined, retryAt: -Infinity },
});

export class StreamPresence {
  readonly #deps: StreamPresenceDeps;
  /** Receivers of live streams; null for streams without MQTT. They never change. */
  readonly #receivers = new Map<number, MqttReceiver | null>();
  readonly #shown = new Map<number, Shown>();
  #hasLooked = false;
  #isStopped = false;

  constructor(deps: StreamPresenceDeps) {
    this.#deps = deps;
  }

  /** The returned function ends all connections like a crash, because nobody analyzes the streams while their server is away. */
  start(): () => void {
    const stop = every(this.#deps.clock, LOOK_MS, () => this.look());
    return () => {
      this.#isStopped = true;
      stop();
      for (const [job, { presence }] of this.#shown) {
        presence?.drop();
        this.#release(job);
      }
      this.#shown.clear();
    };
  }

  async look(): Promise<void> {
    if (this.#isQuiet()) return;
    this.#hasLooked = true;
    const live = new Map<number, MqttReceiver | null>();
    for await (const { id } of allEntries(this.#deps.store, LIVE_STREAMS))
      live.set(Number(id), await this.#receiverOf(Number(id)));
    this.#receivers.clear();
    for (const [job, receiver] of live) this.#receivers.set(job, receiver);
    for (const job of [...this.#shown.keys()]) if (!live.has(job)) this.#leave(job);
    for (const [job, receiver] of live) if (receiver !== null) await this.#show(job, receiver);
  }

  /** True if no stream has MQTT, and none has changed. */
  #isQuiet(): boolean {
    const isNeeded = !this.#hasLooked || [...this.#receivers.values()].some((one) => one !== null);
    return !isNeeded && this.#deps.store.isQuiet?.(STREAMING_JOB) === true;
  }

  async #receiverOf(job: number): Promise<MqttReceiver | null> {
    const known = this.#receivers.get(job);
    if (known !== undefined) return known;
    const stored = await storedStream(this.#deps.store, job);
    return stored?.record.zones?.receivers.mqtt ?? null;
  }

  async #show(job: number, receiver: MqttReceiver): Promise<void> {
    const { locks, clock } = this.#deps;
    const isMine = await locks.claim(lockOf(job), LOCK_MS).catch(() => false);
    if (this.#isStopped) return;
    if (!isMine) return this.#leave(job);
    const shown = this.#shown.get(job) ?? newShown();
    this.#shown.set(job, shown);
    if (shown.presence?.isOpen === true || shown.isOpening || clock.steady() < shown.retryAt) return;
    shown.retryAt = clock.steady() + RETRY_MS;
    shown.isOpening = true;
    void this.#open(job, shown, receiver).finally(() => (shown.isOpening = false));
  }

  /** Never fails. The zones of the job tell why a broker cannot be reached. */
  async #open(job: number, shown: Shown, receiver: MqttReceiver): Promise<void> {
    const { url } = receiver;
    try {
      const presence = await this.#deps.present({
        ...{ url, topic: statusTopic(receiver), will: OFFLINE },
        onState: (state) => {
          shown.state = state;
          void this.#correct(job, shown).catch(() => undefined);
        },
      });
      // The stream may have ended meanwhile, or this server has stopped.
      if (this.#shown.get(job) !== shown) return this.#isStopped ? presence.drop() : presence.leave();
      shown.presence = presence;
      // The broker may have sent its state before.
      await this.#correct(job, shown);
    } catch {
      // The next look tries again.
    }
  }

  /** Corrects the last will of an earlier connection. Does nothing after the end of the stream, which is offline by its own message. */
  async #correct(job: number, shown: Shown): Promise<void> {
    if (shown.state !== OFFLINE || shown.presence === undefined) return;
    const stored = await storedStream(this.#deps.store, job);
    if (stored === undefined || isEnded(stored.state.status)) return;
    await shown.presence.publish(ONLINE);
  }

  #leave(job: number): void {
    const shown = this.#shown.get(job);
    if (shown === undefined) return;
    this.#shown.delete(job);
    shown.presence?.leave();
    this.#release(job);
  }

  #release(job: number): void {
    void this.#deps.locks.release(lockOf(job)).catch(() => undefined);
  }
}
