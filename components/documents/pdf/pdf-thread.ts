/** Parses a PDF in a separate thread, because a page can block the thread for minutes. */
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { parentPort, workerData, type MessagePort } from 'node:worker_threads';
import { countDroppedPictures } from './reader-warnings.ts';

interface Reader {
  readonly WorkerMessageHandler: { initializeFromPort(port: MessagePort): void };
}

// The package has no types for this file.
const file = createRequire(import.meta.url).resolve('pdfjs-dist/legacy/build/pdf.worker.mjs');
const { WorkerMessageHandler } = (await import(pathToFileURL(file).href)) as Reader;
WorkerMessageHandler.initializeFromPort(workerData as MessagePort);

// Each message requests the number of pictures that were dropped since the previous one.
const droppedSince = countDroppedPictures();
parentPort?.on('message', () => parentPort?.postMessage(droppedSince()));
