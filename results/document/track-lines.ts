/** Reads lines of FINISH and ARTIFACTS answers for the document: all of them, or those of one type. */
import { open } from 'node:fs/promises';
import { answerPlace } from '../answer-place.ts';
import { LineReader, MAX_OWN_LINE_BYTES, readLines, type Place } from '../lines.ts';

/** Returns the track lines of a FINISH result: those at these places, or all. */
export type ReadTracks = (path: string, places?: Iterable<Place>) => AsyncIterable<string>;

/** The track lines of a FINISH answer, without its summary and the data that are not for the document. */
export async function* trackLines(path: string, places?: Iterable<Place>): AsyncGenerator<string> {
  for await (const text of places === undefined ? linesOf(path) : linesAt(path, places))
    if (!text.startsWith(SUMMARY)) yield documentPart(text);
}

async function* linesOf(path: string): AsyncGenerator<string> {
  for await (const { text } of readLines(path, MAX_OWN_LINE_BYTES)) yield text;
}

async function* linesAt(path: string, places: Iterable<Place>): AsyncGenerator<string> {
  const { path: shared, offset } = answerPlace(path);
  const file = await open(shared);
  try {
    const reader = new LineReader(file);
    for (const place of places) yield await reader.read({ ...place, offset: offset + place.offset });
  } finally {
    await file.close();
  }
}

/** Start of the last line of an answer. */
export const SUMMARY = '{"summary":';
/** Separates the JSON of a track from internal data. A tab cannot occur inside the JSON. */
export const HIDDEN = '\t';

function documentPart(line: string): string {
  const at = line.indexOf(HIDDEN);
  return at < 0 ? line : line.slice(0, at);
}

/** Places of the lines of each type: their lengths, and their offsets. */
export type TypeIndex = ReadonlyMap<string, { readonly offsets: number[]; readonly bytes: number[] }>;

/** Indexes the lines `first` to `first + count - 1`. */
export async function typesIn(path: string, first: number, count: number): Promise<TypeIndex> {
  const index = new Map<string, { offsets: number[]; bytes: number[] }>();
  let at = -1;
  for await (const { text, offset, bytes } of readLines(path, MAX_OWN_LINE_BYTES)) {
    at += 1;
    if (at < first) continue;
    if (at >= first + count || text.startsWith(SUMMARY)) break;
    const type = trackType(text);
    const known = index.get(type) ?? { offsets: [], bytes: [] };
    known.offsets.push(offset);
    known.bytes.push(bytes);
    index.set(type, known);
  }
  return index;
}

export function* placesOf(index: TypeIndex, type: string): Generator<Place> {
  const { offsets, bytes } = index.get(type) ?? { offsets: [], bytes: [] };
  for (const [n, offset] of offsets.entries()) yield { offset, bytes: bytes[n] ?? 0 };
}

/** The fields before `type` are names and numbers (see components/builtin/media/finish), so the line need not be parsed. */
function trackType(line: string): string {
  const literal = /^\{[^{}[\]]*?"type":("(?:[^"\\]|\\.)*")/.exec(line)?.[1];
  return literal === undefined ? '' : (JSON.parse(literal) as string);
}
