/**
 * The newest picture of a live stream for viewers, with its detections drawn. Costs nothing while there are no viewers.
 */
import type { DrawnPicture } from './drawn-picture.ts';
import type { LiveFrame } from './source.ts';
import type { ShownDetection } from './live-scene.ts';

/** Minimum interval between two pictures, which allows at most ten per second. */
const PICTURE_MS = 100;

export class NewestPicture {
  readonly #send: (picture: Buffer) => Promise<void>;
  /** Loaded for the first viewer, because most streams have none. */
  #drawn: DrawnPicture | undefined;
  #isBusy = false;
  #at = -Infinity;

  constructor(send: (picture: Buffer) => Promise<void>) {
    this.#send = send;
  }

  /** Copies the frame before it returns, and encodes and sends it later. Skips the frame while the previous one is being sent. */
  offer(frame: LiveFrame, found: readonly ShownDetection[]): void {
    const now = performance.now();
    if (this.#isBusy || now - this.#at < PICTURE_MS) return;
    this.#isBusy = true;
    if (this.#drawn === undefined) return void this.#load().finally(() => (this.#isBusy = false));
    this.#at = now;
    this.#drawn.draw(frame, found);
    this.#encode(this.#drawn, frame)
      // Errors are ignored, because the next picture may succeed.
      .catch(() => undefined)
      .finally(() => (this.#isBusy = false));
  }

  async #load(): Promise<void> {
    this.#drawn = new (await import('./drawn-picture.ts')).DrawnPicture();
  }

  async #encode(drawn: DrawnPicture, frame: LiveFrame): Promise<void> {
    await this.#send(await drawn.encode(frame));
  }
}
