import {
  boundedLimits,
  cutRanges,
  segmentLimits,
  type SegmentLimits,
} from '../../../domain/frames/segments.ts';
import type { PlannedTask } from '../../../domain/plan.ts';
import type { FrameTimes, Properties, Range } from '../../../domain/types.ts';

/** Maximum number of sub-jobs of one task. A larger job gets longer segments, and several fed tracks in each sub-job. */
const MAX_PIECES = 100_000;
/** Returns the maximum number of pieces of a unit. */
export function mostPieces(media: number, { actions }: PlannedTask): number {
  return Math.max(2, Math.floor(MAX_PIECES / media / actions.length));
}

/**
 * The segments of the videos of a stage, computed once for equal cuts. Many actions use the same ranges of a medium, and the same
 * properties apply to most media.
 */
export class SegmentCuts {
  readonly mostPieces: number;
  readonly #limits = new Map<Properties, Map<string, SegmentLimits>>();
  readonly #cuts = new Map<readonly Range[], Map<string, readonly Range[]>>();

  /** `mostPieces`: limit for one action on one medium. Segments become longer if there would be more. */
  constructor(mostPieces: number) {
    this.mostPieces = mostPieces;
  }

  cut(
    asked: readonly Range[],
    properties: Properties,
    video: Pick<FrameTimes, 'fps' | 'constantRate'>,
  ): readonly Range[] {
    const limits = this.#limitsOf(properties, video);
    const cuts = inner(this.#cuts, asked);
    const key = `${limits.target} ${limits.min}`;
    const known = cuts.get(key) ?? cutRanges(asked, boundedLimits(asked, limits, this.mostPieces));
    cuts.set(key, known);
    return known;
  }

  #limitsOf(properties: Properties, video: Pick<FrameTimes, 'fps' | 'constantRate'>): SegmentLimits {
    const byVideo = inner(this.#limits, properties);
    const key = `${video.constantRate} ${video.fps}`;
    const known = byVideo.get(key) ?? segmentLimits(properties, video);
    byVideo.set(key, known);
    return known;
  }
}

function inner<Outer, Value>(all: Map<Outer, Map<string, Value>>, key: Outer): Map<string, Value> {
  let found = all.get(key);
  if (found === undefined) all.set(key, (found = new Map<string, Value>()));
  return found;
}
