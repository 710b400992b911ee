/**
 * Decides frame by frame where a new scene begins.
 *
 * A frame is a possible cut if its change exceeds the threshold and the usual change of earlier frames. The decision is made when the new
 * scene has the minimum length. If the old look returned before, it was a flash. If later frames change as much, the camera started to
 * move. Larger changes meanwhile belong to the same event, and the largest one is the cut.
 */
import { unlikeness, type Fingerprint } from './fingerprint.ts';

export interface CutRules {
  /** Minimum difference of two successive frames, 0 to 1. */
  readonly threshold: number;
  /** Minimum ratio of a change to the usual change. */
  readonly standOut: number;
  /** Minimum length of a scene in frames. */
  readonly minLength: number;
}

export interface Cut {
  /** First frame of the new scene. */
  readonly frame: number;
  readonly unlikeness: number;
}

interface Suspicion {
  /** Look of the scene before the change. */
  readonly before: Fingerprint;
  cut: Cut;
  /** Sum of the differences of later frames. */
  unrest: number;
  frames: number;
}

/** Difference from which a change is always a cut, whatever the usual change is. */
const CERTAIN = 0.75;
/** Weight of the newest frame in the usual difference. The first frames have a larger weight. */
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

  /** Adds the look of the next frame. Returns a cut when it is confirmed. */
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

  /** Returns the pending cut if the video ended with frame `stop` and the new scene is long enough. */
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
