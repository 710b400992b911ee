/** Writes the pictures of a document to files, each once, and notes the pages on which they stand. */
import { fileTypeFromBuffer } from 'file-type';
import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sharp } from '../../../media/picture/sharp.ts';
import { MAX_KEPT_PIXELS } from '../../documents/limits.ts';
import type { Pixels, Undecodable } from '../../documents/pdf/pdf-pictures.ts';
import type { DroppedPictures } from '../../documents/pdf/reader-warnings.ts';
import { isDrawing } from './drawing-file.ts';

export interface Picture {
  readonly path: string;
  readonly pages: Set<number>;
  /** Whether it shows a page as a whole. */
  readonly rendered?: boolean;
}

/** Pictures that cannot be looked at. */
export interface PassedOver {
  readonly passedOver: 'DRAWING' | 'TOO_LARGE' | 'TOO_MANY_PIXELS' | 'UNDECODABLE';
  readonly pages: Set<number>;
  /** How many they are; 1 when absent. */
  readonly count?: number;
  /** Which one it is, in words. */
  readonly which?: string;
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
  readonly #undecoded: PassedOver[] = [];
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
    const known = [...this.#known.values()].filter((one) => one !== undefined && 'passedOver' in one);
    return [...known, ...this.#undecoded];
  }

  /** Pictures that the PDF reader has dropped. */
  addDropped(page: number, { tooLarge, undecodable }: DroppedPictures): void {
    const pages = new Set([page]);
    if (tooLarge > 0) this.#undecoded.push({ passedOver: 'TOO_MANY_PIXELS', pages, count: tooLarge });
    if (undecodable > 0) this.#undecoded.push({ passedOver: 'UNDECODABLE', pages, count: undecodable });
  }

  addUndecodable(page: number, { number, width, height }: Undecodable): void {
    const isKnown = width > 0 && height > 0;
    if (isKnown && Math.min(width, height) < this.#minSize) return;
    const which = `picture ${number} of page ${page}${isKnown ? ` (${width} x ${height} pixels)` : ''}`;
    this.#undecoded.push({ passedOver: 'UNDECODABLE', pages: new Set([page]), which });
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
    const known = this.#notePicture(page, bytes, '');
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

  /** Pixels become a PNG file of up to MAX_KEPT_PIXELS; where they let something shine through, that is white paper. */
  async addPixels(page: number, { width, height, channels, data }: Pixels): Promise<void> {
    if (Math.min(width, height) < this.#minSize) return;
    const known = this.#notePicture(page, data, `${width} ${height} ${channels}`);
    if (known.done) return;
    const path = this.#next('png');
    const raw = sharp(data, { raw: { width, height, channels }, limitInputPixels: false });
    const opaque = channels === 4 ? raw.flatten({ background: '#ffffff' }) : raw;
    const scale = Math.sqrt(MAX_KEPT_PIXELS / (width * height));
    await (scale < 1 ? opaque.resize({ width: Math.floor(width * scale) }) : opaque).png().toFile(path);
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

  #notePicture(
    page: number,
    bytes: Uint8Array,
    shape: string,
  ): { readonly done: boolean; readonly hash: string } {
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
