/** Writes the pictures of a document to files, each once, and notes the pages on which they stand. */
import { fileTypeFromBuffer } from 'file-type';
import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sharp } from '../../media/sharp.ts';
import type { Pixels } from '../documents/pdf-pictures.ts';
import { isDrawing } from './drawing.ts';

export interface Picture {
  readonly path: string;
  readonly pages: Set<number>;
  /** Whether it shows a page as a whole. */
  readonly rendered?: boolean;
}

/** A picture that cannot be looked at. */
export interface PassedOver {
  readonly passedOver: 'DRAWING' | 'TOO_LARGE';
  readonly pages: Set<number>;
}

/** Kinds of embedded files that are pictures made of pixels; drawings are passed over. */
const PICTURE_TYPES = new Set([
  'image/jpeg',
  'image/png',
  'image/gif',
  'image/webp',
  'image/tiff',
  'image/bmp',
  'image/avif',
  'image/heic',
  'image/jp2',
  'image/jpx',
  'image/vnd.ms-photo',
]);

export class Pictures {
  readonly #folder: string;
  readonly #minSize: number;
  /** By hash; those that are left out are undefined. */
  readonly #known = new Map<string, Picture | PassedOver | undefined>();
  /** Hashes by the names of parts. */
  readonly #parts = new Map<string, string>();
  #written = 0;

  /** `minSize`: pixels that the shorter side must have. */
  constructor(folder: string, minSize: number) {
    this.#folder = folder;
    this.#minSize = minSize;
  }

  /** In the order in which they were met first. */
  get all(): readonly Picture[] {
    return [...this.#known.values()].filter((one) => one !== undefined && 'path' in one);
  }

  /** Those that are no use though they are large enough. */
  get passedOver(): readonly PassedOver[] {
    return [...this.#known.values()].filter((one) => one !== undefined && 'passedOver' in one);
  }

  /** An embedded file, which is kept as it is. `part` is its name in the document, under which it is read once. */
  async addFile(page: number, part: string, read: () => Promise<Uint8Array | undefined>): Promise<void> {
    const hash = this.#parts.get(part);
    if (hash === undefined) await this.#addNew(page, part, await read());
    else this.#known.get(hash)?.pages.add(page);
  }

  async #addNew(page: number, part: string, bytes: Uint8Array | undefined): Promise<void> {
    if (bytes === undefined) {
      const key = `part ${part}`;
      this.#parts.set(part, key);
      this.#known.set(key, { passedOver: 'TOO_LARGE', pages: new Set([page]) });
      return;
    }
    const known = this.#seen(page, bytes, '');
    this.#parts.set(part, known.hash);
    if (known.done) return;
    if (isDrawing(bytes, part)) {
      this.#known.set(known.hash, { passedOver: 'DRAWING', pages: new Set([page]) });
      return;
    }
    const type = await fileTypeFromBuffer(bytes);
    if (type === undefined || !PICTURE_TYPES.has(type.mime) || (await shorterSide(bytes)) < this.#minSize)
      return;
    const path = this.#next(type.ext);
    await writeFile(path, bytes);
    this.#known.set(known.hash, { path, pages: new Set([page]) });
  }

  /** Pixels become a PNG file; where they let something shine through, that is white paper. */
  async addPixels(page: number, { width, height, channels, data }: Pixels): Promise<void> {
    if (Math.min(width, height) < this.#minSize) return;
    const known = this.#seen(page, data, `${width} ${height} ${channels}`);
    if (known.done) return;
    const path = this.#next('png');
    const raw = sharp(data, { raw: { width, height, channels }, limitInputPixels: false });
    await (channels === 4 ? raw.flatten({ background: '#ffffff' }) : raw).png().toFile(path);
    this.#known.set(known.hash, { path, pages: new Set([page]) });
  }

  /** The file into which a page is to be drawn. */
  nextPage(): string {
    return this.#next('png');
  }

  /** A page that was drawn into that file. */
  addPage(page: number, path: string): void {
    this.#known.set(`page ${page}`, { path, pages: new Set([page]), rendered: true });
  }

  #seen(page: number, bytes: Uint8Array, shape: string): { readonly done: boolean; readonly hash: string } {
    const hash = createHash('sha256').update(shape).update(bytes).digest('hex');
    const done = this.#known.has(hash);
    if (done) this.#known.get(hash)?.pages.add(page);
    // Left out until it is written.
    else this.#known.set(hash, undefined);
    return { done, hash };
  }

  #next(ending: string): string {
    return join(this.#folder, `picture-${++this.#written}.${ending}`);
  }
}

/** Pixels; Infinity when the kind of picture is not known here, which is no reason to leave it out. */
async function shorterSide(bytes: Uint8Array): Promise<number> {
  try {
    const { width, height } = await sharp(bytes, { limitInputPixels: false }).metadata();
    return Math.min(width, height);
  } catch {
    return Infinity;
  }
}
