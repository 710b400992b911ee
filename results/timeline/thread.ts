/** The thread that answers queries of viewers, and the one that builds indexes. `workerData` says which one this is. */
import { createReadStream, existsSync } from 'node:fs';
import { setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import type { Database } from 'better-sqlite3';
import type { Question } from '../../domain/tracks/viewing.ts';
import { ask, UnknownMedium } from './ask.ts';
import { buildIndex } from './build.ts';
import { openIndex } from './schema.ts';

export interface ThreadData {
  readonly role: 'build' | 'answer';
  /** Time in milliseconds without queries after which an index is closed. */
  readonly idleMs: number;
}
export interface ToThread {
  readonly id: number;
  readonly index: string;
  readonly document: string;
  /** Absent: the index shall be built. */
  readonly question?: Question;
}
export type FromThread =
  | { readonly id: number; readonly value: unknown }
  /** There is no index, or it is of another version. */
  | { readonly id: number; readonly absent: true }
  | { readonly id: number; readonly unknownMedium: string }
  | { readonly id: number; readonly error: string };

const port = parentPort;
if (port === null) throw new Error('This module runs as a worker thread only.');

const READ_BYTES = 1024 * 1024;
/** Work with a lease has priority. Only on Linux: elsewhere this would change the priority of the whole process. */
const NICE = 10;
const { role, idleMs } = workerData as ThreadData;
if (role === 'build' && process.platform === 'linux') setPriority(NICE);

/** Maximum number of open indexes, the most recently used last. */
const MOST_OPEN = 8;
const open = new Map<string, { readonly db: Database; askedAt: number }>();

/** Closes unused indexes, because a deleted file uses disk space while it is open. */
function closeIdle(): void {
  const now = performance.now();
  for (const [index, { askedAt }] of open) if (now - askedAt > idleMs || !existsSync(index)) forget(index);
}
setInterval(closeIdle, Math.max(1, idleMs / 4)).unref();

function cachedIndex(index: string): Database | undefined {
  const known = open.get(index)?.db;
  open.delete(index);
  const db = known ?? openIndex(index);
  if (db === undefined) return undefined;
  open.set(index, { db, askedAt: performance.now() });
  for (const [name] of open) {
    if (open.size <= MOST_OPEN) break;
    forget(name);
  }
  return db;
}

/** Closes an index. It is deleted with its job, and must not be used afterwards. */
function forget(index: string): void {
  open.get(index)?.db.close();
  open.delete(index);
}

/** Opens the file when it is read. An error before that, such as of a deleted file, would end this thread. */
async function* readDocument(document: string): AsyncGenerator<Uint8Array> {
  yield* createReadStream(document, { highWaterMark: READ_BYTES }) as AsyncIterable<Uint8Array>;
}

async function answerQuestion({ id, index, document, question }: ToThread): Promise<FromThread> {
  try {
    if (question === undefined) {
      await buildIndex(readDocument(document), index);
      return { id, value: null };
    }
    const db = cachedIndex(index);
    return db === undefined ? { id, absent: true } : { id, value: ask(db, question) };
  } catch (error) {
    if (error instanceof UnknownMedium) return { id, unknownMedium: error.message };
    forget(index);
    // A damaged index, for example after a power failure, is built again.
    if (/^SQLITE_(CANTOPEN|CORRUPT|NOTADB)/.test((error as { code?: string }).code ?? ''))
      return { id, absent: true };
    return { id, error: error instanceof Error ? error.message : String(error) };
  }
}

let last = Promise.resolve();
port.on('message', (message: ToThread) => {
  last = last.then(async () => port.postMessage(await answerQuestion(message)));
});
