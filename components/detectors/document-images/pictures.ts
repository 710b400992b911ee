/** Writes each picture of a document to a file once, and records its pages. */
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
  /** True if the picture shows a whole page. */
  readonly rendered?: boolean;
}

/** Pictures that cannot be processed. */
export interface PassedOver {
  readonly passedOver: 'DRAWING' | 'TOO_LARGE' | 'TOO_MANY_PIXELS' | 'UNDECODABLE';
  readonly pages: Set<number>;
  /** Number of pictures; 1 if undefined. */
  readonly count?: number;
  /** Description of the picture. */
  readonly which?: string;
}

/** MIME types of embedded pixel pictures. Drawings are skipped. */
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
  /** Pictures by hash; undefined for pictures that are left out. */
  readonly #known = new Map<string, Picture | PassedOver | undefined>();
  /** Hashes by part name. */
  readonly #parts = new Map<string, string>();
  readonly #undecoded: PassedOver[] = [];
  #written = 0;

  /** `minSize`: minimum length of the shorter side in pixels. */
  constructor(folder: string, minSize: number) {
    this.#folder = folder;
    this.#minSize = minSize;
  }

  /** Pictures in the order of their first occurrence. */
  get all(): readonly Picture[] {
    return [...this.#known.values()].filter((one) => one !== undefined && 'path' in one);
  }

  /** Pictures that are large enough but cannot be processed. */
  get passedOver(): readonly PassedOver[] {
    const known = [...this.#known.values()].filter((one) => one !== undefined && 'passedOver' in one);
    return [...known, ...this.#undecoded];
  }

  /** Adds pictures that the PDF reader has dropped. */
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

  /** Adds an embedded file, which is stored unchanged. `part` is its name in the document. Each part is read once. */
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

  /** Writes pixels as a PNG file of up to MAX_KEPT_PIXELS pixels. Transparent pixels become white. */
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

  /** Returns the file for the next rendered page. */
  nextPage(): string {
    return this.#next('png');
  }

  /** Adds a page that was rendered to this file. */
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
    // Left out until the file is written.
    else this.#known.set(hash, undefined);
    return { done, hash };
  }

  #next(ending: string): string {
    return join(this.#folder, `picture-${++this.#written}.${ending}`);
  }
}

/** Returns the shorter side in pixels. Returns Infinity if the format is unknown, because such pictures are not left out. */
async function shorterSide(bytes: Uint8Array): Promise<number> {
  try {
    const { width, height } = await sharp(bytes, { limitInputPixels: false }).metadata();
    return Math.min(width, height);
  } catch {
    return Infinity;
  }
}
