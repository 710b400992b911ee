import { z } from 'zod';
import { wholeNumber } from '../common.ts';

const MAX_NAME_BYTES = 200;
/** Valid file names: not hidden, in no other folder, and without invisible characters. */
const PLAIN = /^[^./\\\p{Cc}\p{Cs}][^/\\\p{Cc}\p{Cs}]*$/u;

/** Name that a component gives to a file that it sends. */
export const leaseFileName = z
  .string()
  .refine((name) => PLAIN.test(name) && Buffer.byteLength(name) <= MAX_NAME_BYTES, {
    error: `must be the name of a file, of 1 to ${MAX_NAME_BYTES} bytes, that begins with no dot and has no slash, backslash or control character`,
  })
  .describe('A plain name; one that is sent again replaces the first');

export const frameNumber = wholeNumber(0, 2 ** 31 - 1).describe('Number of the frame, from 0');
export const leaseFrameQuery = z.object({
  format: z.enum(['jpeg', 'png']).default('jpeg').describe('png is lossless and slower'),
});

export const storedFile = z
  .object({
    path: z.string().describe('Its present path, for use in the answer'),
    bytes: z.int().describe('Size of the file: bytes'),
    sha256: z.string().describe('SHA-256 of the file in hexadecimal digits'),
  })
  .meta({ id: 'StoredFile' });
