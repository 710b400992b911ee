/** Sends a large answer while it is produced, and stores it in a file in case the connection breaks. */
import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, rm, type FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import type { WorkerClient } from '../connection/client.ts';
import { messageOf } from '../failure.ts';
import { mayPass } from '../connection/retry.ts';

/** Maximum size of a result that is sent at once. Larger ones are sent while they are produced, and stored for a retry. */
const WHOLE_BYTES = 8 * 1024 * 1024;

export interface AnswerOptions {
  readonly signal: AbortSignal;
  /** Returns the CPU time of the work so far in milliseconds; undefined if not measured. */
  readonly cpuMs?: () => number;
}

/** Returns the whole answer; undefined if it was large and already sent while it was produced. */
export async function sendAnswer(
  worker: { readonly client: WorkerClient; log(message: string): void },
  token: string,
  body: AsyncIterable<string | Uint8Array>,
  { signal, cpuMs }: AnswerOptions,
): Promise<Buffer | undefined> {
  const parts: Buffer[] = [];
  let size = 0;
  const iterator = body[Symbol.asyncIterator]();
  try {
    for (;;) {
      const { done, value } = await iterator.next();
      signal.throwIfAborted();
      if (done === true) return Buffer.concat(parts);
      const part = Buffer.from(value as Uint8Array);
      parts.push(part);
      size += part.length;
      if (size <= WHOLE_BYTES) continue;
      await sendLarge(worker, token, { begun: parts, rest: iterator, signal, ...(cpuMs && { cpuMs }) });
      return undefined;
    }
  } finally {
    // If sending stops early, the handler can close its resources.
    await iterator.return?.();
  }
}

/** Sends a large answer. If the server becomes unavailable meanwhile, the stored answer is sent again. */
async function sendLarge(
  { client, log }: { readonly client: WorkerClient; log(message: string): void },
  token: string,
  {
    begun,
    rest,
    signal,
    ...times
  }: AnswerOptions & {
    readonly begun: readonly Buffer[];
    readonly rest: AsyncIterator<string | Uint8Array>;
  },
): Promise<void> {
  const kept = new KeptAnswer(begun, stopWhenUnwanted(rest, signal));
  try {
    await client.result(token, kept.pieces(), times);
  } catch (error) {
    if (kept.failed !== undefined) throw kept.failed;
    if (signal.aborted || !mayPass(error) || !(await kept.whole())) throw error;
    log(`sending an answer again after an interruption: ${messageOf(error)}`);
    await client.result(token, () => kept.again(), { until: signal, ...times });
  } finally {
    await kept.close();
  }
}

class KeptAnswer {
  /** Error while the answer was produced, but not of sending it. */
  failed: unknown;
  readonly #path = join(tmpdir(), `troupe-answer-${randomUUID()}`);
  readonly #parts: AsyncIterator<string | Uint8Array>;
  #begun: readonly Buffer[];
  #file: FileHandle | undefined;
  #turn: Promise<unknown> = Promise.resolve();
  /** True if the file contains everything produced so far. */
  #isKept = true;

  /** `begun`: the parts produced so far; `parts`: the rest. */
  constructor(begun: readonly Buffer[], parts: AsyncIterator<string | Uint8Array>) {
    this.#begun = begun;
    this.#parts = parts;
  }

  /** Yields the whole answer while it is produced. */
  async *pieces(): AsyncGenerator<Uint8Array> {
    for (let piece = await this.#next(); piece !== undefined; piece = await this.#next()) yield piece;
  }

  /** Produces the rest. False if the file is incomplete. */
  async whole(): Promise<boolean> {
    while ((await this.#next()) !== undefined);
    return this.#isKept;
  }

  /** Returns the stored answer from its beginning. */
  again(): Readable {
    return createReadStream(this.#path);
  }

  async close(): Promise<void> {
    await this.#file?.close().catch(() => undefined);
    await rm(this.#path, { force: true }).catch(() => undefined);
  }

  /** Returns the next part. Calls run one after another, because a broken first attempt may still wait for a part. */
  #next(): Promise<Buffer | undefined> {
    const next = this.#turn.then(() => this.#one());
    this.#turn = next.catch(() => undefined);
    return next;
  }

  async #one(): Promise<Buffer | undefined> {
    const piece = await this.#makeAnswer();
    if (piece !== undefined) await this.#keep(piece);
    return piece;
  }

  async #makeAnswer(): Promise<Buffer | undefined> {
    const [first, ...others] = this.#begun;
    this.#begun = others;
    if (first !== undefined) return first;
    try {
      const { done, value } = await this.#parts.next();
      return done === true ? undefined : Buffer.from(value as Uint8Array);
    } catch (error) {
      this.failed = error;
      throw error;
    }
  }

  /** Stores a part. If the disk is full, the answer is still sent, but only once. */
  async #keep(piece: Buffer): Promise<void> {
    if (!this.#isKept) return;
    try {
      this.#file ??= await open(this.#path, 'wx', 0o600);
      for (let at = 0; at < piece.length;) at += (await this.#file.write(piece, at)).bytesWritten;
    } catch {
      this.#isKept = false;
    }
  }
}

/** Stops when the answer is no longer wanted. */
function stopWhenUnwanted(
  iterator: AsyncIterator<string | Uint8Array>,
  signal: AbortSignal,
): AsyncIterator<string | Uint8Array> {
  return {
    async next() {
      const made = await iterator.next();
      signal.throwIfAborted();
      return made;
    },
  };
}
