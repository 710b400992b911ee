import { randomBytes } from 'node:crypto';
import { unlinkSync } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { LineReader, LineWriter } from '../lines.ts';

/** Numbered texts in a file that is unlinked right after it is opened, so that it never outlives the process. */
export class Scratch {
  readonly #folder: string;
  #file: FileHandle | undefined;
  #writer: LineWriter | undefined;
  #reader: LineReader | undefined;
  #offsets = new Float64Array(1_024);
  #count = 0;
  #end = 0;

  constructor(folder: string) {
    this.#folder = folder;
  }

  async write(texts: readonly string[]): Promise<void> {
    if (texts.length === 0) return;
    this.#writer ??= new LineWriter(await this.#openFile());
    for (const text of texts) {
      const { offset, bytes } = await this.#writer.write(text);
      if (this.#count === this.#offsets.length) {
        const larger = new Float64Array(this.#count * 2);
        larger.set(this.#offsets);
        this.#offsets = larger;
      }
      this.#offsets[this.#count] = offset;
      this.#count += 1;
      this.#end = offset + bytes + 1;
    }
  }

  async read(number: number): Promise<string> {
    if (number >= this.#count) throw new Error(`There is no text ${number}.`);
    if (this.#reader === undefined) {
      await this.#writer!.flush();
      this.#reader = new LineReader(this.#file!);
    }
    const offset = this.#offsets[number]!;
    const next = number + 1 < this.#count ? this.#offsets[number + 1]! : this.#end;
    return this.#reader.read({ offset, bytes: next - offset - 1 });
  }

  async close(): Promise<void> {
    await this.#file?.close();
    this.#file = undefined;
  }

  async #openFile(): Promise<FileHandle> {
    const name = `${this.#folder}/.export-${randomBytes(8).toString('hex')}`;
    this.#file = await open(name, 'wx+', 0o600);
    // If the thread is ended just here, the file stays and is deleted with the folder of its job.
    unlinkSync(name);
    return this.#file;
  }
}
