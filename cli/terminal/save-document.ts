import { createWriteStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { EXIT, explain, Failure } from './failure.ts';

/** Writes a document to a file as it arrives. `what`: noun for messages. @throws Failure */
export async function saveDocument(document: Readable, file: string, what = 'document'): Promise<void> {
  await pipeline(document, createWriteStream(file)).catch((error: unknown) => {
    const place = error instanceof Error && 'path' in error;
    const problem = place ? `cannot be written to ${file}` : `is incomplete in ${file}`;
    throw new Failure(`The ${what} ${problem}: ${explain(error)}`, EXIT.failed);
  });
}
