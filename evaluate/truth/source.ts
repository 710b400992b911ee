/** A file of the user, read piece by piece; what is wrong with it is a sentence that names it. */
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { codeOf, explain, Failure } from '../../cli/terminal/failure.ts';
import { nearName } from '../../cli/terminal/names.ts';

/** Of a line of numbers, or of a transcript. */
const LONGEST_LINE = 16 * 1024 * 1024;
const READ_BYTES = 256 * 1024;
const START_BYTES = 64 * 1024;

export class Source {
  readonly file: string;
  /** Boxes that may be read of it. */
  readonly limit: number;

  constructor(file: string, limit: number) {
    this.file = file;
    this.limit = limit;
  }

  get name(): string {
    return nearName(this.file);
  }

  /** Always to be thrown. */
  failure(problem: string): Failure {
    return new Failure(`${this.name} ${problem}`);
  }

  bytes(): AsyncIterable<Uint8Array> {
    return createReadStream(this.file, { highWaterMark: READ_BYTES }) as AsyncIterable<Buffer>;
  }

  /** @throws Failure when it cannot be read */
  async start(): Promise<Buffer> {
    const file = await open(this.file).catch((error: unknown) => {
      throw codeOf(error) === 'ENOENT'
        ? new Failure(`There is no file ${this.name}.`)
        : this.failure(`cannot be read: ${explain(error)}`);
    });
    try {
      const { bytesRead, buffer } = await file.read(Buffer.alloc(START_BYTES), 0, START_BYTES, 0);
      return buffer.subarray(0, bytesRead);
    } catch (error) {
      throw codeOf(error) === 'EISDIR'
        ? this.failure('is a folder: name a file in it.')
        : this.failure(`cannot be read: ${explain(error)}`);
    } finally {
      await file.close();
    }
  }

  /** Lines that are not blank, without the mark of byte order, with their numbers from 1. @throws Failure */
  async *lines(): AsyncGenerator<Line> {
    let [rest, number] = ['', 0];
    for await (const text of this.#texts()) {
      const lines = (rest + text).split('\n');
      rest = lines.pop() ?? '';
      if (rest.length > LONGEST_LINE)
        throw this.failure(`has a line of more than ${LONGEST_LINE} characters.`);
      for (const line of lines) {
        number += 1;
        if (line.trim() !== '') yield { text: line.replace(/\r$/, ''), number };
      }
    }
    if (rest.trim() !== '') yield { text: rest, number: number + 1 };
  }

  async *#texts(): AsyncGenerator<string> {
    const decoder = new TextDecoder('utf-8', { fatal: true });
    try {
      for await (const chunk of this.bytes()) yield decoder.decode(chunk, { stream: true });
      yield decoder.decode();
    } catch (error) {
      throw error instanceof TypeError ? this.failure('is no text in UTF-8.') : error;
    }
  }
}

export interface Line {
  readonly text: string;
  readonly number: number;
}
