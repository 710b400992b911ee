/** A temporary file of lines that are written once and read by their place. */
import { mkdtemp, open, rm, type FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LineReader, LineWriter, type Place } from '../../../../results/lines.ts';

export interface Scratch {
  write(text: string): Promise<Place>;
  /** Reads a line. Only allowed after all writes. */
  read(place: Place): Promise<string>;
  close(): Promise<void>;
}

/** Opens a scratch file, which is created at the first write. */
export function openScratch(): Scratch {
  let opened: Promise<Scratch> | undefined;
  const scratch = () => (opened ??= openFile());
  return {
    write: async (text) => (await scratch()).write(text),
    read: async (place) => (await scratch()).read(place),
    close: async () => (await opened)?.close(),
  };
}

/** Creates the file and deletes its name at once, so that nothing remains even if the process is killed. */
async function openFile(): Promise<Scratch> {
  const folder = await mkdtemp(join(tmpdir(), 'troupe-'));
  const removeFolder = (): Promise<void> => rm(folder, { recursive: true, force: true });
  const nameless = process.platform !== 'win32';
  try {
    const file = await open(join(folder, 'lines'), 'wx+', 0o600);
    if (nameless) await removeFolder();
    return onFile(file, nameless ? async () => undefined : removeFolder);
  } catch (error) {
    await removeFolder();
    throw error;
  }
}

function onFile(file: FileHandle, remove: () => Promise<void>): Scratch {
  const writer = new LineWriter(file);
  let reader: LineReader | undefined;
  return {
    write: (text) => writer.write(text),
    async read(place) {
      if (reader === undefined) await writer.flush();
      reader ??= new LineReader(file);
      return reader.read(place);
    },
    async close() {
      await file.close();
      await remove();
    },
  };
}
