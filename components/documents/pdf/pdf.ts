/** Opens PDF documents, page by page. */
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { MessageChannel, Worker } from 'node:worker_threads';
import { getDocument, PDFWorker, VerbosityLevel } from 'pdfjs-dist/legacy/build/pdf.mjs';
import type { PDFPageProxy } from 'pdfjs-dist/legacy/build/pdf.mjs';
import type { ChosenPages } from '../chosen-pages.ts';
import { MAX_PAGE_MS, MAX_PDF_MEMORY_MB, passwordNeeded, tooLarge } from '../limits.ts';
import { readerOptions } from './pdf-options.ts';
import type { DroppedPictures } from './reader-warnings.ts';

/** Number of pages after which data that pages share is freed. It is read again where needed. */
const TIDY_PAGES = 20;
/** Timeout of an orderly end, in which the reader closes its files. */
const PARTING_MS = 500;

export interface PdfPage {
  readonly pageNumber: number;
  /** Queries the reader about the page. Throws COULD_NOT_READ_MEDIA if it takes too long or too much memory. */
  askPage<T>(ask: (page: PDFPageProxy) => Promise<T>): Promise<T>;
  /** Returns the pictures that the reader has dropped since the last call. Throws the errors of `askPage`. */
  droppedSince(): Promise<DroppedPictures>;
}

/** Yields the chosen pages. Throws COULD_NOT_READ_MEDIA if a password is needed or a limit is exceeded, and errors of the PDF reader. */
export async function* pdfPages(
  path: string,
  signal: AbortSignal,
  chosen: ChosenPages,
): AsyncGenerator<PdfPage> {
  const thread = openThread(signal);
  const task = openDocument(path, thread.worker);
  const askPage = <T>(answer: Promise<T>): Promise<T> => inTime(answer, thread.signal);
  try {
    const document = await askPage(task.promise);
    let read = 0;
    for (const number of chosen.of(document.numPages)) {
      signal.throwIfAborted();
      const page = await askPage(document.getPage(number));
      yield {
        pageNumber: number,
        askPage: (ask) => askPage(ask(page)),
        droppedSince: () => askPage(thread.droppedSince()),
      };
      page.cleanup();
      // Fonts, and pictures of several pages, are otherwise kept beyond the page.
      if (++read % TIDY_PAGES === 0) await askPage(document.cleanup());
    }
  } catch (error) {
    throw (error as Error).name === 'PasswordException' ? passwordNeeded() : error;
  } finally {
    // A busy thread does not react, but it is ended anyway.
    await Promise.race([task.destroy(), sleep(PARTING_MS)]);
    await thread.close();
  }
}

function openDocument(path: string, worker: PDFWorker) {
  return getDocument({ ...readerOptions(path), worker });
}

interface Thread {
  readonly worker: PDFWorker;
  /** Aborts with `signal`, or when the thread has ended. */
  readonly signal: AbortSignal;
  droppedSince(): Promise<DroppedPictures>;
  close(): Promise<void>;
}

/** Starts a thread. In the component's own thread, the reader would block cancels and timeouts. */
function openThread(signal: AbortSignal): Thread {
  const { port1: here, port2: there } = new MessageChannel();
  const thread = new Worker(new URL('./pdf-thread.js', import.meta.url), {
    workerData: there,
    transferList: [there],
    resourceLimits: { maxOldGenerationSizeMb: MAX_PDF_MEMORY_MB },
  });
  const broken = new AbortController();
  thread.once('error', (error: NodeJS.ErrnoException) => {
    const full = error.code === 'ERR_WORKER_OUT_OF_MEMORY';
    broken.abort(full ? tooLarge(`it takes more than ${MAX_PDF_MEMORY_MB} MB of memory`) : error);
  });
  // The thread counts some of the warnings, and logs none.
  const worker = new PDFWorker({ port: here as never, verbosity: VerbosityLevel.WARNINGS });
  return {
    worker,
    signal: AbortSignal.any([signal, broken.signal]),
    async droppedSince() {
      const answer = once(thread, 'message');
      thread.postMessage('dropped');
      return ((await answer) as [DroppedPictures])[0];
    },
    async close() {
      worker.destroy();
      here.close();
      await thread.terminate();
    },
  };
}

/** Throws COULD_NOT_READ_MEDIA if `said` takes longer than `mostMs`, or the reason of the signal. */
export async function inTime<T>(said: Promise<T>, signal: AbortSignal, mostMs = MAX_PAGE_MS): Promise<T> {
  const done = new AbortController();
  const limit = sleep(mostMs, undefined, { signal: AbortSignal.any([signal, done.signal]) }).then(() => {
    throw tooLarge(`one of its pages takes longer than ${mostMs / 1000} s`);
  });
  try {
    return await Promise.race([said, limit]);
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    done.abort();
  }
}
