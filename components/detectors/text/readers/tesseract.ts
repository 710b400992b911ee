/** Tesseract, an optional add-on: the npm package tesseract.js and one package per language. */
import { existsSync } from 'node:fs';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DetectionError, type ModelSettings } from '../../../sdk/detector.ts';
import { messageOf } from '../../../sdk/failure.ts';
import { rootsOf } from '../../../shared/model-files/roots.ts';
import { invalidProperty } from '../../../shared/tracking/settings.ts';
import type { LineImage } from '../lines/line-image.ts';
import type { LineReader } from './line-reader.ts';

export const TESSERACT_LANGUAGE = 'TESSERACT_LANGUAGE';

/** The used part of the package. */
interface TesseractWorker {
  setParameters(parameters: Readonly<Record<string, string>>): Promise<unknown>;
  recognize(
    picture: Buffer,
  ): Promise<{ readonly data: { readonly text: string; readonly confidence: number } }>;
  terminate(): Promise<unknown>;
}
interface Language {
  readonly code: string;
  readonly file: string;
}
interface Tesseract {
  createWorker(
    languages: readonly string[],
    engine: number,
    options: Readonly<Record<string, unknown>>,
  ): Promise<TesseractWorker>;
}

const ENGINE = 'tesseract.js';
const DATA = '@tesseract.js-data';
/** Variants of the data. The smaller and faster one comes first. */
const VARIANTS = ['4.0.0_best_int', '4.0.0'] as const;
const LSTM_ONLY = 1;
/** Mode for a picture of one text line. */
const ONE_LINE = '7';
const MOST_LANGUAGES = 5;
const SIZE = { height: 48, minWidth: 8, maxWidth: 4_096 };
const resolveFrom = createRequire(import.meta.url);

/** Runs one worker at a time, which is reused for the next job with the same languages. */
export class TesseractReaders {
  readonly #roots: readonly string[];
  #open: { readonly languages: string; readonly worker: TesseractWorker } | undefined;

  constructor({ roots }: ModelSettings) {
    this.#roots = roots;
  }

  /** Opens a reader. `text`: languages separated by `+`. Throws INVALID_PROPERTY, DETECTION_NOT_INITIALIZED. */
  async open(text: string): Promise<LineReader> {
    const codes = codesIn(text);
    const languages = codes.join('+');
    if (this.#open?.languages !== languages) {
      const tesseract = engine(codes);
      const data = await Promise.all(codes.map((code) => this.#language(code)));
      await this.close();
      this.#open = { languages, worker: await start(tesseract, data) };
    }
    const { worker } = this.#open;
    return {
      size: SIZE,
      async read(image) {
        const { data } = await worker.recognize(bitmapOf(image));
        const read = data.text.trim().replaceAll(/\s+/g, ' ');
        return { text: read, confidence: read === '' ? 0 : data.confidence / 100 };
      },
    };
  }

  async close(): Promise<void> {
    const open = this.#open;
    this.#open = undefined;
    await open?.worker.terminate();
  }

  /** Returns the data of a language: a file below MODEL_ROOTS, or the language's package. */
  async #language(code: string): Promise<Language> {
    const files = (await rootsOf(this.#roots)).flatMap((root) =>
      ['', '.gz'].map((ending) => path.join(root, `${code}.traineddata${ending}`)),
    );
    const folder = packageFolder(`${DATA}/${code}`);
    const inPackage =
      folder === undefined
        ? []
        : VARIANTS.map((variant) => path.join(folder, variant, `${code}.traineddata.gz`));
    const file = [...files, ...inPackage].find((one) => existsSync(one));
    if (file !== undefined) return { code, file };
    throw invalidProperty(
      `There are no data of the language ${code} (${TESSERACT_LANGUAGE}) on this host. Install them beside Troupe: npm install --no-save --ignore-scripts ${DATA}/${code}, or put ${code}.traineddata into a folder of MODEL_ROOTS.`,
    );
  }
}

function codesIn(text: string): readonly string[] {
  const codes = text.split(/[+,]/).map((code) => code.trim());
  const wrong = codes.find((code) => !/^[A-Za-z][A-Za-z0-9_]{1,19}$/.test(code));
  if (wrong !== undefined || codes.length > MOST_LANGUAGES)
    throw invalidProperty(
      `The ${TESSERACT_LANGUAGE} property is "${text}"; it must be at most ${MOST_LANGUAGES} names of languages as Tesseract has them, with + between them, such as ara or deu+eng.`,
    );
  return codes;
}

function engine(codes: readonly string[]): Tesseract {
  try {
    return resolveFrom(ENGINE) as Tesseract;
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'MODULE_NOT_FOUND')) throw error;
    const packages = [ENGINE, ...codes.map((code) => `${DATA}/${code}`)].join(' ');
    throw invalidProperty(
      `${TESSERACT_LANGUAGE} needs ${ENGINE}, which is not installed on this host. Install it beside Troupe: npm install --no-save --ignore-scripts ${packages}`,
    );
  }
}

function packageFolder(name: string): string | undefined {
  try {
    return path.dirname(resolveFrom.resolve(`${name}/package.json`));
  } catch {
    return undefined;
  }
}

/** Starts a worker. The package needs the data of all languages in one folder. It reports unreadable data only to its error handler. */
async function start(tesseract: Tesseract, languages: readonly Language[]): Promise<TesseractWorker> {
  const codes = languages.map(({ code }) => code);
  const langPath = await mkdtemp(path.join(tmpdir(), 'troupe-tesseract-'));
  try {
    for (const { code, file } of languages)
      await copyFile(file, path.join(langPath, `${code}.traineddata.gz`));
    const worker = await new Promise<TesseractWorker>((resolve, reject) => {
      const options = { langPath, cacheMethod: 'none', errorHandler: reject };
      tesseract.createWorker(codes, LSTM_ONLY, options).then(resolve, reject);
    });
    await worker.setParameters({ tessedit_pageseg_mode: ONE_LINE });
    return worker;
  } catch (error) {
    throw new DetectionError(
      'DETECTION_NOT_INITIALIZED',
      `Tesseract cannot be started with ${codes.join('+')}: ${messageOf(error)}. Install the data of the language again.`,
    );
  } finally {
    await rm(langPath, { recursive: true, force: true });
  }
}

/** Returns a picture in PPM format, which needs no encoder. */
function bitmapOf({ data, width, height }: LineImage): Buffer {
  const area = width * height;
  const head = Buffer.from(`P6\n${width} ${height}\n255\n`);
  const pixels = Buffer.alloc(3 * area);
  // Planes of blue, green and red in [-1, 1].
  for (let i = 0; i < area; i++)
    for (let channel = 0; channel < 3; channel++)
      pixels[3 * i + channel] = Math.round((data[(2 - channel) * area + i]! + 1) * 127.5);
  return Buffer.concat([head, pixels]);
}
