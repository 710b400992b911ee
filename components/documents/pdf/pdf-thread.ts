/** Takes a PDF apart in a thread of its own: a page can keep it busy for minutes without a break. */
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { parentPort, workerData, type MessagePort } from 'node:worker_threads';
import { countDroppedPictures } from './reader-warnings.ts';

interface Reader {
  readonly WorkerMessageHandler: { initializeFromPort(port: MessagePort): void };
}

// The package has no types for this part of it.
const file = createRequire(import.meta.url).resolve('pdfjs-dist/legacy/build/pdf.worker.mjs');
const { WorkerMessageHandler } = (await import(pathToFileURL(file).href)) as Reader;
WorkerMessageHandler.initializeFromPort(workerData as MessagePort);

// Each message asks what has become of pictures since the one before.
const droppedSince = countDroppedPictures();
parentPort?.on('message', () => parentPort?.postMessage(droppedSince()));
