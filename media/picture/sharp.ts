/** Reads, draws and writes pictures with libvips. */
import { createRequire } from 'node:module';
import type Sharp from 'sharp';

// By `require`: the package's build for `import` takes more than twice as long to load, longer than a small picture to decode.
export const sharp = createRequire(import.meta.url)('sharp') as typeof Sharp;
