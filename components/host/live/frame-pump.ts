/** Fetches frames of a live stream one by one, until the stream ends or is stopped. */
import type { LiveFrame, LivePictures } from './source.ts';

/** Interval in milliseconds of progress reports while no frames arrive. */
const TURN_MS = 500;

export class FramePump {
  readonly #source: LivePictures;
  readonly #frames: AsyncIterator<LiveFrame>;
  readonly #stop: AbortSignal;
  readonly #progress: (done: number) => void;
  #fetched = 0;

  /** `progress` receives a number that grows while the reader and the consumer of frames are active. */
  constructor(source: LivePictures, stop: AbortSignal, progress: (done: number) => void) {
    this.#source = source;
    this.#frames = source.frames();
    this.#stop = stop;
    this.#progress = progress;
  }

  /** Returns the next frame; undefined at the end. */
  async next(): Promise<LiveFrame | undefined> {
    if (this.#stop.aborted) return undefined;
    const timer = setInterval(() => this.#turn(), TURN_MS);
    try {
      return await this.#nextUnlessStopped();
    } finally {
      clearInterval(timer);
      this.#fetched++;
      this.#turn();
    }
  }

  /** Does not use `Promise.race` with one promise for all frames, because that promise would keep memory for each. */
  #nextUnlessStopped(): Promise<LiveFrame | undefined> {
    return new Promise((resolve, reject) => {
      const stop = () => resolve(undefined);
      this.#stop.addEventListener('abort', stop, { once: true });
      this.#frames
        .next()
        .then(({ done, value }) => resolve(done === true ? undefined : value), reject)
        .finally(() => this.#stop.removeEventListener('abort', stop));
    });
  }

  #turn(): void {
    this.#progress(this.#source.counts.beats + this.#fetched);
  }
}
