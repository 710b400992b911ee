/**
 * Cuts sound into the windows that Whisper hears: each begins where speech begins and is no longer than the model
 * accepts. Leaves out long silences, in which Whisper invents words. Memory does not depend on the length of the sound.
 */

/** Samples of the longest window, 30 s: so much a Whisper model takes at a time. */
export const LONGEST = 30 * 16_000;
/** Speech begins at this probability and goes on down to the other. */
const BEGINS = 0.5;
const GOES_ON = 0.35;
/** Samples of sound before and after the speech that are kept, for soft beginnings and endings: 0.2 s. */
const PADDING = 3_200;
/** A window ends when nobody speaks for so many samples: 2 s. */
const SILENCE = 32_000;
/** Windows with less speech than this (samples, 0.25 s) are coughs and clicks. */
const LEAST_SPEECH = 4_000;
/** A window that is full is cut where speech was least likely after so many samples, 15 s. */
const EARLIEST_CUT = LONGEST / 2;

/** `start` counts samples from the first that was ever added. */
export interface SpeechWindow {
  readonly start: number;
  readonly samples: Float32Array;
}

/** A piece of sound, and how likely it is that somebody speaks in it. */
interface Piece {
  readonly samples: Float32Array;
  readonly probability: number;
}

export class SpeechWindows {
  /** While nobody speaks, the padding before a beginning; else the window so far. */
  #pieces: Piece[] = [];
  #length = 0;
  /** Where the first of the pieces lies. */
  #start = 0;
  /** Samples from the first of the pieces to the end of the last in which somebody spoke; 0: nobody speaks. */
  #spokenUntil = 0;
  #spoken = 0;

  /** Takes the next piece of sound; answers the window that is now complete. */
  add(samples: Float32Array, probability: number): SpeechWindow | undefined {
    const before = this.#length + samples.length > LONGEST ? this.#cut() : undefined;
    this.#append({ samples, probability });
    if (this.#spokenUntil === 0) {
      this.#forget(PADDING);
      return before;
    }
    return before ?? (this.#length - this.#spokenUntil >= SILENCE ? this.end() : undefined);
  }

  /** The window that is open: the sound is over, or nobody speaks any more. */
  end(): SpeechWindow | undefined {
    return this.#take(this.#pieces.length);
  }

  #append(piece: Piece): void {
    this.#pieces.push(piece);
    this.#length += piece.samples.length;
    if (piece.probability < (this.#spokenUntil === 0 ? BEGINS : GOES_ON)) return;
    this.#spokenUntil = this.#length;
    this.#spoken += piece.samples.length;
  }

  /** The window up to where speech is least likely; what comes after it begins the next one. */
  #cut(): SpeechWindow | undefined {
    let [at, least, length] = [this.#pieces.length, Infinity, 0];
    for (const [index, { samples, probability }] of this.#pieces.entries()) {
      length += samples.length;
      if (length < EARLIEST_CUT || probability > least) continue;
      [at, least] = [index + 1, probability];
    }
    return this.#take(at);
  }

  /** Of the first `count` pieces; the others are looked at anew. */
  #take(count: number): SpeechWindow | undefined {
    const taken = this.#pieces.slice(0, count);
    const rest = this.#pieces.slice(count);
    const [start, spoken] = [this.#start, this.#spoken];
    const takenLength = taken.reduce((sum, { samples }) => sum + samples.length, 0);
    const stop = Math.min(takenLength, this.#spokenUntil + PADDING);
    this.#pieces = [];
    this.#length = this.#spokenUntil = this.#spoken = 0;
    this.#start = start + takenLength;
    for (const piece of rest) {
      this.#append(piece);
      if (this.#spokenUntil === 0) this.#forget(PADDING);
    }
    return spoken < LEAST_SPEECH ? undefined : { start, samples: joinPieces(taken, stop) };
  }

  /** Keeps about so many of the last samples. */
  #forget(kept: number): void {
    for (let first = this.#pieces[0]; first !== undefined; first = this.#pieces[0]) {
      if (this.#length - first.samples.length < kept) return;
      this.#pieces.shift();
      this.#length -= first.samples.length;
      this.#start += first.samples.length;
    }
  }
}

function joinPieces(pieces: readonly Piece[], length: number): Float32Array {
  const all = new Float32Array(length);
  let at = 0;
  for (const { samples } of pieces) {
    all.set(samples.subarray(0, Math.max(0, length - at)), at);
    at = Math.min(length, at + samples.length);
  }
  return all;
}
