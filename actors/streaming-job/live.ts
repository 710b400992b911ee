/**
 * The current view of live streams: events for watchers of a job, and its newest picture. All of it is in memory and may be lost.
 * Servers that share a store send it to each other.
 */
import type { StreamCounts, StreamEvent, TrackBegan } from '../../protocol/streams.ts';
import { every, type Clock } from '../basics/clock.ts';
import type { ZoneEventInfo } from './zones/event-info.ts';
import { isEnded, type StreamingJobRecord, type StreamingJobState } from './state.ts';

export type LiveEvent =
  | { readonly type: 'state'; readonly record: StreamingJobRecord; readonly state: StreamingJobState }
  | Extract<StreamEvent, { type: 'trackEnded' | 'reconnecting' | 'warning' }>
  | TrackBegan
  | ({ readonly type: 'zoneEvent' } & ZoneEventInfo)
  | {
      readonly type: 'segment';
      /** Time of its last frame, in milliseconds since the epoch. */
      readonly at: number;
      readonly segment: number;
      readonly tracks: number;
      readonly detections: number;
    }
  | { readonly type: 'counts'; readonly counts: StreamCounts };

export interface LivePicture {
  readonly jpeg: Buffer;
  /** Time of its arrival, in milliseconds of the steady clock. */
  readonly at: number;
}

/** Messages about a stream that a server sends to the others. */
export type LiveWords =
  | { readonly what: 'event'; readonly event: Exclude<LiveEvent, { type: 'state' }> }
  /** The state of the job has changed. */
  | { readonly what: 'changed' }
  /** Another component has claimed the stream. */
  | { readonly what: 'begins' }
  /** A client waits for the newest picture, or for all pictures of the next seconds. */
  | { readonly what: 'wanted'; readonly isFollowed?: true }
  /** The picture, in base64. */
  | { readonly what: 'picture'; readonly jpeg: string };

interface Live {
  readonly watchers: Set<(event: LiveEvent) => void>;
  readonly askers: Set<(picture: LivePicture) => void>;
  readonly followers: Set<(picture: LivePicture) => void>;
  picture: LivePicture | undefined;
  counts: StreamCounts | undefined;
}

/** Maximum age of a picture that is returned without waiting for a newer one. */
const FRESH_MS = 250;
/** Time after which a request for a picture at another server expires. Followers of a stream repeat the request in time. */
const WANTED_MS = 10_000;

export class LiveStreams {
  readonly #clock: Clock;
  readonly #streams = new Map<number, Live>();
  /** Streams whose picture another server wants, with the time of the request. */
  readonly #wanted = new Map<number, number>();
  /** Streams that clients of another server follow, with the time of the request. */
  readonly #followed = new Map<number, number>();
  readonly #tellOthers: (job: number, words: LiveWords) => void;

  constructor(clock: Clock, tellOthers: (job: number, words: LiveWords) => void = () => {}) {
    this.#clock = clock;
    this.#tellOthers = tellOthers;
  }

  /** Handles a message of another server. Changes of a job's state need a look-up first: see `hearState`. */
  hear(job: number, words: Exclude<LiveWords, { what: 'changed' }>): void {
    if (words.what === 'event') this.#show(job, words.event);
    else if (words.what === 'begins') this.#begins(job);
    else if (words.what === 'wanted')
      (words.isFollowed === true ? this.#followed : this.#wanted).set(job, this.#clock.steady());
    else this.#showPicture(job, Buffer.from(words.jpeg, 'base64'));
  }

  /** Handles the new state of a job after a commit of another server. */
  hearState(record: StreamingJobRecord, state: StreamingJobState): void {
    this.#show(record.number, { type: 'state', record, state });
    if (isEnded(state.status)) this.over(record.number);
  }

  /** Calls the watcher for each event until the returned function is called. */
  watch(job: number, watcher: (event: LiveEvent) => void): () => void {
    const live = this.#of(job);
    live.watchers.add(watcher);
    return () => {
      live.watchers.delete(watcher);
      this.#drop(job, live);
    };
  }

  /** Another component has claimed the stream. It counts from 0. */
  begins(job: number): void {
    this.#begins(job);
    this.#tellOthers(job, { what: 'begins' });
  }

  #begins(job: number): void {
    const live = this.#streams.get(job);
    if (live !== undefined) live.counts = undefined;
  }

  tell(job: number, event: LiveEvent): void {
    this.#show(job, event);
    this.#tellOthers(job, event.type === 'state' ? { what: 'changed' } : { what: 'event', event });
  }

  #show(job: number, event: LiveEvent): void {
    const live = event.type === 'counts' ? this.#of(job) : this.#streams.get(job);
    if (live === undefined) return;
    if (event.type === 'counts') live.counts = event.counts;
    // The component has ended, and the state contains its counts now.
    if (event.type === 'state' && event.state.retryAt !== null) live.counts = undefined;
    for (const watcher of live.watchers) watcher(event);
  }

  /** Returns the last counts of the current component, which are newer than those of its segments. */
  counts(job: number): StreamCounts | undefined {
    return this.#streams.get(job)?.counts;
  }

  /** True if the component should send its newest picture. */
  wantsFrame(job: number): boolean {
    const live = this.#streams.get(job);
    return (live !== undefined && live.askers.size + live.followers.size > 0) || this.#isWantedElsewhere(job);
  }

  pictureCame(job: number, jpeg: Buffer): void {
    this.#showPicture(job, jpeg);
    if (this.#isWantedElsewhere(job))
      this.#tellOthers(job, { what: 'picture', jpeg: jpeg.toString('base64') });
    this.#wanted.delete(job);
  }

  #isWantedElsewhere(job: number): boolean {
    const since = Math.max(this.#wanted.get(job) ?? -Infinity, this.#followed.get(job) ?? -Infinity);
    return this.#clock.steady() - since < WANTED_MS;
  }

  #showPicture(job: number, jpeg: Buffer): void {
    const live = this.#streams.get(job);
    if (live === undefined) return;
    live.picture = { jpeg, at: this.#clock.steady() };
    for (const asker of live.askers) asker(live.picture);
    for (const follower of live.followers) follower(live.picture);
  }

  /** Calls the follower for each picture until the returned function is called. */
  follow(job: number, follower: (picture: LivePicture) => void): () => void {
    const live = this.#of(job);
    live.followers.add(follower);
    const tell = () => this.#tellOthers(job, { what: 'wanted', isFollowed: true });
    tell();
    const stop = every(this.#clock, WANTED_MS / 2, async () => tell());
    return () => {
      stop();
      live.followers.delete(follower);
      this.#drop(job, live);
    };
  }

  /** Returns the number of followers at this server. */
  followers(job: number): number {
    return this.#streams.get(job)?.followers.size ?? 0;
  }

  /** Returns the newest picture. Returns undefined if none arrives within `waitMs`, or `gone` aborts. */
  async picture(job: number, waitMs: number, gone: AbortSignal): Promise<Buffer | undefined> {
    const live = this.#of(job);
    const { picture } = live;
    if (picture !== undefined && this.#clock.steady() - picture.at <= FRESH_MS) return picture.jpeg;
    return new Promise((resolve) => {
      const finish = (found?: LivePicture) => {
        cancel();
        gone.removeEventListener('abort', onLeave);
        live.askers.delete(finish);
        this.#drop(job, live);
        resolve(found?.jpeg);
      };
      const onLeave = () => finish();
      const cancel = this.#clock.after(waitMs, onLeave);
      gone.addEventListener('abort', onLeave, { once: true });
      live.askers.add(finish);
      this.#tellOthers(job, { what: 'wanted' });
    });
  }

  /** Removes the data of a job that has ended. */
  over(job: number): void {
    this.#wanted.delete(job);
    this.#followed.delete(job);
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
      followers: new Set(),
      picture: undefined,
      counts: undefined,
    };
    this.#streams.set(job, live);
    return live;
  }

  #drop(job: number, live: Live): void {
    if (live.watchers.size + live.askers.size + live.followers.size > 0 || live.counts !== undefined) return;
    this.#streams.delete(job);
  }
}
