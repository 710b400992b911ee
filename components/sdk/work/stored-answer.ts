/** A large answer: it is sent while it is made, and kept in a file meanwhile, for when the connection breaks. */
import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, rm, type FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import type { WorkerClient } from '../connection/client.ts';
import { messageOf } from '../failure.ts';
import { mayPass } from '../connection/retry.ts';

/** Results up to this many bytes are sent in one piece; larger ones are sent while they are made, and kept in a file for a second time. */
const WHOLE_BYTES = 8 * 1024 * 1024;

export interface AnswerOptions {
  readonly signal: AbortSignal;
  /** CPU time of the work so far: milliseconds; absent: not measured. */
  readonly cpuMs?: () => number;
}

/** The whole answer; undefined: it has grown large, and was sent while the rest of it was made. */
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
    // Whoever stops early lets the handler close what it has open.
    await iterator.return?.();
  }
}

/** The server may go away in the middle: then all of it is sent again, from where it was kept. */
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
  /** What went wrong while the answer was made; not what went wrong on its way. */
  failed: unknown;
  readonly #path = join(tmpdir(), `troupe-answer-${randomUUID()}`);
  readonly #parts: AsyncIterator<string | Uint8Array>;
  #begun: readonly Buffer[];
  #file: FileHandle | undefined;
  #turn: Promise<unknown> = Promise.resolve();
  /** The file has all that was made so far. */
  #isKept = true;

  /** `begun`: what was made already; `parts`: the rest. */
  constructor(begun: readonly Buffer[], parts: AsyncIterator<string | Uint8Array>) {
    this.#begun = begun;
    this.#parts = parts;
  }

  /** All of it, as it is made. */
  async *pieces(): AsyncGenerator<Uint8Array> {
    for (let piece = await this.#next(); piece !== undefined; piece = await this.#next()) yield piece;
  }

  /** Makes what was not made yet; false: not all of it is kept. */
  async whole(): Promise<boolean> {
    while ((await this.#next()) !== undefined);
    return this.#isKept;
  }

  /** What was kept, once more from its beginning. */
  again(): Readable {
    return createReadStream(this.#path);
  }

  async close(): Promise<void> {
    await this.#file?.close().catch(() => undefined);
    await rm(this.#path, { force: true }).catch(() => undefined);
  }

  /** One piece after the other: a first attempt that broke off may still wait for one. */
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

  /** On a full disk the answer is sent all the same, but only once. */
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

/** Breaks off when nobody wants the answer any more. */
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
