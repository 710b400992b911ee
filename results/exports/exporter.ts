/**
 * Converts detection documents to other formats, each in its own thread, so that large documents do not block the event loop. The thread
 * ends when the client disconnects, and waits for slow clients.
 */
import { Readable } from 'node:stream';
import { Worker } from 'node:worker_threads';
import type { PictureSource, WantedPicture } from './asked-pictures.ts';
import type { Conversion } from './convert.ts';

export type FromExport =
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
  | { readonly kind: 'end' }
  | { readonly kind: 'picture'; readonly wanted: WantedPicture }
  | { readonly kind: 'refused' | 'failed'; readonly message: string };

export type ToExport =
  /** Requests one more piece. */
  | { readonly kind: 'next' }
  /** The requested picture. */
  | { readonly kind: 'picture'; readonly bytes: Uint8Array<ArrayBuffer> | undefined };

export type ExportOutcome =
  | { readonly kind: 'opened'; readonly stream: Readable }
  /** The maximum number of exports is running. */
  | { readonly kind: 'full'; readonly most: number }
  /** The document has no content for the format. The message is a sentence. */
  | { readonly kind: 'refused'; readonly message: string }
  /** The client disconnected before the first piece. */
  | { readonly kind: 'left' };

export interface ExporterOptions {
  /** Maximum number of exports at a time. */
  readonly most: number;
  /** Milliseconds within which a client must read the next piece. */
  readonly paceMs: number;
}

const NEXT: ToExport = { kind: 'next' };
/** Number of pieces that are made in advance. */
const AHEAD = 2;
/** Memory limits of the thread. Only the part being read is kept, but a single text of a track may be long. */
const RESOURCES = { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 4 };

export class DocumentExporter {
  readonly #options: ExporterOptions;
  readonly #threads = new Set<Worker>();
  #isClosed = false;

  constructor(options: ExporterOptions) {
    this.#options = options;
  }

  /** Number of running exports. */
  get count(): number {
    return this.#threads.size;
  }

  /**
   * Returns the export as a stream, after its first piece. `left` aborts it before. Afterwards, the caller ends it with the stream. Without
   * `pictures` it contains none.
   * @throws Error if the document cannot be read
   */
  open(conversion: Conversion, left?: AbortSignal, pictures?: PictureSource): Promise<ExportOutcome> {
    const { most, paceMs } = this.#options;
    if (left?.aborted === true) return Promise.resolve({ kind: 'left' });
    if (this.#isClosed || this.#threads.size >= most) return Promise.resolve({ kind: 'full', most });
    const worker = new Worker(new URL('./export-worker.js', import.meta.url), {
      name: 'export',
      workerData: conversion,
      resourceLimits: RESOURCES,
    });
    this.#threads.add(worker);
    worker.once('exit', () => this.#threads.delete(worker));
    worker.on('message', (message: FromExport) => {
      if (message.kind === 'picture') void givePicture(worker, message.wanted, pictures);
    });
    return openExport(worker, paceMs, left);
  }

  /** Ends all exports. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#threads].map((worker) => worker.terminate()));
  }
}

/** Unavailable pictures are left out. */
async function givePicture(
  worker: Worker,
  wanted: WantedPicture,
  pictures: PictureSource | undefined,
): Promise<void> {
  const bytes = await pictures?.(wanted).catch(() => undefined);
  worker.postMessage({ kind: 'picture', bytes } satisfies ToExport);
}

function openExport(worker: Worker, paceMs: number, left: AbortSignal | undefined): Promise<ExportOutcome> {
  const settled = new AbortController();
  const outcome = new Promise<ExportOutcome>((resolve, reject) => {
    const stream = new ExportStream(worker, paceMs);
    stream.once('error', reject);
    const leave = () => {
      resolve({ kind: 'left' });
      stream.destroy();
    };
    left?.addEventListener('abort', leave, { once: true, signal: settled.signal });
    worker.on('message', (message: FromExport) => {
      const { kind } = message;
      if (kind === 'picture') return;
      if (kind === 'bytes' || kind === 'end') {
        resolve({ kind: 'opened', stream });
        return stream.give(kind === 'bytes' ? message.bytes : null);
      }
      // A client that already has a part gets an error.
      if (kind === 'refused') resolve({ kind, message: message.message });
      stream.destroy(new Error(message.message));
    });
    worker.once('error', (error) => stream.destroy(error));
    worker.once('exit', () => {
      if (!stream.isWhole) stream.destroy(new Error('The export was interrupted.'));
    });
  });
  return outcome.finally(() => settled.abort());
}

class ExportStream extends Readable {
  /** True if the last piece was made. */
  isWhole = false;
  readonly #worker: Worker;
  readonly #paceMs: number;
  #pace: NodeJS.Timeout | undefined;

  constructor(worker: Worker, paceMs: number) {
    super({ highWaterMark: 1 });
    this.#worker = worker;
    this.#paceMs = paceMs;
    for (let i = 0; i < AHEAD; i += 1) worker.postMessage(NEXT);
  }

  /** Null: the export is complete. */
  give(bytes: Uint8Array | null): void {
    if (bytes === null) this.isWhole = true;
    if (this.destroyed) return;
    this.#pace ??= setTimeout(
      () => this.destroy(new Error('The client did not read the export in time.')),
      this.#paceMs,
    ).unref();
    this.push(bytes === null ? null : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  }

  override _read(): void {
    clearTimeout(this.#pace);
    this.#pace = undefined;
    this.#worker.postMessage(NEXT);
  }

  override _destroy(error: Error | null, callback: (error: Error | null) => void): void {
    clearTimeout(this.#pace);
    void this.#worker.terminate().finally(() => callback(error));
  }
}
