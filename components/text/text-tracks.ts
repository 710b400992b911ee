/** Joins lines of text that stay at about the same place over consecutive sampled frames to tracks. Pure. */
import type { FoundDetection, FoundTrack } from '../sdk/detector.ts';
import { overlap } from './rectangles.ts';
import type { Box } from './rectangles.ts';
import type { TextLine } from './read-picture.ts';
import { similarity } from './similarity.ts';

/** Boxes that have at least this in common lie at the same place. */
const SAME_PLACE = 0.3;

interface OpenTrack {
  readonly detections: FoundDetection[];
  last: TextLine;
  best: TextLine;
}

export class TextTracks {
  readonly #similarity: number;
  #open: OpenTrack[] = [];

  /** `minSimilarity`: share of equal characters (0-1) from which on two readings are of the same text. */
  constructor(minSimilarity: number) {
    this.#similarity = minSimilarity;
  }

  /** Takes the lines of the next sampled frame; answers the tracks that ended with the frame before. */
  next(frame: number, lines: readonly TextLine[]): readonly FoundTrack[] {
    const owners = this.#owners(lines);
    const before = this.#open;
    this.#open = lines.map((line, i) => extended(owners[i], frame, line));
    const alive = new Set(owners);
    return before.filter((track) => !alive.has(track)).map(finished);
  }

  end(): readonly FoundTrack[] {
    const ended = this.#open.map(finished);
    this.#open = [];
    return ended;
  }

  /** For each line the track that it goes on with, if any: best fits first, each track once. */
  #owners(lines: readonly TextLine[]): (OpenTrack | undefined)[] {
    const fits = this.#open
      .flatMap((track) => lines.map((line, index) => ({ track, index, fit: this.#fit(track.last, line) })))
      .filter(({ fit }) => fit > 0)
      .toSorted((a, b) => b.fit - a.fit);
    const owners: (OpenTrack | undefined)[] = lines.map(() => undefined);
    const taken = new Set<OpenTrack>();
    for (const { track, index } of fits) {
      if (owners[index] !== undefined || taken.has(track)) continue;
      owners[index] = track;
      taken.add(track);
    }
    return owners;
  }

  /** How well a line goes on with another one; 0 when it is not the same text at about the same place. */
  #fit(before: TextLine, now: TextLine): number {
    const common = overlap(before, now);
    if (common < SAME_PLACE && !(before.text === now.text && isNear(before, now))) return 0;
    const alike = similarity(before.text, now.text);
    return alike >= this.#similarity ? alike + common : 0;
  }
}

/** The very same words may move further between two frames: by twice their height. */
function isNear(a: Box, b: Box): boolean {
  const reach = 2 * Math.min(a.height, b.height);
  return Math.abs(a.x - b.x) <= reach && Math.abs(a.y - b.y) <= reach;
}

function extended(track: OpenTrack | undefined, frame: number, line: TextLine): OpenTrack {
  const detection = detectionOf(frame, line);
  if (track === undefined) return { detections: [detection], last: line, best: line };
  track.detections.push(detection);
  return { ...track, last: line, best: line.confidence > track.best.confidence ? line : track.best };
}

function detectionOf(frame: number, { text, confidence, placed }: TextLine): FoundDetection {
  const { x, y, width, height, rotation } = placed;
  const lies = rotation === 0 ? {} : { ROTATION: String(rotation) };
  return { frame, x, y, width, height, confidence, properties: { TEXT: text, ...lies } };
}

function finished(track: OpenTrack): FoundTrack {
  return {
    detections: track.detections,
    confidence: track.best.confidence,
    properties: { TEXT: track.best.text },
  };
}
