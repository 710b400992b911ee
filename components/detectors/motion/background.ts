/**
 * The background without motion: for each pixel, a running mean of its grey level and its deviation.
 *
 * A pixel that differs from its mean by more than its usual deviation is foreground. Foreground does not change the background. Pixels that
 * are still for a long time (a parked car, the wall behind a removed object) become background.
 */

const LEAST_DIFFERENCE = 18;
const DEVIATIONS = 2.5;
const FIRST_DEVIATION = 7;
const LEARNING_RATE = 0.03;
/** Maximum variation of a still pixel in grey levels. */
const FLICKER = 10;

export class Background {
  /** 1 where the last picture differs from the background. */
  readonly foreground: Uint8Array;
  /** 1 where the last picture differs from the previous one. */
  readonly moving: Uint8Array;
  readonly #absorbAfter: number;
  readonly #mean: Float32Array;
  readonly #deviation: Float32Array;
  readonly #previous: Uint8Array;
  readonly #resting: Uint8Array;
  readonly #age: Uint32Array;
  #pictures = 0;

  constructor(pixels: number, absorbAfter: number) {
    this.#absorbAfter = absorbAfter;
    this.foreground = new Uint8Array(pixels);
    this.moving = new Uint8Array(pixels);
    this.#mean = new Float32Array(pixels);
    this.#deviation = new Float32Array(pixels);
    this.#previous = new Uint8Array(pixels);
    this.#resting = new Uint8Array(pixels);
    this.#age = new Uint32Array(pixels);
  }

  /** Number of pictures since the last restart. */
  get pictures(): number {
    return this.#pictures;
  }

  /** Uses this picture as the background, and discards all earlier ones. */
  restart(grey: Uint8Array): void {
    this.#mean.set(grey);
    this.#deviation.fill(FIRST_DEVIATION);
    this.#previous.set(grey);
    this.#age.fill(0);
    this.foreground.fill(0);
    this.moving.fill(0);
    this.#pictures = 1;
  }

  /** Compares the next picture with the background and learns from it. Returns the share of foreground, 0 to 1. */
  next(grey: Uint8Array): number {
    if (this.#pictures === 0) {
      this.restart(grey);
      return 0;
    }
    this.#pictures++;
    const { foreground, moving } = this;
    const mean = this.#mean;
    const deviation = this.#deviation;
    const previous = this.#previous;
    const rate = Math.max(LEARNING_RATE, 1 / this.#pictures);
    let count = 0;
    for (let i = 0; i < grey.length; i++) {
      const value = grey[i]!;
      const difference = value - mean[i]!;
      const size = Math.abs(difference);
      moving[i] = Math.abs(value - previous[i]!) > FLICKER ? 1 : 0;
      previous[i] = value;
      if (size > LEAST_DIFFERENCE && size > DEVIATIONS * deviation[i]!) {
        foreground[i] = 1;
        count++;
        this.#absorb(i, value);
      } else {
        foreground[i] = 0;
        mean[i] = mean[i]! + rate * difference;
        deviation[i] = deviation[i]! + rate * (size - deviation[i]!);
      }
    }
    return count / grey.length;
  }

  #absorb(pixel: number, value: number): void {
    const age = this.#age[pixel]!;
    if (age === 0 || Math.abs(value - this.#resting[pixel]!) > FLICKER) {
      this.#resting[pixel] = value;
      this.#age[pixel] = 1;
    } else if (age < this.#absorbAfter) {
      this.#age[pixel] = age + 1;
    } else {
      this.#mean[pixel] = value;
      this.#deviation[pixel] = FIRST_DEVIATION;
      this.#age[pixel] = 0;
    }
  }
}
