/** Clips of a recording: MP4 files assembled from fragments while they are sent, without decoding or copying them before. */
import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import { createHash } from 'node:crypto';
import type { ServedFile } from '../served-file.ts';
import { endOf, fragmentsBetween, type StoredFragment } from './fragment-files.ts';
import { readHead, type FragmentHead, type Sample } from './fragment-head.ts';
import { movieHead } from './movie.ts';

/** Milliseconds since the epoch. */
export interface ClipRange {
  readonly from: number;
  readonly to: number;
}

interface Piece {
  readonly head: FragmentHead;
  /** Time at which its first picture is shown, in ticks since the first picture of the clip. */
  readonly start: number;
  /** In decoding order. */
  readonly samples: readonly Sample[];
}

export interface Clip extends ClipRange {
  readonly ticksPerSecond: number;
  /** Arrival of each picture (milliseconds since the epoch), in the order of presentation. */
  readonly shownAt: readonly number[];
  readonly file: ServedFile;
}

/** Time before the start of a clip in which a key picture is searched for. */
const LOOK_BACK_MS = 120_000;

/**
 * Returns undefined if nothing was recorded at that time. A clip begins with a key picture and has one format: it ends where the camera
 * changes its format.
 */
export async function clipOf(folder: string, range: ClipRange): Promise<Clip | undefined> {
  const found = await fragmentsBetween(folder, range.from - LOOK_BACK_MS, range.to);
  const heads = await readAll(decodable(found, range.from));
  const pieces = place(oneFormat(heads, range));
  const trimmed = trim(pieces, range);
  return trimmed.length === 0 ? undefined : new ClipFile(trimmed).clip;
}

/** Fragments from the last key picture before the start. Fragments without their key picture are left out. */
function decodable(fragments: readonly StoredFragment[], from: number): readonly StoredFragment[] {
  const begun = fragments.findLastIndex(({ at, isKey }) => isKey && at <= from);
  const wanted = fragments.slice(Math.max(0, begun));
  // Fragments that ended before the start are dropped, because their last picture is no longer shown.
  const isGone = wanted.length > 0 && wanted.every((one) => endOf(one) < from);
  let run = '';
  return (isGone ? [] : wanted).filter((one) => {
    if (one.isKey) ({ run } = one);
    return one.run === run;
  });
}

/** Reads all heads. After a damaged fragment, it skips to the next key picture. */
async function readAll(fragments: readonly StoredFragment[]): Promise<readonly FragmentHead[]> {
  const heads: FragmentHead[] = [];
  let isBroken = false;
  for (const fragment of fragments) {
    if (isBroken && !fragment.isKey) continue;
    const head = await readHead(fragment);
    isBroken = head === undefined;
    if (head !== undefined) heads.push(head);
  }
  return heads;
}

/** The consecutive fragments of one format that cover most of the range. */
function oneFormat(heads: readonly FragmentHead[], { from, to }: ClipRange): readonly FragmentHead[] {
  const groups: FragmentHead[][] = [];
  for (const head of heads) {
    const last = groups.at(-1);
    if (last?.[0]?.moov.equals(head.moov) === true) last.push(head);
    else groups.push([head]);
  }
  const covers = (group: readonly FragmentHead[]) =>
    group.reduce((sum, { fragment }) => sum + Math.max(0, Math.min(to, endOf(fragment)) - Math.max(from, fragment.at)), 0); // oxfmt-ignore
  return groups.reduce<readonly FragmentHead[]>(
    (best, group) => (best.length === 0 || covers(group) > covers(best) ? group : best),
    [],
  );
}

/** Within a run, times follow the camera's clock. In gaps of the recording, the last picture stays until the next one. */
function place(heads: readonly FragmentHead[]): readonly Piece[] {
  const pieces: Piece[] = [];
  for (const head of heads) {
    const before = pieces.at(-1);
    pieces.push({ head, samples: head.samples, start: before === undefined ? 0 : startAfter(before, head) });
  }
  return pieces;
}

function startAfter(before: Piece, { fragment, ticksPerSecond }: FragmentHead): number {
  const { fragment: earlier } = before.head;
  if (fragment.run === earlier.run && fragment.position > earlier.position)
    return before.start + fragment.position - earlier.position;
  const byClock = Math.round(((fragment.at - earlier.at) / 1_000) * ticksPerSecond);
  return before.start + Math.max(byClock, endTicks(before));
}

const endTicks = ({ samples }: Pick<Piece, 'samples'>): number =>
  samples.reduce((most, { time, duration }) => Math.max(most, time + duration), 0);

const cameAt = ({ fragment, ticksPerSecond }: FragmentHead, { time }: Sample): number =>
  fragment.at + (time / ticksPerSecond) * 1_000;

/** Cuts the clip: from the last key picture before the start to the last picture before the end. */
function trim(pieces: readonly Piece[], { from, to }: ClipRange): readonly Piece[] {
  const isBegun = (head: FragmentHead) => (sample: Sample) => sample.isKey && cameAt(head, sample) <= from;
  const first = Math.max(0, pieces.findLastIndex(({ head }) => head.samples.some(isBegun(head)))); // oxfmt-ignore
  return pieces.slice(first).flatMap((piece, n) => {
    const { head, samples } = piece;
    const start = n === 0 ? Math.max(0, samples.findLastIndex(isBegun(head))) : 0;
    const stop = samples.findLastIndex((sample) => cameAt(head, sample) <= to) + 1;
    const kept = samples.slice(start, Math.max(stop, n === 0 ? start + 1 : 0));
    return kept.length === 0 ? [] : [{ ...piece, samples: kept }];
  });
}

interface Part {
  readonly path: string;
  readonly at: number;
  readonly bytes: number;
}

class ClipFile implements ServedFile {
  readonly bytes: number;
  readonly modified: number;
  readonly etag: string;
  readonly identity: string;
  readonly clip: Clip;
  readonly #head: Buffer;
  readonly #parts: readonly Part[];

  constructor(pieces: readonly Piece[]) {
    const chunks = pieces.map(({ samples, start }) => ({
      samples: samples.map(({ size, time, isKey }) => ({ size, time: start + time, isKey })),
    }));
    const last = pieces.at(-1)!;
    const lastShown = last.samples.reduce((latest, one) => (one.time > latest.time ? one : latest));
    const { moov, ticksPerSecond } = last.head;
    this.#head = movieHead(moov, chunks, lastShown.duration);
    this.#parts = pieces.map(({ head, samples }) => ({
      path: head.fragment.path,
      at: samples[0]!.at,
      bytes: samples.reduce((sum, { size }) => sum + size, 0),
    }));
    this.bytes = this.#parts.reduce((sum, { bytes }) => sum + bytes, this.#head.length);
    this.modified = Math.floor(endOf(last.head.fragment));
    this.identity = createHash('sha256').update(this.#head).update(JSON.stringify(this.#parts)).digest('hex');
    this.etag = `"${this.identity.slice(0, 32)}"`;
    const shownAt = pieces
      .flatMap(({ head, samples }) => samples.map((sample) => cameAt(head, sample)))
      .toSorted((a, b) => a - b);
    const to = cameAt(last.head, lastShown) + (lastShown.duration / ticksPerSecond) * 1_000;
    this.clip = { from: shownAt[0]!, to, ticksPerSecond, shownAt, file: this };
  }

  stream(part = { start: 0, end: this.bytes - 1 }): Readable {
    return Readable.from(this.#pieces(part.start, part.end + 1), { objectMode: false });
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  async *#pieces(start: number, stop: number): AsyncGenerator<Buffer> {
    const inHead = this.#head.subarray(start, stop);
    if (inHead.length > 0) yield inHead;
    let place = this.#head.length;
    for (const { path, at, bytes } of this.#parts) {
      const [from, to] = [Math.max(start, place) - place, Math.min(stop, place + bytes) - place];
      place += bytes;
      if (from < to) yield* createReadStream(path, { start: at + from, end: at + to - 1 });
    }
  }
}
