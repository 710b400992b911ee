/** A small queue of decoded frames for the consumer. The oldest frame is dropped first. */
import type { Frame as AvFrame } from 'node-av/lib';

export interface WaitingFrame {
  readonly picture: AvFrame;
  /** Number of the frame in the stream. */
  readonly index: number;
  /** Milliseconds since the first frame. */
  readonly time: number;
  /** Time of arrival in milliseconds since the epoch. */
  readonly at: number;
}

const MOST = 2;

export class WaitingFrames {
  readonly #waiting: WaitingFrame[] = [];
  readonly #spare: AvFrame[] = [];

  /** Returns a spare frame to decode into; undefined if none is left. The caller then creates one. */
  spare(): AvFrame | undefined {
    return this.#spare.pop();
  }

  /** Adds a frame. True if the queue was full and an older frame was dropped. */
  push(frame: WaitingFrame): boolean {
    this.#waiting.push(frame);
    if (this.#waiting.length <= MOST) return false;
    this.giveBack(this.#waiting.shift()!.picture);
    return true;
  }

  /** Returns the oldest waiting frame. The caller gives its picture back with `giveBack`. */
  take(): WaitingFrame | undefined {
    return this.#waiting.shift();
  }

  giveBack(picture: AvFrame): void {
    picture.unref();
    this.#spare.push(picture);
  }

  close(): void {
    for (const { picture } of this.#waiting.splice(0)) picture.free();
    for (const picture of this.#spare.splice(0)) picture.free();
  }
}
