/** Makes the head of an MP4 file whose pictures are stored in sequence: their places and presentation times. */
import { box, boxesIn, fullBox, longs, words, type Box } from './boxes.ts';

export interface MovieSample {
  readonly size: number;
  /** Presentation time in ticks. */
  readonly time: number;
  readonly isKey: boolean;
}

/** Consecutive samples: those of a fragment. */
export interface MovieChunk {
  readonly samples: readonly MovieSample[];
}

const FTYP = box(
  'ftyp',
  Buffer.from('isom', 'latin1'),
  words(512),
  Buffer.from('isomiso2avc1mp41', 'latin1'),
);
/** Size of an mdat header with a 64-bit size. */
const MDAT_HEAD = 16;

/**
 * Returns everything before the pictures. `moov`: of any fragment, because all have the same format. Pictures are in decoding order.
 * `lastTicks`: duration of the last one.
 */
export function movieHead(moov: Buffer, chunks: readonly MovieChunk[], lastTicks: number): Buffer {
  const samples = chunks.flatMap((chunk) => chunk.samples);
  const bytes = samples.reduce((sum, { size }) => sum + size, 0);
  const tables = (start: number) => moovOf(moov, chunks, samples, lastTicks, start);
  // Offsets have a fixed length, so the size does not depend on them.
  const start = FTYP.length + tables(0).length + MDAT_HEAD;
  const mdat = Buffer.concat([words(1), Buffer.from('mdat', 'latin1'), longs(bytes + MDAT_HEAD)]);
  return Buffer.concat([FTYP, tables(start), mdat]);
}

interface Times {
  /** Decoding time of each sample. */
  readonly decoded: readonly number[];
  /** Minimum delay from decoding to presentation. */
  readonly delay: number;
  readonly total: number;
}

function timesOf(samples: readonly MovieSample[], lastTicks: number): Times {
  const decoded = samples.map(({ time }) => time).toSorted((a, b) => a - b);
  const first = decoded[0] ?? 0;
  const delay = samples.reduce((most, { time }, n) => Math.max(most, decoded[n]! - time), 0);
  return { decoded, delay, total: (decoded.at(-1) ?? 0) - first + lastTicks };
}

function moovOf(
  moov: Buffer,
  chunks: readonly MovieChunk[],
  samples: readonly MovieSample[],
  lastTicks: number,
  start: number,
): Buffer {
  const [outer] = boxesIn(moov);
  const [mvhd, trak] = ['mvhd', 'trak'].map((type) => need(outer!, type));
  const mdia = need(trak!, 'mdia');
  const mdhd = need(mdia, 'mdhd');
  const times = timesOf(samples, lastTicks);
  const scale = mvhd!.body.readUInt32BE(12) / mdhd.body.readUInt32BE(12);
  const shown = Math.round(times.total * scale);
  const stbl = sampleTables(need(need(mdia, 'minf'), 'stbl'), chunks, samples, times, start);
  const minf = box('minf', ...others(need(mdia, 'minf'), ['stbl']), stbl);
  return box(
    'moov',
    withDuration(mvhd!, 16, shown),
    box(
      'trak',
      withDuration(need(trak!, 'tkhd'), 20, shown),
      box('edts', fullBox('elst', words(1, shown, times.delay, 0x10000))),
      box('mdia', withDuration(mdhd, 16, times.total), ...others(mdia, ['mdhd', 'minf']), minf),
    ),
  );
}

function need(outer: Box, type: string): Box {
  const found = boxesIn(outer.body).find((one) => one.type === type);
  if (found === undefined) throw new Error(`A recorded fragment has no ${type}.`);
  return found;
}

const whole = ({ type, body }: Box): Buffer => box(type, body);
const others = (outer: Box, without: readonly string[]): readonly Buffer[] =>
  boxesIn(outer.body)
    .filter(({ type }) => !without.includes(type))
    .map(whole);

/** Sets the duration in a box of version 0. */
function withDuration({ type, body }: Box, at: number, duration: number): Buffer {
  const copy = Buffer.from(body);
  copy.writeUInt32BE(Math.min(duration, 0xffffffff), at);
  return box(type, copy);
}

function sampleTables(
  stbl: Box,
  chunks: readonly MovieChunk[],
  samples: readonly MovieSample[],
  { decoded, delay, total }: Times,
  start: number,
): Buffer {
  const end = (decoded[0] ?? 0) + total;
  const durations = decoded.map((time, n) => (decoded[n + 1] ?? end) - time);
  const offsets = samples.map(({ time }, n) => time - decoded[n]! + delay);
  const keys = samples.flatMap(({ isKey }, n) => (isKey ? [n + 1] : []));
  let place = start;
  const places = chunks.map((chunk) => {
    const at = place;
    place += chunk.samples.reduce((sum, { size }) => sum + size, 0);
    return at;
  });
  return box(
    'stbl',
    whole(need(stbl, 'stsd')),
    runs('stts', durations),
    ...(offsets.some((offset) => offset !== 0) ? [runs('ctts', offsets)] : []),
    ...(keys.length === samples.length ? [] : [fullBox('stss', words(keys.length, ...keys))]),
    fullBox('stsz', words(0, samples.length, ...samples.map(({ size }) => size))),
    fullBox('stsc', words(chunks.length, ...chunks.flatMap((chunk, n) => [n + 1, chunk.samples.length, 1]))),
    fullBox('co64', words(places.length), longs(...places)),
  );
}

/** Run-length coding: consecutive equal values have one entry. */
function runs(type: string, values: readonly number[]): Buffer {
  const entries: [number, number][] = [];
  for (const value of values) {
    const last = entries.at(-1);
    if (last?.[1] === value) last[0]++;
    else entries.push([1, value]);
  }
  return fullBox(type, words(entries.length, ...entries.flat()));
}
