/** Converts probabilities to periods of speech, with hysteresis, minimum pause, minimum length and padding. Pure. */
import type { SpeechSettings } from './settings.ts';

/** A period in milliseconds from the start of the sound, with the mean probability of its voiced windows. */
export interface Stretch {
  readonly start: number;
  readonly stop: number;
  readonly confidence: number;
}

/** An open period, from its first to its last voiced window. */
interface OpenStretch {
  readonly start: number;
  stop: number;
  sum: number;
  count: number;
}

export class Stretches {
  readonly #settings: SpeechSettings;
  #open: OpenStretch | undefined;
  /** End of the last reported period, including padding. */
  #reported = 0;

  constructor(settings: SpeechSettings) {
    this.#settings = settings;
  }

  /** Adds the next window, from `start` to `stop` milliseconds. Returns the period that it ended. */
  next(start: number, stop: number, probability: number): Stretch | undefined {
    const { speechThreshold, silenceThreshold, minSilence } = this.#settings;
    if (probability >= (this.#open === undefined ? speechThreshold : silenceThreshold)) {
      this.#open ??= { start, stop, sum: 0, count: 0 };
      this.#open.stop = stop;
      this.#open.sum += probability;
      this.#open.count++;
      return undefined;
    }
    const isOver = this.#open !== undefined && stop - this.#open.stop >= minSilence;
    return isOver ? this.#finish(stop) : undefined;
  }

  /** Returns the period that was still open at the end of the sound, after `length` milliseconds. */
  end(length: number): Stretch | undefined {
    return this.#finish(length);
  }

  /** `heard`: milliseconds of sound so far. Padding does not exceed it. */
  #finish(heard: number): Stretch | undefined {
    const { minSpeech, padding } = this.#settings;
    const open = this.#open;
    this.#open = undefined;
    if (open === undefined || open.stop - open.start < minSpeech) return undefined;
    const start = Math.max(open.start - padding, this.#reported);
    this.#reported = Math.min(open.stop + padding, heard);
    return { start, stop: this.#reported, confidence: open.sum / open.count };
  }
}
