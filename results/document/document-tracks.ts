/** The tracks of a detection document, one after the other, as far as a search needs them. Memory does not grow with the document. */
import { createReadStream } from 'node:fs';
import { numberOf, textOf } from './found-values.ts';
import { documentValues, type Found, type Interest, type Place } from './document-scan.ts';

export interface DocumentTrack {
  readonly medium: DocumentTrackMedium;
  /** Name of the action that found it. */
  readonly action: string;
  readonly algorithm: string;
  readonly id: string;
  readonly type: string;
  readonly startFrame: number;
  readonly stopFrame: number;
  readonly startMs: number;
  readonly stopMs: number;
  readonly confidence: number;
  /** Those of the properties that were asked for, of the track or else of its exemplar, in the order of the names. */
  readonly properties: readonly (readonly [name: string, value: string])[];
}
export interface DocumentTrackMedium {
  /** Place in the document, from 0. */
  readonly index: number;
  readonly mediaId: number;
  readonly uri: string;
  readonly mediaType: string;
  readonly mimeType: string;
}

export interface TrackReading {
  /** Names of properties. */
  readonly properties: readonly string[];
  /** Bytes of a property as it stands in the document; the rest is left out. */
  readonly cutAt: number;
}

const READ_BYTES = 256 * 1024;

const BELOW: Interest['below'] = {
  ROOT: { media: 'MEDIA' },
  MEDIA: { '[]': 'MEDIUM' },
  MEDIUM: { output: 'OUTPUT' },
  OUTPUT: { '*': 'ENTRIES' },
  ENTRIES: { '[]': 'ENTRY' },
  ENTRY: { tracks: 'TRACKS' },
  TRACKS: { '[]': 'TRACK' },
  TRACK: { trackProperties: 'TRACK_PROPERTIES', exemplar: 'EXEMPLAR' },
  EXEMPLAR: { detectionProperties: 'DETECTION' },
};
const OF_TRACK = [
  ...['id', 'type', 'confidence'],
  ...['startOffsetFrame', 'stopOffsetFrame', 'startOffsetTime', 'stopOffsetTime'],
];

/** The tracks of a part of the document at a time. @throws DocumentError */
export async function* documentTracks(
  path: string,
  { properties, cutAt }: TrackReading,
): AsyncGenerator<readonly DocumentTrack[]> {
  const names = new Set(properties);
  const interest: Interest = {
    below: BELOW,
    shown: {
      MEDIUM: new Set(['mediaId', 'path', 'mediaType', 'mimeType']),
      ENTRY: new Set(['source', 'algorithm']),
      TRACK: new Set(OF_TRACK),
      TRACK_PROPERTIES: names,
      DETECTION: names,
    },
    left: new Set<Place>(['TRACK']),
    cutAt,
    passesOver: true,
  };
  const reader = new TrackReader(properties);
  const source = createReadStream(path, { highWaterMark: READ_BYTES }) as AsyncIterable<Buffer>;
  for await (const pieces of documentValues(source, interest)) {
    const tracks: DocumentTrack[] = [];
    for (const piece of pieces)
      if ('left' in piece) tracks.push(reader.track());
      else reader.take(piece);
    if (tracks.length > 0) yield tracks;
  }
}

type Values = Partial<Record<Place, Record<string, unknown>>>;

/** Puts together what is told of a track one value at a time. */
class TrackReader {
  readonly #properties: readonly string[];
  #mediumIndex = -1;
  #medium: DocumentTrackMedium | undefined;
  #values: Values = {};

  constructor(properties: readonly string[]) {
    this.#properties = properties;
  }

  take({ place, key, value, medium }: Found): void {
    if (medium !== this.#mediumIndex) {
      this.#mediumIndex = medium;
      this.#values = {};
    }
    if (place === 'MEDIUM') this.#medium = undefined;
    (this.#values[place] ??= {})[key] = value;
  }

  /** The track that ends here; its medium and its entry stay for the next one. */
  track(): DocumentTrack {
    const { TRACK: own = {}, ENTRY: entry = {}, TRACK_PROPERTIES: of = {}, DETECTION: exemplar = {} } = this.#values; // oxfmt-ignore
    this.#values = { ...keptOf(this.#values, 'MEDIUM'), ...keptOf(this.#values, 'ENTRY') };
    return {
      medium: (this.#medium ??= this.#readMedium()),
      action: textOf(entry['source']),
      algorithm: textOf(entry['algorithm']),
      id: textOf(own['id']),
      type: textOf(own['type']),
      startFrame: numberOf(own['startOffsetFrame']),
      stopFrame: numberOf(own['stopOffsetFrame']),
      startMs: numberOf(own['startOffsetTime']),
      stopMs: numberOf(own['stopOffsetTime']),
      confidence: numberOf(own['confidence'], -1),
      properties: this.#properties.flatMap((name) => {
        const value = textOf(of[name] ?? exemplar[name]);
        return value === '' ? [] : [[name, value] as const];
      }),
    };
  }

  #readMedium(): DocumentTrackMedium {
    const { mediaId, path, mediaType, mimeType } = this.#values.MEDIUM ?? {};
    return {
      index: this.#mediumIndex,
      mediaId: numberOf(mediaId, -1),
      uri: textOf(path),
      mediaType: textOf(mediaType),
      mimeType: textOf(mimeType),
    };
  }
}

const keptOf = (values: Values, place: 'MEDIUM' | 'ENTRY'): Values =>
  values[place] === undefined ? {} : { [place]: values[place] };
