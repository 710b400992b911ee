/** Checks the file of a spooled result. Runs in the thread of `check-worker.ts`. */
import { createHash } from 'node:crypto';
import { open, type FileHandle } from 'node:fs/promises';
import { Readable } from 'node:stream';
import {
  ANSWER_FORMS,
  type AnswerForm,
  type WorkKind,
  type WorkTypes,
} from '../../protocol/worker-protocol.ts';
import type { PreparedMedium } from '../../protocol/media-work.ts';
import type { Range } from '../../domain/types.ts';
import {
  bringsMedium,
  isFetched,
  isWarning,
  withoutFrameTimes,
  wrongFeedSummary,
  wrongPrepared,
  wrongStored,
  wrongSummary,
  wrongTrack,
  wrongWarning,
} from './check-rules.ts';
import type { AnswersRequest, CheckedResult, Expectations, Refused } from './check.ts';
import { unparsable } from './json-shape.ts';
import { LineError, MAX_LINE_BYTES, readLastLine, readLines, splitLines, type Line } from '../lines.ts';

const NO_RANGE: Range = { start: 0, stop: -1 };
const EXCERPT = 80;

/** Checks each answer: `ok: false` has the first error of the content. Rejects if the file cannot be read. */
export async function checkAnswers({ answers }: AnswersRequest): Promise<readonly CheckedResult[]> {
  const results: CheckedResult[] = [];
  for (const { kind, expectations, ...where } of answers)
    results.push(
      await check('text' in where ? inMemory(where.text) : wholeFile(where.path), kind, expectations),
    );
  return results;
}

/** An answer in a file or in memory. */
interface Answer {
  lines(maxBytes: number): AsyncIterable<Line>;
  /** The last line that is not empty. */
  lastLine(maxBytes: number): Promise<string | undefined>;
  /** Only for an answer with its own file. */
  file<T>(use: (file: FileHandle) => Promise<T>): Promise<T>;
}

const wholeFile = (path: string): Answer => ({
  lines: (maxBytes) => readLines(path, maxBytes),
  lastLine: (maxBytes) => withFile(path, (file) => readLastLine(file, maxBytes)),
  file: (use) => withFile(path, use),
});

function inMemory(text: string): Answer {
  const data = Buffer.from(text);
  const lines = (maxBytes: number) => splitLines(Readable.from([data]), maxBytes);
  return {
    lines,
    async lastLine(maxBytes) {
      let last: string | undefined;
      for await (const { text } of lines(maxBytes)) last = text;
      return last;
    },
    file: () => Promise.reject(new Error('A document must have a file of its own.')),
  };
}

async function check(answer: Answer, kind: WorkKind, expectations: Expectations): Promise<CheckedResult> {
  try {
    const content = await FORMS[ANSWER_FORMS[kind]](answer, expectations);
    return 'reason' in content ? content : ({ ok: true, kind, ...content } as CheckedResult);
  } catch (error) {
    if (error instanceof LineError) return refuseFile(error.message);
    throw error;
  }
}

/** The data that the server takes from the answer to a kind of work. */
type Content<K extends WorkKind = WorkKind> = WorkTypes[K]['answer'];

const FORMS: Readonly<
  Record<AnswerForm, (answer: Answer, wanted: Expectations) => Promise<Content | Refused>>
> = {
  tracks: checkTracks,
  medium: checkPrepared,
  summary: (answer) =>
    lastLine(answer, wrongSummary, (line) => ({ summary: (line as Content<'FINISH'>).summary })),
  pieces: (answer) =>
    lastLine(answer, wrongFeedSummary, (line) => ({ summary: (line as Content<'FEED'>).summary })),
  stored: (answer) => lastLine(answer, wrongStored, (stored) => ({ stored }) as Content<'UPLOAD'>),
  document: (answer) => answer.file(checkDocument),
};

async function checkTracks(
  answer: Answer,
  { range = NO_RANGE, maxLineBytes }: Expectations,
): Promise<Content<'DETECT'> | Refused> {
  let tracks = 0;
  let detections = 0;
  let derived = 0;
  let warnings = 0;
  for await (const line of answer.lines(maxLineBytes ?? MAX_LINE_BYTES)) {
    const { value, wrong: broken } = parseJson(line.text);
    if (broken === undefined && isWarning(value)) {
      warnings += 1;
      const wrong = wrongWarning(value);
      if (wrong !== undefined) return refuseFile(`Warning ${warnings} ${wrong}: ${excerpt(line.text)}`);
      continue;
    }
    tracks += 1;
    const wrong = broken ?? wrongTrack(value, range);
    if (wrong !== undefined) return refuseFile(`Track ${tracks} ${wrong}: ${excerpt(line.text)}`);
    detections += (value as { detections: unknown[] }).detections.length;
    if (bringsMedium(value as object)) derived += 1;
  }
  return { tracks, detections, derived, warnings };
}

async function checkPrepared(answer: Answer): Promise<Content<'PREPARE'> | Refused> {
  let content: Content<'PREPARE'> | undefined;
  for await (const line of answer.lines(MAX_LINE_BYTES)) {
    if (content !== undefined) return refuseFile('The answer has more than one line.');
    const { value, wrong } = parseJson(line.text);
    const isStep = wrong === undefined && isFetched(value);
    const reason = wrong ?? (isStep ? undefined : wrongPrepared(value));
    if (reason !== undefined) return refuseFile(`The answer ${reason}: ${excerpt(line.text)}`);
    content = isStep ? value : { prepared: withoutFrameTimes(value as PreparedMedium) };
  }
  return content ?? refuseFile('The answer is empty.');
}

/** Parses the last line of an answer, which describes its content. */
async function lastLine<T extends object>(
  answer: Answer,
  wrongIn: (value: unknown) => string | undefined,
  contentOf: (value: unknown) => T,
): Promise<T | Refused> {
  const line = await answer.lastLine(MAX_LINE_BYTES);
  if (line === undefined) return refuseFile('The answer is empty.');
  const { value, wrong = wrongIn(value) } = parseJson(line);
  return wrong === undefined ? contentOf(value) : refuseFile(`The last line ${wrong}: ${excerpt(line)}`);
}

async function checkDocument(file: FileHandle): Promise<Content<'DOCUMENT'> | Refused> {
  const { size } = await file.stat();
  const ends = Buffer.alloc(3);
  await file.read(ends, 0, 1, 0);
  await file.read(ends, 1, 2, Math.max(0, size - 2));
  const whole = /^\{(.\}|\}\n)$/su.test(ends.toString('latin1'));
  if (!whole || size < 2) return refuseFile('The document is not complete.');
  return { bytes: size, sha256: await sha256Of(file) };
}

async function sha256Of(file: FileHandle): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of file.createReadStream({ start: 0, autoClose: false }) as AsyncIterable<Buffer>)
    hash.update(chunk);
  return hash.digest('hex');
}

async function withFile<T>(path: string, use: (file: FileHandle) => Promise<T>): Promise<T> {
  const file = await open(path);
  try {
    return await use(file);
  } finally {
    await file.close();
  }
}

type Parsed = { readonly value: unknown; readonly wrong?: string };

function parseJson(text: string): Parsed {
  const wrong = unparsable(text);
  if (wrong !== undefined) return { value: undefined, wrong };
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return { value: undefined, wrong: 'is not JSON' };
  }
}

function refuseFile(reason: string): Refused {
  return { ok: false, reason };
}

function excerpt(text: string): string {
  const shown = JSON.stringify(text.slice(0, EXCERPT));
  return text.length > EXCERPT ? `${shown} ...` : shown;
}
