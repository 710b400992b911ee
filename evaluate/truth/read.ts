/** Reads a truth in the given format, or in the format that the start of the file shows. */
import { isUtf8 } from 'node:buffer';
import { EvaluationError } from '../error.ts';
import { cocoTruth } from './coco.ts';
import { cvatTruth } from './cvat.ts';
import { isMotLine, motTruth } from './mot.ts';
import { isRttmLine, rttmTruth } from './rttm.ts';
import { Source, type TruthFile } from './source.ts';
import { cueTruth, textTruth } from './transcript.ts';
import { TRUTH_FORMATS, type Truth, type TruthFormat } from './truth.ts';

const READERS: Readonly<Record<TruthFormat, (source: Source) => Promise<Truth>>> = {
  coco: cocoTruth,
  cvat: cvatTruth,
  mot: motTruth,
  rttm: rttmTruth,
  text: textTruth,
  vtt: cueTruth,
  srt: cueTruth,
};

/** Reads a truth. @throws EvaluationError */
export async function readTruth(
  file: TruthFile,
  { format, limit }: { readonly format: TruthFormat | undefined; readonly limit: number },
): Promise<{ readonly format: TruthFormat; readonly truth: Truth }> {
  const source = new Source(file, limit);
  const start = await source.start();
  if (start.length === 0) throw source.failure('is empty.');
  const known = format ?? formatOf(start, source);
  return { format: known, truth: await READERS[known](source) };
}

function formatOf(start: Buffer, source: Source): TruthFormat {
  const text = start
    .toString('utf8')
    .replace(/^\uFEFF/, '')
    .trimStart();
  if (text.startsWith('{')) return 'coco';
  if (text.startsWith('['))
    throw source.failure('is a JSON list, as COCO results are. A COCO truth is an object with images, categories and annotations.'); // oxfmt-ignore
  if (text.startsWith('<')) return 'cvat';
  // The last character may be incomplete.
  if (start.includes(0) || ![0, 1, 2, 3].some((less) => isUtf8(start.subarray(0, start.length - less))))
    throw source.failure(`has an unknown format. Supported formats: ${TRUTH_FORMATS.join(', ')}.`);
  return formatOfText(text);
}

function formatOfText(text: string): TruthFormat {
  if (/^WEBVTT(\s|$)/.test(text)) return 'vtt';
  if (/^\d+[ \t]*\r?\n[ \t]*\d+:\d+:\d+,\d+[ \t]*-->/.test(text)) return 'srt';
  const lines = text.split(/\r?\n/, 20).filter((line) => line.trim() !== '');
  // The last line may be incomplete.
  const whole = lines.length > 1 ? lines.slice(0, -1) : lines;
  if (whole.every(isMotLine)) return 'mot';
  return whole.every(isRttmLine) ? 'rttm' : 'text';
}

export function truthFormat(given: string): TruthFormat {
  const format = TRUTH_FORMATS.find((one) => one === given.toLowerCase());
  if (format === undefined) throw new EvaluationError(`--format must be one of ${TRUTH_FORMATS.join(', ')}.`);
  return format;
}
