/** Takes a PDF apart in a thread of its own: a page can keep it busy for minutes without a break. */
import { workerData, type MessagePort } from 'node:worker_threads';
import { WorkerMessageHandler } from 'pdfjs-dist/legacy/build/pdf.worker.mjs';

const { initializeFromPort } = WorkerMessageHandler as { initializeFromPort(port: MessagePort): void };
initializeFromPort.call(WorkerMessageHandler, workerData as MessagePort);
