/**
 * What is seen of live streams right now: events for whoever watches a job, and its newest picture for whoever asks for it. It is all in
 * memory, of this server, and nobody's truth: what must last is in the state of the job.
 */
import type { StreamCounts, StreamEvent } from '../../protocol/streams.ts';
import type { Clock } from '../runtime/clock.ts';
import type { StreamingJobRecord, StreamingJobState } from './state.ts';

export type LiveEvent =
  | { readonly type: 'state'; readonly record: StreamingJobRecord; readonly state: StreamingJobState }
  | Extract<StreamEvent, { type: 'trackBegan' | 'trackEnded' | 'reconnecting' | 'warning' }>
  | {
      readonly type: 'segment';
      readonly segment: number;
      readonly tracks: number;
      readonly detections: number;
    }
  | { readonly type: 'counts'; readonly counts: StreamCounts };

export interface LivePicture {
  readonly jpeg: Buffer;
  /** Milliseconds of the steady clock at which it came. */
  readonly at: number;
}

interface Live {
  readonly watchers: Set<(event: LiveEvent) => void>;
  readonly askers: Set<(picture: LivePicture) => void>;
  picture: LivePicture | undefined;
  counts: StreamCounts | undefined;
}

/** A picture that is not older is given to everybody who asks. */
const FRESH_MS = 250;

export class LiveStreams {
  readonly #clock: Clock;
  readonly #streams = new Map<number, Live>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Hears of all that happens until the answer is called. */
  watch(job: number, watcher: (event: LiveEvent) => void): () => void {
    const live = this.#of(job);
    live.watchers.add(watcher);
    return () => {
      live.watchers.delete(watcher);
      this.#drop(job, live);
    };
  }

  /** Another component begins, which counts from 0. */
  begins(job: number): void {
    const live = this.#streams.get(job);
    if (live !== undefined) live.counts = undefined;
  }

  tell(job: number, event: LiveEvent): void {
    const live = event.type === 'counts' ? this.#of(job) : this.#streams.get(job);
    if (live === undefined) return;
    if (event.type === 'counts') live.counts = event.counts;
    // The component has ended: what it has counted is in the state now.
    if (event.type === 'state' && event.state.retryAt !== null) live.counts = undefined;
    for (const watcher of live.watchers) watcher(event);
  }

  /** What the component at work counted last, newer than what its segments have told. */
  counts(job: number): StreamCounts | undefined {
    return this.#streams.get(job)?.counts;
  }

  /** Whether the component is to send its newest picture. */
  wantsFrame(job: number): boolean {
    return (this.#streams.get(job)?.askers.size ?? 0) > 0;
  }

  pictureCame(job: number, jpeg: Buffer): void {
    const live = this.#streams.get(job);
    if (live === undefined) return;
    live.picture = { jpeg, at: this.#clock.steady() };
    for (const asker of live.askers) asker(live.picture);
  }

  /** The newest picture; undefined when none comes within `waitMs`, or nobody waits for it any more. */
  async picture(job: number, waitMs: number, gone: AbortSignal): Promise<Buffer | undefined> {
    const live = this.#of(job);
    const { picture } = live;
    if (picture !== undefined && this.#clock.steady() - picture.at <= FRESH_MS) return picture.jpeg;
    return new Promise((resolve) => {
      const done = (found?: LivePicture) => {
        cancel();
        gone.removeEventListener('abort', left);
        live.askers.delete(done);
        this.#drop(job, live);
        resolve(found?.jpeg);
      };
      const left = () => done();
      const cancel = this.#clock.after(waitMs, left);
      gone.addEventListener('abort', left, { once: true });
      live.askers.add(done);
    });
  }

  /** The job has ended: nothing more comes. */
  over(job: number): void {
    const live = this.#streams.get(job);
    if (live === undefined) return;
    live.counts = undefined;
    live.picture = undefined;
    this.#drop(job, live);
  }

  #of(job: number): Live {
    const live = this.#streams.get(job) ?? {
      watchers: new Set(),
      askers: new Set(),
      picture: undefined,
      counts: undefined,
    };
    this.#streams.set(job, live);
    return live;
  }

  #drop(job: number, live: Live): void {
    if (live.watchers.size + live.askers.size > 0 || live.counts !== undefined) return;
    this.#streams.delete(job);
  }
}
