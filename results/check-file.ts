/** Looks at a spooled result, file in, verdict out. Runs in the thread of `check-worker.ts`. */
import { createHash } from 'node:crypto';
import { open, type FileHandle } from 'node:fs/promises';
import type {
  FeedSummary,
  FinishSummary,
  MarkupAnswer,
  PreparedMedium,
  UploadAnswer,
  WorkKind,
} from '../protocol/worker-protocol.ts';
import type { Range } from '../domain/types.ts';
import {
  bringsMedium,
  isWarning,
  withoutFrameTimes,
  wrongFeedSummary,
  wrongPrepared,
  wrongStored,
  wrongSummary,
  wrongTrack,
  wrongWarning,
} from './check-rules.ts';
import type { CheckedResult, Expectations, Refused } from './check.ts';
import { unparsable } from './json-shape.ts';
import { LineError, MAX_LINE_BYTES, readLastLine, readLines } from './lines.ts';

const NO_RANGE: Range = { start: 0, stop: -1 };
const EXCERPT = 80;

/** `ok: false` says what is wrong with the contents; a file that cannot be read at all rejects. */
export async function checkFile(
  path: string,
  kind: WorkKind,
  expectations: Expectations,
): Promise<CheckedResult> {
  try {
    return await checks[kind](path, expectations);
  } catch (error) {
    if (error instanceof LineError) return refused(error.message);
    throw error;
  }
}

const checks: Readonly<Record<WorkKind, (path: string, wanted: Expectations) => Promise<CheckedResult>>> = {
  DETECT: checkTracks,
  PREPARE: checkPrepared,
  FEED: (path) =>
    withFile(path, async (file) => {
      const line = await lastLine(file, wrongFeedSummary);
      return 'reason' in line
        ? line
        : { ok: true, kind: 'FEED', summary: (line.value as { summary: FeedSummary }).summary };
    }),
  FINISH: (path) => withFile(path, (file) => checkSummary(file, 'FINISH')),
  ARTIFACTS: (path) => withFile(path, (file) => checkSummary(file, 'ARTIFACTS')),
  MARKUP: (path) =>
    withFile(path, async (file) => {
      const line = await lastLine(file, wrongStored);
      return 'reason' in line ? line : { ok: true, kind: 'MARKUP', markup: line.value as MarkupAnswer };
    }),
  UPLOAD: (path) =>
    withFile(path, async (file) => {
      const line = await lastLine(file, wrongStored);
      return 'reason' in line ? line : { ok: true, kind: 'UPLOAD', upload: line.value as UploadAnswer };
    }),
  DOCUMENT: (path) => withFile(path, (file) => checkDocument(file, 'DOCUMENT')),
  COPY: (path) => withFile(path, (file) => checkDocument(file, 'COPY')),
};

async function checkTracks(
  path: string,
  { range = NO_RANGE, maxLineBytes }: Expectations,
): Promise<CheckedResult> {
  let tracks = 0;
  let detections = 0;
  let derived = 0;
  let warnings = 0;
  for await (const line of readLines(path, maxLineBytes ?? MAX_LINE_BYTES)) {
    const { value, wrong: broken } = parsed(line.text);
    if (broken === undefined && isWarning(value)) {
      warnings += 1;
      const wrong = wrongWarning(value);
      if (wrong !== undefined) return refused(`Warning ${warnings} ${wrong}: ${excerpt(line.text)}`);
      continue;
    }
    tracks += 1;
    const wrong = broken ?? wrongTrack(value, range);
    if (wrong !== undefined) return refused(`Track ${tracks} ${wrong}: ${excerpt(line.text)}`);
    detections += (value as { detections: unknown[] }).detections.length;
    if (bringsMedium(value as object)) derived += 1;
  }
  return { ok: true, kind: 'DETECT', tracks, detections, derived, warnings };
}

async function checkPrepared(path: string): Promise<CheckedResult> {
  let prepared: PreparedMedium | undefined;
  for await (const line of readLines(path)) {
    if (prepared !== undefined) return refused('The answer has more than one line.');
    const { value, wrong = wrongPrepared(value) } = parsed(line.text);
    if (wrong !== undefined) return refused(`The answer ${wrong}: ${excerpt(line.text)}`);
    prepared = withoutFrameTimes(value as PreparedMedium);
  }
  return prepared === undefined ? refused('The answer is empty.') : { ok: true, kind: 'PREPARE', prepared };
}

async function checkSummary(file: FileHandle, kind: 'FINISH' | 'ARTIFACTS'): Promise<CheckedResult> {
  const line = await lastLine(file, wrongSummary);
  return 'reason' in line
    ? line
    : { ok: true, kind, summary: (line.value as { summary: FinishSummary }).summary };
}

/** The last line of an answer, which says what is in it. */
async function lastLine(
  file: FileHandle,
  wrongIn: (value: unknown) => string | undefined,
): Promise<Refused | { readonly value: unknown }> {
  const line = await readLastLine(file, MAX_LINE_BYTES);
  if (line === undefined) return refused('The answer is empty.');
  const { value, wrong = wrongIn(value) } = parsed(line);
  return wrong === undefined ? { value } : refused(`The last line ${wrong}: ${excerpt(line)}`);
}

async function checkDocument(file: FileHandle, kind: 'DOCUMENT' | 'COPY'): Promise<CheckedResult> {
  const { size } = await file.stat();
  const ends = Buffer.alloc(3);
  await file.read(ends, 0, 1, 0);
  await file.read(ends, 1, 2, Math.max(0, size - 2));
  const whole = /^\{(.\}|\}\n)$/su.test(ends.toString('latin1'));
  if (!whole || size < 2) return refused('The document is not complete.');
  return { ok: true, kind, bytes: size, sha256: await sha256Of(file) };
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

function parsed(text: string): Parsed {
  const wrong = unparsable(text);
  if (wrong !== undefined) return { value: undefined, wrong };
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return { value: undefined, wrong: 'is not JSON' };
  }
}

function refused(reason: string): Refused {
  return { ok: false, reason };
}

function excerpt(text: string): string {
  const shown = JSON.stringify(text.slice(0, EXCERPT));
  return text.length > EXCERPT ? `${shown} ...` : shown;
}
