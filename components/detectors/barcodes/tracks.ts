/** Joins barcodes with the same text and format in successive processed frames to tracks. Pure. */
import type { FoundDetection, FoundTrack } from '../../sdk/detector.ts';
import { centreDistance } from '../../shared/tracking/boxes.ts';
import { OpenTrack, type Following, type TrackPart } from '../../shared/tracking/open-track.ts';
import type { Barcode } from './reader.ts';

/** Confidence of all readings, because check digits or error correction have verified them. */
const CERTAIN = 1;

interface CodeTrack {
  readonly code: Barcode;
  readonly track: OpenTrack;
}

export class BarcodeTracks {
  readonly #maxGap: number;
  readonly #following: Following;
  #open: CodeTrack[] = [];

  /** `maxGap`: maximum number of consecutive processed frames without a readable code. */
  constructor(maxGap: number, following: Following = {}) {
    this.#maxGap = maxGap;
    this.#following = following;
  }

  /** Adds the codes of the next processed frame. Returns the tracks that it ended. */
  next(frame: number, codes: readonly Barcode[]): readonly FoundTrack[] {
    for (const { track } of this.#open) track.missed++;
    for (const code of codes) {
      const detection = detectionOf(frame, code);
      const known = this.#nearest(code);
      if (known === undefined) this.#open.push({ code, track: new OpenTrack(detection, this.#following) });
      else known.track.add(detection);
    }
    const ended = this.#open.filter(({ track }) => track.missed > this.#maxGap);
    this.#open = this.#open.filter((track) => !ended.includes(track));
    return finishTracks(ended);
  }

  /** Returns the findings of open tracks since the last border. The tracks stay open. */
  cut(): readonly FoundTrack[] {
    return this.#open.flatMap(({ code, track }) => toFoundTrack(code, track.cut()));
  }

  end(): readonly FoundTrack[] {
    const ended = this.#open;
    this.#open = [];
    return finishTracks(ended);
  }

  /** Returns the track that saw the same code nearest to this place, because a picture may show a code several times. */
  #nearest(code: Barcode): CodeTrack | undefined {
    const distance = ({ track }: CodeTrack): number => centreDistance(track.last, code);
    return this.#open
      .filter(
        ({ code: known, track }) =>
          track.missed > 0 && known.text === code.text && known.format === code.format,
      )
      .toSorted((a, b) => distance(a) - distance(b))[0];
  }
}

function detectionOf(frame: number, { x, y, width, height, text, format }: Barcode): FoundDetection {
  const properties = { TEXT: text, FORMAT: format };
  return { frame, x, y, width, height, confidence: CERTAIN, properties };
}

const finishTracks = (ended: readonly CodeTrack[]): FoundTrack[] =>
  ended.flatMap(({ code, track }) => toFoundTrack(code, track.end()));

function toFoundTrack({ text, format }: Barcode, part: TrackPart | undefined): FoundTrack[] {
  return part === undefined
    ? []
    : [{ ...part, confidence: CERTAIN, properties: { TEXT: text, FORMAT: format } }];
}
