/** Joins barcodes of the same text and format in successive looked-at frames to tracks. Pure. */
import type { FoundDetection, FoundTrack } from '../sdk/detector.ts';
import { centreDistance } from '../tracking/boxes.ts';
import type { Barcode } from './reader.ts';

/** What is read fits its check digits or its error correction: there is no doubt left to express. */
const CERTAIN = 1;

interface OpenTrack {
  readonly code: Barcode;
  readonly detections: FoundDetection[];
  missed: number;
}

export class BarcodeTracks {
  readonly #maxGap: number;
  #open: OpenTrack[] = [];

  /** `maxGap`: looked-at frames in a row in which a code may not be readable. */
  constructor(maxGap: number) {
    this.#maxGap = maxGap;
  }

  /** Takes the codes of the next looked-at frame; answers the tracks that ended by it. */
  next(frame: number, codes: readonly Barcode[]): readonly FoundTrack[] {
    for (const track of this.#open) track.missed++;
    for (const code of codes) {
      const track = this.#nearest(code);
      if (track === undefined) this.#open.push({ code, detections: [detectionOf(frame, code)], missed: 0 });
      else {
        track.detections.push(detectionOf(frame, code));
        track.missed = 0;
      }
    }
    const ended = this.#open.filter(({ missed }) => missed > this.#maxGap);
    this.#open = this.#open.filter((track) => !ended.includes(track));
    return ended.map(finished);
  }

  end(): readonly FoundTrack[] {
    const ended = this.#open.map(finished);
    this.#open = [];
    return ended;
  }

  /** Of the tracks that wait for such a code the one that saw it last nearest by: a picture may show it many times. */
  #nearest(code: Barcode): OpenTrack | undefined {
    const distance = ({ detections }: OpenTrack): number => centreDistance(detections.at(-1)!, code);
    return this.#open
      .filter(
        ({ code: known, missed }) => missed > 0 && known.text === code.text && known.format === code.format,
      )
      .toSorted((a, b) => distance(a) - distance(b))[0];
  }
}

function detectionOf(frame: number, { x, y, width, height, text, format }: Barcode): FoundDetection {
  const properties = { TEXT: text, FORMAT: format };
  return { frame, x, y, width, height, confidence: CERTAIN, properties };
}

function finished({ code, detections }: OpenTrack): FoundTrack {
  return { detections, confidence: CERTAIN, properties: { TEXT: code.text, FORMAT: code.format } };
}
