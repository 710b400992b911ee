/**
 * Reads the tracks of a detection document one after the other, with the data that a search needs. Memory does not grow with the document.
 */
import { createReadStream } from 'node:fs';
import type { Box } from '../../domain/geometry/geometry.ts';
import type { Properties } from '../../domain/types.ts';
import { numberOf, textOf } from './found-values.ts';
import { documentValues, type Found, type Interest, type Place } from './document-scan.ts';

export interface DocumentTrack {
  readonly medium: DocumentTrackMedium;
  readonly exemplar: DocumentExemplar;
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
  /** The requested properties, of the track or else of its exemplar, in the order of the names. */
  readonly properties: readonly (readonly [name: string, value: string])[];
}
/** The best detection of the track in pixels of the stored frame. It has no box if its size is 0. */
export interface DocumentExemplar extends Box {
  readonly frame: number;
  readonly detectionProperties: Properties;
}
export interface DocumentTrackMedium {
  /** Position in the document, from 0. */
  readonly index: number;
  readonly mediaId: number;
  readonly uri: string;
  readonly mediaType: string;
  readonly mimeType: string;
}
/** A medium that was read completely. */
export interface DocumentMedium extends DocumentTrackMedium {
  /** The medium from which it was derived; 0 for a medium of the request. */
  readonly parentMediaId: number;
  /** Frames of a video, or pages of a document. */
  readonly length: number;
  /** The entries of METADATA that are in the document. */
  readonly metadata: Properties;
}
/** Content of a part of the document: tracks, and media that end in it. */
export interface DocumentPart {
  readonly tracks: readonly DocumentTrack[];
  readonly media: readonly DocumentMedium[];
}

/** Properties of a detection that rotate or mirror its box. */
const ORIENTATION = ['ROTATION', 'HORIZONTAL_FLIP'];
/** The metadata of a medium that are read. */
const METADATA = ['DURATION', 'FRAME_WIDTH', 'FRAME_HEIGHT', ...ORIENTATION];

export interface TrackReading {
  /** Names of properties. */
  readonly properties: readonly string[];
  /** Maximum bytes of a property in the document. The rest is left out. */
  readonly cutAt: number;
}

const READ_BYTES = 256 * 1024;

const BELOW: Interest['below'] = {
  ROOT: { media: 'MEDIA' },
  MEDIA: { '[]': 'MEDIUM' },
  MEDIUM: { output: 'OUTPUT', mediaMetadata: 'PROPERTIES' },
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

/** Yields one part of the document at a time. @throws DocumentError */
export async function* documentTracks(
  path: string,
  { properties, cutAt }: TrackReading,
): AsyncGenerator<DocumentPart> {
  const names = new Set(properties);
  const interest: Interest = {
    below: BELOW,
    shown: {
      MEDIUM: new Set(['mediaId', 'parentMediaId', 'path', 'mediaType', 'mimeType', 'length']),
      PROPERTIES: new Set(METADATA),
      ENTRY: new Set(['source', 'algorithm']),
      TRACK: new Set(OF_TRACK),
      TRACK_PROPERTIES: names,
      EXEMPLAR: new Set(['offsetFrame', 'x', 'y', 'width', 'height']),
      DETECTION: new Set([...names, ...ORIENTATION]),
    },
    left: new Set<Place>(['TRACK', 'MEDIUM']),
    cutAt,
    passesOver: true,
  };
  const reader = new TrackReader(properties);
  const source = createReadStream(path, { highWaterMark: READ_BYTES }) as AsyncIterable<Buffer>;
  for await (const pieces of documentValues(source, interest)) {
    const tracks: DocumentTrack[] = [];
    const media: DocumentMedium[] = [];
    for (const piece of pieces)
      if (!('left' in piece)) reader.take(piece);
      else if (piece.left === 'TRACK') tracks.push(reader.track());
      else media.push(reader.medium());
    if (tracks.length + media.length > 0) yield { tracks, media };
  }
}

type Values = Partial<Record<Place, Record<string, unknown>>>;

/** Assembles tracks from single values. */
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

  /** Returns the track that ends here. Its medium and its entry stay for the next one. */
  track(): DocumentTrack {
    const { TRACK: own = {}, ENTRY: entry = {}, TRACK_PROPERTIES: of = {}, DETECTION: exemplar = {} } = this.#values; // oxfmt-ignore
    const exemplarFields = this.#values.EXEMPLAR ?? {};
    this.#values = {
      ...keptOf(this.#values, 'MEDIUM'),
      ...keptOf(this.#values, 'PROPERTIES'),
      ...keptOf(this.#values, 'ENTRY'),
    };
    return {
      medium: (this.#medium ??= this.#readMedium()),
      exemplar: toExemplar(exemplarFields, exemplar),
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

  /** Returns the medium that ends here. */
  medium(): DocumentMedium {
    const { MEDIUM: own = {}, PROPERTIES: metadata = {} } = this.#values;
    return {
      ...this.#readMedium(),
      parentMediaId: numberOf(own['parentMediaId']),
      length: numberOf(own['length']),
      metadata: Object.fromEntries(Object.entries(metadata).map(([name, value]) => [name, textOf(value)])),
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

function toExemplar(
  { offsetFrame, x, y, width, height }: Record<string, unknown>,
  properties: Record<string, unknown>,
): DocumentExemplar {
  return {
    frame: numberOf(offsetFrame),
    ...{ x: numberOf(x), y: numberOf(y), width: numberOf(width), height: numberOf(height) },
    detectionProperties: Object.fromEntries(
      ORIENTATION.flatMap((name) => (name in properties ? [[name, textOf(properties[name])]] : [])),
    ),
  };
}

const keptOf = (values: Values, place: 'MEDIUM' | 'PROPERTIES' | 'ENTRY'): Values =>
  values[place] === undefined ? {} : { [place]: values[place] };
