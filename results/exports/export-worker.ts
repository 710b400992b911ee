/** A thread that makes one export and ends; see `exporter.ts`. */
import { on } from 'node:events';
import { setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { DocumentError } from '../document/document-scan.ts';
import { convertDocument, type Conversion } from './convert.ts';
import type { FromExport } from './exporter.ts';
import { ExportRefusal } from './one-medium.ts';

const port = parentPort;
if (port === null) throw new Error('This module runs as a worker thread only.');

/** Work that nobody waits for with a lease comes before exports. Elsewhere this would be the priority of the whole process. */
const NICE = 10;
if (process.platform === 'linux') setPriority(NICE);

/** Each message asks for a piece more. */
const asked = on(port, 'message');
const tell = (message: FromExport, transfer: ArrayBuffer[] = []) => port.postMessage(message, transfer);

try {
  for await (const text of convertDocument(workerData as Conversion)) {
    if (text === '') continue;
    await asked.next();
    const bytes = new TextEncoder().encode(text);
    tell({ kind: 'bytes', bytes }, [bytes.buffer]);
  }
  tell({ kind: 'end' });
} catch (error) {
  tell(outcomeOf(error));
}
port.close();

function outcomeOf(error: unknown): FromExport {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof ExportRefusal) return { kind: 'refused', message };
  if (error instanceof DocumentError)
    return {
      kind: 'refused',
      message: `The document of this job cannot be had in another format: ${message}.`,
    };
  return { kind: 'failed', message };
}
