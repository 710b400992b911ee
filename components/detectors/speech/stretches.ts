/** From probabilities to stretches of speech: hysteresis, shortest pause, shortest stretch, padding. Pure. */
import type { SpeechSettings } from './settings.ts';

/** Milliseconds from the start of the sound, and the mean probability over the voiced windows. */
export interface Stretch {
  readonly start: number;
  readonly stop: number;
  readonly confidence: number;
}

/** An open stretch, from its first to its last voiced window. */
interface OpenStretch {
  readonly start: number;
  stop: number;
  sum: number;
  count: number;
}

export class Stretches {
  readonly #settings: SpeechSettings;
  #open: OpenStretch | undefined;
  /** Where the last reported stretch stops, padding included. */
  #reported = 0;

  constructor(settings: SpeechSettings) {
    this.#settings = settings;
  }

  /** Takes the next window, from `start` to `stop` milliseconds; answers the stretch that is now known to be over. */
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

  /** The stretch that still went on when the sound ended, after `length` milliseconds. */
  end(length: number): Stretch | undefined {
    return this.#finish(length);
  }

  /** `heard`: milliseconds of sound up to now, which no padding exceeds. */
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
