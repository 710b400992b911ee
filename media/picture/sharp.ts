/** Reads, draws and writes pictures with libvips. */
import { createRequire } from 'node:module';
import type Sharp from 'sharp';

// Loaded with `require`: the package's ESM build takes more than twice as long to load, which is longer than decoding a small picture.
export const sharp = createRequire(import.meta.url)('sharp') as typeof Sharp;
