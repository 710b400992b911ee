/** Writes the bytes of an answer into a local file. */
import type { FileHandle } from 'node:fs/promises';
import { codeOf } from './no-answer.ts';

/** A local file could not be read or written. The message is part of a sentence. */
export class LocalFileError extends Error {}

/** The fetched content exceeds its limit. */
export class TooLarge extends Error {}

export interface FileToGet {
  readonly file: FileHandle;
  readonly maxBytes: number;
  /** Called with the bytes so far, and the total; 0 if the other side does not state it. */
  readonly onBytes?: ((done: number, total: number) => void) | undefined;
}

/** Writes the bytes into the file from its beginning. `bytes`: the total, if the other side states it. Errors: TooLarge, LocalFileError. */
export async function storeAnswer(
  stream: AsyncIterable<Uint8Array>,
  bytes: number | undefined,
  { file, maxBytes, onBytes }: FileToGet,
): Promise<void> {
  const tooLarge = new TooLarge(`it is larger than the ${maxBytes} bytes that a medium may have`);
  if ((bytes ?? 0) > maxBytes) throw tooLarge;
  await withLocalErrors(file.truncate(0));
  let size = 0;
  for await (const chunk of stream) {
    if (size + chunk.length > maxBytes) throw tooLarge;
    await withLocalErrors(file.write(chunk, 0, chunk.length, size));
    size += chunk.length;
    onBytes?.(size, bytes ?? 0);
  }
}

/** Marks a failure of the local file, to distinguish it from one of the other side. */
async function withLocalErrors(step: Promise<unknown>): Promise<void> {
  try {
    await step;
  } catch (error) {
    throw localError('written', error);
  }
}

export function localError(done: 'read' | 'written', error: unknown): LocalFileError {
  return new LocalFileError(`the file could not be ${done} (${codeOf(error) ?? String(error)})`, {
    cause: error,
  });
}
