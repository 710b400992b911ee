import type { FileHandle } from 'node:fs/promises';
import type { Readable } from 'node:stream';

/**
 * Writes a stream into a file with back-pressure and returns the number of bytes. Before each piece is written, `arriving` is called with
 * it and with the size including it, and may throw to refuse. The stream stays open, so that its sender can still be answered. `from`:
 * offset of the first byte in the file.
 */
export async function copyInto(
  source: Readable,
  file: FileHandle,
  arriving: (data: Buffer, size: number) => void | Promise<void>,
  from = 0,
): Promise<number> {
  let size = 0;
  for await (const chunk of source.iterator({ destroyOnReturn: false })) {
    const data = asBuffer(chunk as Uint8Array | string);
    if (data.length === 0) continue;
    const start = from + size;
    size += data.length;
    await arriving(data, size);
    for (let at = 0; at < data.length;)
      at += (await file.write(data, at, data.length - at, start + at)).bytesWritten;
  }
  return size;
}

function asBuffer(chunk: Uint8Array | string): Buffer {
  if (typeof chunk === 'string') return Buffer.from(chunk);
  return Buffer.isBuffer(chunk) ? chunk : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
}
