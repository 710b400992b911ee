/** Joins barcodes of the same text and format in successive looked-at frames to tracks. Pure. */
import type { FoundDetection, FoundTrack } from '../../sdk/detector.ts';
import { centreDistance } from '../../shared/tracking/boxes.ts';
import { OpenTrack, type Following, type TrackPart } from '../../shared/tracking/open-track.ts';
import type { Barcode } from './reader.ts';

/** What is read fits its check digits or its error correction: there is no doubt left to express. */
const CERTAIN = 1;

interface CodeTrack {
  readonly code: Barcode;
  readonly track: OpenTrack;
}

export class BarcodeTracks {
  readonly #maxGap: number;
  readonly #following: Following;
  #open: CodeTrack[] = [];

  /** `maxGap`: looked-at frames in a row in which a code may not be readable. */
  constructor(maxGap: number, following: Following = {}) {
    this.#maxGap = maxGap;
    this.#following = following;
  }

  /** Takes the codes of the next looked-at frame; answers the tracks that ended by it. */
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

  /** What open tracks have found since the last border; they go on. */
  cut(): readonly FoundTrack[] {
    return this.#open.flatMap(({ code, track }) => toFoundTrack(code, track.cut()));
  }

  end(): readonly FoundTrack[] {
    const ended = this.#open;
    this.#open = [];
    return finishTracks(ended);
  }

  /** Of the tracks that wait for such a code the one that saw it last nearest by: a picture may show it many times. */
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
