/**
 * Decides, frame by frame, where a scene ends and another begins.
 *
 * A jump in looks suggests a cut when it exceeds the threshold and the unrest of the frames before it. It is judged when the new scene
 * has the least length. If the old looks came back before that, it was a flash. If the later frames are as restless, the camera began
 * to move. Larger jumps meanwhile belong to the same change, and the largest one is the cut.
 */
import { unlikeness, type Fingerprint } from './fingerprint.ts';

export interface CutRules {
  /** Least unlikeness of two successive frames, 0 to 1. */
  readonly threshold: number;
  /** How many times the usual unlikeness a jump must be. */
  readonly standOut: number;
  /** Frames of the medium that a scene at least lasts. */
  readonly minLength: number;
}

export interface Cut {
  /** First frame of the new scene. */
  readonly frame: number;
  readonly unlikeness: number;
}

interface Suspicion {
  /** What the scene looked like before the change began. */
  readonly before: Fingerprint;
  cut: Cut;
  /** Unlikeness of the other frames since then, summed up. */
  unrest: number;
  frames: number;
}

/** Whatever the unrest, a jump beyond this is a cut. */
const CERTAIN = 0.75;
/** Weight of the newest frame in the usual unlikeness; the first frames weigh more. */
const MEMORY = 0.1;

export class CutFinder {
  readonly #rules: CutRules;
  #last: Fingerprint | undefined;
  #usual = 0;
  #jumps = 0;
  #suspicion: Suspicion | undefined;

  constructor(rules: CutRules) {
    this.#rules = rules;
  }

  /** Takes the looks of the next frame; answers a cut once it is believed. */
  next(frame: number, looks: Fingerprint): Cut | undefined {
    const last = this.#last;
    this.#last = looks;
    if (last === undefined) return undefined;
    const jump = unlikeness(last, looks);
    let believed: Cut | undefined;
    if (this.#suspicion !== undefined && frame - this.#suspicion.cut.frame >= this.#rules.minLength)
      believed = this.#judge();
    if (this.#suspicion !== undefined) this.#follow(this.#suspicion, { frame, unlikeness: jump }, looks);
    else if (jump >= this.#rules.threshold && this.#standsOut(jump, this.#usual))
      this.#suspicion = { before: last, cut: { frame, unlikeness: jump }, unrest: 0, frames: 0 };
    else this.#learn(jump);
    return believed;
  }

  /** The cut still under suspicion, when the video ended with frame `stop` and the new scene was long enough. */
  finish(stop: number): Cut | undefined {
    const suspicion = this.#suspicion;
    return suspicion && stop - suspicion.cut.frame + 1 >= this.#rules.minLength ? this.#judge() : undefined;
  }

  #judge(): Cut | undefined {
    const { cut, unrest, frames } = this.#suspicion!;
    this.#suspicion = undefined;
    return this.#standsOut(cut.unlikeness, frames > 0 ? unrest / frames : 0) ? cut : undefined;
  }

  #follow(suspicion: Suspicion, jump: Cut, looks: Fingerprint): void {
    if (unlikeness(suspicion.before, looks) < this.#rules.threshold / 2) {
      this.#suspicion = undefined;
      return;
    }
    const larger = jump.unlikeness > suspicion.cut.unlikeness;
    suspicion.unrest += Math.min(jump.unlikeness, suspicion.cut.unlikeness);
    suspicion.frames++;
    if (larger) suspicion.cut = jump;
    this.#learn(jump.unlikeness);
  }

  #standsOut(jump: number, usual: number): boolean {
    return jump >= Math.min(CERTAIN, this.#rules.standOut * usual);
  }

  #learn(jump: number): void {
    this.#jumps++;
    this.#usual += Math.max(MEMORY, 1 / this.#jumps) * (jump - this.#usual);
  }
}
