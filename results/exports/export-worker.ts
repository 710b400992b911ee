/** A thread that makes one export and ends; see `exporter.ts`. */
import { once } from 'node:events';
import { setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { DocumentError } from '../document/document-scan.ts';
import type { PictureSource } from './asked-pictures.ts';
import { convertDocuments, type Conversion } from './convert.ts';
import type { FromExport, ToExport } from './exporter.ts';
import { ExportRefusal } from './one-medium.ts';

const port = parentPort;
if (port === null) throw new Error('This module runs as a worker thread only.');

/** Other work has priority over exports. Only on Linux: elsewhere this would change the priority of the whole process. */
const NICE = 10;
if (process.platform === 'linux') setPriority(NICE);

/** Number of requested pieces that are not made yet. */
let asked = 0;
const arrivals = new EventTarget();
port.on('message', (message: ToExport) => {
  if (message.kind === 'next') asked += 1;
  arrivals.dispatchEvent(new CustomEvent(message.kind, { detail: message }));
});
const tell = (message: FromExport, transfer: ArrayBuffer[] = []) => port.postMessage(message, transfer);

/** Requests one picture at a time. */
const pictures: PictureSource = async (wanted) => {
  tell({ kind: 'picture', wanted });
  const [event] = (await once(arrivals, 'picture')) as [CustomEvent<Extract<ToExport, { kind: 'picture' }>>];
  return event.detail.bytes;
};

/** Maximum bytes of a message. */
const PIECE_BYTES = 64 * 1024;

/** The pieces as bytes. Small ones are joined. */
async function* inMessages(
  pieces: AsyncIterable<string | Uint8Array>,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  let [waiting, length]: [Uint8Array[], number] = [[], 0];
  for await (const piece of pieces) {
    const bytes = typeof piece === 'string' ? new TextEncoder().encode(piece) : piece;
    waiting.push(bytes);
    length += bytes.length;
    if (length < PIECE_BYTES) continue;
    yield joinPieces(waiting, length);
    [waiting, length] = [[], 0];
  }
  if (length > 0) yield joinPieces(waiting, length);
}

function joinPieces(pieces: readonly Uint8Array[], length: number): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(length);
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}

try {
  for await (const bytes of inMessages(convertDocuments(workerData as Conversion, pictures))) {
    if (asked === 0) await once(arrivals, 'next');
    asked -= 1;
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
      message: `The document of this job cannot be exported: ${message}.`,
    };
  return { kind: 'failed', message };
}
