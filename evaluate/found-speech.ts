/** Speech and texts of a medium: intervals with speakers and texts. */
import type { FoundTrack, Writer } from '../results/document/findings.ts';
import { EvaluationError } from './error.ts';
import { isWanted, type Wanted } from './found-boxes.ts';
import type { Stretch } from './measures/speech-time.ts';

export interface Said extends Stretch {
  readonly type: string;
  readonly action: string;
  readonly text: string;
  /** Position in a picture. */
  readonly x: number;
  readonly y: number;
}

/** Properties that name a speaker. The first one that a track has is used. */
const SPEAKERS = ['SPEAKER_ID', 'SPEAKER'];

interface SaidParts {
  readonly media: ReadonlySet<number>;
  readonly wanted: Wanted;
  readonly limit: number;
  /** Properties with text. The first one that a track has is used. */
  readonly properties: readonly string[];
}

export class FoundSpeech implements Writer {
  /** Speech and texts by medium. */
  readonly said = new Map<number, Said[]>();
  /** All types of tracks in these media. */
  readonly types = new Set<string>();
  readonly #parts: SaidParts;
  #count = 0;

  constructor(parts: SaidParts) {
    this.#parts = parts;
  }

  track(track: FoundTrack): string {
    const { media, wanted, limit } = this.#parts;
    if (!media.has(track.medium.mediaId)) return '';
    this.types.add(track.type);
    if (!isWanted(wanted, track)) return '';
    if ((this.#count += 1) > limit)
      throw new EvaluationError(`The document has more than ${limit} tracks, which --limit allows.`);
    const all = this.said.get(track.medium.mediaId) ?? [];
    all.push(this.#saidBy(track));
    this.said.set(track.medium.mediaId, all);
    return '';
  }

  #saidBy({ type, action, startOffsetTime, stopOffsetTime, exemplar, trackProperties }: FoundTrack): Said {
    const own = { ...exemplar?.detectionProperties, ...trackProperties };
    const first = (names: readonly string[]) =>
      names.map((name) => own[name] ?? '').find((value) => value !== '') ?? '';
    return {
      ...{ type, action, start: startOffsetTime, stop: stopOffsetTime },
      ...{ speaker: first(SPEAKERS), text: first(this.#parts.properties) },
      ...{ x: exemplar?.x ?? 0, y: exemplar?.y ?? 0 },
    };
  }
}

/** Sorts by time. In a picture, sorts from top to bottom, then from left to right. */
export const inReadingOrder = (said: readonly Said[]): readonly Said[] =>
  said.toSorted((a, b) => a.start - b.start || a.y - b.y || a.x - b.x);
