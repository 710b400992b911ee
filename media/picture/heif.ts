/** Which files are HEIF photos that sharp cannot decode. */
import { closeSync, openSync, readSync } from 'node:fs';

/** Brands of HEIF files. AVIF brands, which sharp decodes, often occur beside them. */
const HEIF = ['heic', 'heix', 'heim', 'heis', 'hevc', 'hevx', 'hevm', 'hevs', 'mif1', 'msf1', 'mif2'];
const AVIF = ['avif', 'avis'];
const HEAD_BYTES = 256;

/**
 * True if the brands in the first box are HEIF. Reads synchronously, because handing such a small read to another thread takes far longer.
 */
export function isHeif(path: string): boolean {
  const head = Buffer.alloc(HEAD_BYTES);
  const file = openSync(path, 'r');
  try {
    readSync(file, head, 0, HEAD_BYTES, 0);
  } finally {
    closeSync(file);
  }
  if (head.toString('latin1', 4, 8) !== 'ftyp') return false;
  const end = Math.min(head.readUInt32BE(0), HEAD_BYTES);
  const brands: string[] = [];
  for (let at = 8; at + 4 <= end; at += 4) brands.push(head.toString('latin1', at, at + 4));
  return brands.some((brand) => HEIF.includes(brand)) && !brands.some((brand) => AVIF.includes(brand));
}
