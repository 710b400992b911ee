/** Speech and texts of a medium: intervals with their speakers and texts. */
import type { FoundTrack, Writer } from '../results/document/findings.ts';
import { EvaluationError } from './error.ts';
import { isWanted, type Wanted } from './found-boxes.ts';
import type { Stretch } from './measures/speech-time.ts';

export interface Said extends Stretch {
  readonly type: string;
  readonly action: string;
  readonly text: string;
  /** Where it stands in a picture. */
  readonly x: number;
  readonly y: number;
}

/** Properties of tracks that name a speaker, the first that a track has. */
const SPEAKERS = ['SPEAKER_ID', 'SPEAKER'];

interface SaidParts {
  readonly media: ReadonlySet<number>;
  readonly wanted: Wanted;
  readonly limit: number;
  /** Properties that hold the text; a track has the first of them that it knows. */
  readonly properties: readonly string[];
}

export class FoundSpeech implements Writer {
  /** By medium. */
  readonly said = new Map<number, Said[]>();
  /** All types of tracks that these media have. */
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

/** In the order of time; in a picture from top to bottom, from left to right. */
export const inReadingOrder = (said: readonly Said[]): readonly Said[] =>
  said.toSorted((a, b) => a.start - b.start || a.y - b.y || a.x - b.x);
