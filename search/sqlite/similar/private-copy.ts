/**
 * A copy of an index file that has no name while it is mapped. A process that reads a mapped file beyond its end is killed (SIGBUS). No
 * process can prevent another program from shortening a file with a name, but no program can find the copy.
 */
import { randomBytes } from 'node:crypto';
import { closeSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import type { Segment } from './segments.ts';

const CHUNK_BYTES = 64 * 1024;
const CHECKSUM_DIGITS = 8;

export const checksumText = (sum: number): string => sum.toString(16).padStart(CHECKSUM_DIGITS, '0');

/** Opens the copy, then deletes its name. Returns undefined if the file is damaged. @throws Error if there is no space for a copy */
export function openCopyOf<T>(
  file: string,
  built: Pick<Segment, 'bytes' | 'checksum'>,
  open: (copy: string) => T,
): T | undefined {
  const copy = `${file}.${randomBytes(6).toString('hex')}`;
  try {
    return isWholeCopy(file, copy, built) ? open(copy) : undefined;
  } finally {
    removeIfPossible(copy);
  }
}

/** Removes a copy. On systems where a mapped file cannot be removed, the next start removes it. */
function removeIfPossible(copy: string): void {
  try {
    rmSync(copy, { force: true });
  } catch (error) {
    if (!/^(EBUSY|EPERM)$/.test(String((error as NodeJS.ErrnoException).code))) throw error;
  }
}

function isWholeCopy(file: string, copy: string, built: Pick<Segment, 'bytes' | 'checksum'>): boolean {
  const from = openSync(file, 'r');
  try {
    const to = openSync(copy, 'wx', 0o600);
    try {
      const { bytes, sum } = pour(from, to, built.bytes);
      return bytes === built.bytes && checksumText(sum) === built.checksum;
    } finally {
      closeSync(to);
    }
  } finally {
    closeSync(from);
  }
}

/** Copies at most one byte more than `most`. */
function pour(from: number, to: number, most: number): { readonly bytes: number; readonly sum: number } {
  const chunk = Buffer.alloc(CHUNK_BYTES);
  let [bytes, sum] = [0, 0];
  for (let read = -1; read !== 0 && bytes <= most;) {
    read = readSync(from, chunk, 0, CHUNK_BYTES, null);
    const part = chunk.subarray(0, read);
    for (let at = 0; at < read;) at += writeSync(to, part, at);
    sum = crc32(part, sum);
    bytes += read;
  }
  return { bytes, sum };
}
