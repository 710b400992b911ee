/**
 * Cuts sound into windows for Whisper. Each begins where speech begins, and is no longer than the model accepts. Long silences are left
 * out, because Whisper invents words in them. Memory does not depend on the length of the sound.
 */

/** Maximum length of a window in samples, 30 s, which is the limit of Whisper models. */
export const LONGEST = 30 * 16_000;
/** Minimum probabilities at which speech begins and continues. */
const BEGINS = 0.5;
const GOES_ON = 0.35;
/** Samples that are kept before and after speech, for soft beginnings and endings: 0.2 s. */
const PADDING = 3_200;
/** Silence in samples after which a window ends: 2 s. */
const SILENCE = 32_000;
/** Minimum speech in a window, in samples (0.25 s). Windows with less are coughs and clicks. */
const LEAST_SPEECH = 4_000;
/** Minimum length in samples, 15 s, at which a full window is cut. It is cut where speech is least likely. */
const EARLIEST_CUT = LONGEST / 2;

/** A window. `start` counts samples from the first one that was added. */
export interface SpeechWindow {
  readonly start: number;
  readonly samples: Float32Array;
}

/** A piece of sound, and the probability of speech in it. */
interface Piece {
  readonly samples: Float32Array;
  readonly probability: number;
}

export class SpeechWindows {
  /** The window so far. Without speech, only the padding before a possible beginning. */
  #pieces: Piece[] = [];
  #length = 0;
  /** Position of the first piece in samples. */
  #start = 0;
  /** Samples from the first piece to the end of the last piece with speech; 0 without speech. */
  #spokenUntil = 0;
  #spoken = 0;

  /** Adds the next piece of sound. Returns the window that it completes. */
  add(samples: Float32Array, probability: number): SpeechWindow | undefined {
    const before = this.#length + samples.length > LONGEST ? this.#cut() : undefined;
    this.#append({ samples, probability });
    if (this.#spokenUntil === 0) {
      this.#forget(PADDING);
      return before;
    }
    return before ?? (this.#length - this.#spokenUntil >= SILENCE ? this.end() : undefined);
  }

  /** Ends the open window, after a silence or at the end of the sound. */
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

  /** Returns the window up to the place where speech is least likely. The rest begins the next window. */
  #cut(): SpeechWindow | undefined {
    let [at, least, length] = [this.#pieces.length, Infinity, 0];
    for (const [index, { samples, probability }] of this.#pieces.entries()) {
      length += samples.length;
      if (length < EARLIEST_CUT || probability > least) continue;
      [at, least] = [index + 1, probability];
    }
    return this.#take(at);
  }

  /** Returns the window of the first `count` pieces. The other pieces are added again. */
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

  /** Keeps about this number of the last samples. */
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
