/**
 * Updates `file:` URIs in documents. After DATA_DIR was moved, older documents name a folder that no longer exists. Readers get the current
 * names instead.
 */
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { RESULT_FOLDERS, UPLOADS } from './layout.ts';

/** Path of a data folder: as configured, and without symbolic links. */
interface Place {
  readonly folder: string;
  readonly real: string;
}

/** Old and current prefix of URIs. */
export interface MovedStart {
  readonly from: string;
  readonly to: string;
}

/**
 * The URI prefixes of the service's files, for each earlier data folder. Only files in the service's own folders count. Longer prefixes
 * come first, even if one data folder was inside another.
 */
export function movedStarts(former: readonly Place[], today: Place): readonly MovedStart[] {
  const starts = new Map<string, string>();
  for (const place of [today, ...former])
    for (const name of [UPLOADS, ...RESULT_FOLDERS])
      // Uploads are named by their real path, all other files by the configured folder.
      for (const as of name === UPLOADS ? (['real', 'folder'] as const) : (['folder', 'real'] as const)) {
        const from = startOf(place[as], name);
        if (!starts.has(from)) starts.set(from, startOf(today[as], name));
      }
  const moved = [...starts].map(([from, to]) => ({ from, to }));
  if (moved.every(({ from, to }) => from === to)) return [];
  return moved.toSorted((a, b) => b.from.length - a.from.length);
}

const startOf = (folder: string, name: string) => `${pathToFileURL(folder).href}/${name}/`;

/** The current URI of a file. */
export function todaysUri(uri: string, moved: readonly MovedStart[]): string {
  const start = moved.find(({ from }) => uri.startsWith(from));
  return start === undefined ? uri : start.to + uri.slice(start.from.length);
}

/** A stored document with current file names. Undefined if it does not exist. */
export async function openDocument(
  file: string,
  moved: readonly MovedStart[],
): Promise<{ readonly stream: Readable; readonly bytes: number | undefined } | undefined> {
  const found = await stat(file).catch(() => undefined);
  if (found === undefined) return undefined;
  const stream = createReadStream(file);
  if (moved.length === 0) return { stream, bytes: found.size };
  return { stream: Readable.from(withTodaysFiles(stream as AsyncIterable<Buffer>, moved)), bytes: undefined };
}

const STRING_WITH_URI = Buffer.from('"file:');
const BACKSLASH = 0x5c;

/** A JSON text with such URI prefixes replaced by the current ones. All else passes unchanged. Memory does not grow with the text. */
export async function* withTodaysFiles(
  source: AsyncIterable<Buffer>,
  moved: readonly MovedStart[],
): AsyncGenerator<Buffer> {
  const starts = moved.map(({ from, to }) => ({ from: Buffer.from(`"${from}`), to: Buffer.from(`"${to}`) }));
  const longest = Math.max(STRING_WITH_URI.length, ...starts.map(({ from }) => from.length));
  const todays = (text: Buffer, at: number) =>
    starts.find(({ from }) => text.subarray(at, at + from.length).equals(from));
  /** Bytes that wait for the next chunk, because a prefix may continue there. `before` is the byte before them. */
  let [held, before] = [Buffer.alloc(0), 0];

  /** Returns all bytes that are decided, and keeps the rest. */
  const pass = (text: Buffer, end: number): Buffer => {
    const parts: Buffer[] = [];
    let passed = 0;
    for (let at = text.indexOf(STRING_WITH_URI); at >= 0 && at < end;) {
      // After a backslash, the quote is inside a string.
      const isWithin = (at === 0 ? before : text[at - 1]) === BACKSLASH;
      const start = isWithin ? undefined : todays(text, at);
      if (start !== undefined) {
        parts.push(text.subarray(passed, at), start.to);
        passed = at + start.from.length;
      }
      at = text.indexOf(STRING_WITH_URI, at + 1);
    }
    const rest = Math.max(passed, end);
    parts.push(text.subarray(passed, rest));
    if (rest > 0) before = text[rest - 1]!;
    held = Buffer.from(text.subarray(rest));
    return Buffer.concat(parts);
  };

  for await (const chunk of source) {
    const text = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
    if (text.length <= longest) held = Buffer.from(text);
    else yield pass(text, text.length - longest);
  }
  if (held.length > 0) yield pass(held, held.length);
}
