/** Decoded frames that wait for the consumer: few, the oldest is dropped first. */
import type { Frame as AvFrame } from 'node-av/lib';

export interface WaitingFrame {
  readonly picture: AvFrame;
  /** Number of the frame in the stream. */
  readonly index: number;
  /** Milliseconds since the first frame. */
  readonly time: number;
  /** When it came: milliseconds since the epoch. */
  readonly at: number;
}

const MOST = 2;

export class WaitingFrames {
  readonly #waiting: WaitingFrame[] = [];
  readonly #spare: AvFrame[] = [];

  /** A frame to decode into; undefined: it has none left, and takes another one. */
  spare(): AvFrame | undefined {
    return this.#spare.pop();
  }

  /** True when an older one had to go for it. */
  push(frame: WaitingFrame): boolean {
    this.#waiting.push(frame);
    if (this.#waiting.length <= MOST) return false;
    this.giveBack(this.#waiting.shift()!.picture);
    return true;
  }

  /** The oldest that waits; its picture is to be given back. */
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
