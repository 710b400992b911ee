/** Joins text lines that stay at about the same place over consecutive sampled frames to tracks. Pure. */
import type { FoundDetection, FoundTrack } from '../../sdk/detector.ts';
import { OpenTrack, type Following, type TrackPart } from '../../shared/tracking/open-track.ts';
import { overlap } from './lines/rectangles.ts';
import type { Box } from '../../../domain/geometry/geometry.ts';
import type { TextLine } from './read-picture.ts';
import { similarity } from './similarity.ts';

/** Minimum overlap of boxes at the same place. */
const SAME_PLACE = 0.3;

interface TextTrack {
  readonly track: OpenTrack;
  readonly last: TextLine;
  readonly best: TextLine;
}

export class TextTracks {
  readonly #similarity: number;
  readonly #following: Following;
  #open: TextTrack[] = [];

  /** `minSimilarity`: minimum share of equal characters (0-1) in readings of the same text. */
  constructor(minSimilarity: number, following: Following = {}) {
    this.#similarity = minSimilarity;
    this.#following = following;
  }

  /** Adds the lines of the next sampled frame. Returns the tracks that ended with the previous frame. */
  next(frame: number, lines: readonly TextLine[]): readonly FoundTrack[] {
    const owners = this.#owners(lines);
    const before = this.#open;
    this.#open = lines.map((line, i) => this.#extendTrack(owners[i], frame, line));
    const alive = new Set(owners);
    return before.filter((track) => !alive.has(track)).flatMap(finishTrack);
  }

  /** Returns the findings of open tracks since the last border, with their best reading so far. The tracks stay open. */
  cut(): readonly FoundTrack[] {
    return this.#open.flatMap((track) => toFoundTracks(track, track.track.cut()));
  }

  end(): readonly FoundTrack[] {
    const ended = this.#open;
    this.#open = [];
    return ended.flatMap(finishTrack);
  }

  #extendTrack(known: TextTrack | undefined, frame: number, line: TextLine): TextTrack {
    const detection = detectionOf(frame, line);
    if (known === undefined)
      return { track: new OpenTrack(detection, this.#following), last: line, best: line };
    known.track.add(detection);
    return { ...known, last: line, best: line.confidence > known.best.confidence ? line : known.best };
  }

  /** Returns the track that each line continues, if any. The best matches are assigned first, and each track once. */
  #owners(lines: readonly TextLine[]): (TextTrack | undefined)[] {
    const fits = this.#open
      .flatMap((track) => lines.map((line, index) => ({ track, index, fit: this.#fit(track.last, line) })))
      .filter(({ fit }) => fit > 0)
      .toSorted((a, b) => b.fit - a.fit);
    const owners: (TextTrack | undefined)[] = lines.map(() => undefined);
    const taken = new Set<TextTrack>();
    for (const { track, index } of fits) {
      if (owners[index] !== undefined || taken.has(track)) continue;
      owners[index] = track;
      taken.add(track);
    }
    return owners;
  }

  /** Returns how well a line continues another one; 0 if it is not the same text at about the same place. */
  #fit(before: TextLine, now: TextLine): number {
    const common = overlap(before, now);
    if (common < SAME_PLACE && !(before.text === now.text && isNear(before, now))) return 0;
    const alike = similarity(before.text, now.text);
    return alike >= this.#similarity ? alike + common : 0;
  }
}

/** True if the boxes are close. Equal text may move further between two frames, by twice its height. */
function isNear(a: Box, b: Box): boolean {
  const reach = 2 * Math.min(a.height, b.height);
  return Math.abs(a.x - b.x) <= reach && Math.abs(a.y - b.y) <= reach;
}

function detectionOf(frame: number, { text, confidence, placed }: TextLine): FoundDetection {
  const { x, y, width, height, rotation } = placed;
  const lies = rotation === 0 ? {} : { ROTATION: String(rotation) };
  return { frame, x, y, width, height, confidence, properties: { TEXT: text, ...lies } };
}

const finishTrack = (ended: TextTrack): FoundTrack[] => toFoundTracks(ended, ended.track.end());

function toFoundTracks({ best }: TextTrack, part: TrackPart | undefined): FoundTrack[] {
  if (part === undefined) return [];
  return [{ ...part, confidence: best.confidence, properties: { TEXT: best.text } }];
}
