/** Reads the head of a recorded fragment: its pictures, and their places in the file. */
import { open } from 'node:fs/promises';
import { boxesIn, type Box } from './boxes.ts';
import type { StoredFragment } from './fragment-files.ts';

export interface Sample {
  /** Offset from the beginning of the file. */
  readonly at: number;
  readonly size: number;
  /** Presentation time in ticks since the first shown picture of the fragment. */
  readonly time: number;
  readonly duration: number;
  readonly isKey: boolean;
}

export interface FragmentHead {
  readonly fragment: StoredFragment;
  /** The common header of all fragments of one format. */
  readonly moov: Buffer;
  readonly ticksPerSecond: number;
  /** In decoding order. */
  readonly samples: readonly Sample[];
}

const FIRST_BYTES = 64 * 1024;
/** Maximum size of the head, for the maximum number of pictures in a fragment. */
const MOST_HEAD_BYTES = 1024 * 1024;

/** Returns undefined if the file is damaged or was deleted. */
export async function readHead(fragment: StoredFragment): Promise<FragmentHead | undefined> {
  const file = await open(fragment.path, 'r').catch(() => undefined);
  if (file === undefined) return undefined;
  try {
    const { size } = await file.stat();
    for (const most of [FIRST_BYTES, MOST_HEAD_BYTES]) {
      const { bytesRead, buffer } = await file.read(Buffer.alloc(Math.min(most, size)), 0, Math.min(most, size), 0); // oxfmt-ignore
      const head = headOf(fragment, buffer.subarray(0, bytesRead), size);
      if (head !== 'more') return head;
    }
    return undefined;
  } catch {
    return undefined;
  } finally {
    await file.close();
  }
}

/** 'more': the head is longer than the bytes read. */
function headOf(fragment: StoredFragment, bytes: Buffer, size: number): FragmentHead | 'more' | undefined {
  const boxes = boxesIn(bytes);
  const [moov, moof, mdat] = ['moov', 'moof', 'mdat'].map((type) => boxes.find((one) => one.type === type));
  if (mdat === undefined) return 'more';
  if (moov === undefined || moof === undefined || mdat.at + mdat.size > size) return undefined;
  const ticksPerSecond = timescaleOf(moov);
  const samples = samplesOf(moof);
  if (ticksPerSecond === undefined || samples === undefined || samples.length === 0) return undefined;
  return { fragment, moov: bytes.subarray(moov.at, moov.at + moov.size), ticksPerSecond, samples };
}

const inside = (box: Box | undefined, type: string): Box | undefined =>
  box === undefined ? undefined : boxesIn(box.body).find((one) => one.type === type);

function timescaleOf(moov: Box): number | undefined {
  const mdhd = inside(inside(inside(moov, 'trak'), 'mdia'), 'mdhd')?.body;
  if (mdhd === undefined) return undefined;
  return mdhd.readUInt32BE(mdhd[0] === 1 ? 20 : 12);
}

const NON_SYNC = 0x10000;

/** Reads the track fragment header and track run (ISO 14496-12, 8.8.7 and 8.8.8). */
function samplesOf(moof: Box): readonly Sample[] | undefined {
  const traf = inside(moof, 'traf');
  const [tfhd, trun] = [inside(traf, 'tfhd')?.body, inside(traf, 'trun')?.body];
  if (tfhd === undefined || trun === undefined) return undefined;
  const usual = defaultsOf(tfhd);
  const flags = trun.readUInt32BE(0);
  const count = trun.readUInt32BE(4);
  let at = 8;
  const word = () => trun.readUInt32BE((at += 4) - 4);
  let place = moof.at + ((flags & 0x1) !== 0 ? word() : 0);
  const firstFlags = (flags & 0x4) !== 0 ? word() : undefined;
  let decoded = 0;
  const samples = Array.from({ length: count }, (_, n): Sample => {
    const duration = (flags & 0x100) !== 0 ? word() : usual.duration;
    const size = (flags & 0x200) !== 0 ? word() : usual.size;
    const own = (flags & 0x400) !== 0 ? word() : usual.flags;
    const offset = (flags & 0x800) !== 0 ? word() | 0 : 0;
    const isKey = (((n === 0 ? firstFlags : undefined) ?? own) & NON_SYNC) === 0;
    const sample = { at: place, size, time: decoded + offset, duration, isKey };
    place += size;
    decoded += duration;
    return sample;
  });
  const first = samples.reduce((least, { time }) => Math.min(least, time), Infinity);
  return samples.map((sample) => ({ ...sample, time: sample.time - first }));
}

function defaultsOf(tfhd: Buffer) {
  const flags = tfhd.readUInt32BE(0);
  let at = 8;
  const word = (bit: number, bytes = 4) => {
    if ((flags & bit) === 0) return 0;
    at += bytes;
    return tfhd.readUInt32BE(at - 4);
  };
  word(0x1, 8);
  word(0x2);
  const [duration, size, sampleFlags] = [word(0x8), word(0x10), word(0x20)];
  return { duration, size, flags: sampleFlags };
}
