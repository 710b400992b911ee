/** Reads a file of the user piece by piece. Error messages contain the name of the file. */
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { EvaluationError, reasonOf } from '../error.ts';

/** Maximum length of a line of numbers, or of a transcript. */
const LONGEST_LINE = 16 * 1024 * 1024;
const READ_BYTES = 256 * 1024;
const START_BYTES = 64 * 1024;

/** A file with a truth. */
export interface TruthFile {
  readonly file: string;
  /** Name of the file in messages. */
  readonly name: string;
}

export class Source {
  readonly file: string;
  readonly name: string;
  /** Maximum number of boxes read from the file. */
  readonly limit: number;

  constructor({ file, name }: TruthFile, limit: number) {
    this.file = file;
    this.name = name;
    this.limit = limit;
  }

  /** Returns an error, which the caller must throw. */
  failure(problem: string): EvaluationError {
    return new EvaluationError(`${this.name} ${problem}`);
  }

  bytes(): AsyncIterable<Uint8Array> {
    return createReadStream(this.file, { highWaterMark: READ_BYTES }) as AsyncIterable<Buffer>;
  }

  /** Reads the start of the file. @throws EvaluationError if the file cannot be read */
  async start(): Promise<Buffer> {
    const file = await open(this.file).catch((error: unknown) => {
      throw codeOf(error) === 'ENOENT'
        ? new EvaluationError(`There is no file ${this.name}.`)
        : this.failure(`cannot be read: ${reasonOf(error)}`);
    });
    try {
      const { bytesRead, buffer } = await file.read(Buffer.alloc(START_BYTES), 0, START_BYTES, 0);
      return buffer.subarray(0, bytesRead);
    } catch (error) {
      throw codeOf(error) === 'EISDIR'
        ? this.failure('is a folder: name a file in it.')
        : this.failure(`cannot be read: ${reasonOf(error)}`);
    } finally {
      await file.close();
    }
  }

  /** Yields lines that are not blank, with their numbers from 1 and without the byte order mark. @throws EvaluationError */
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
      throw error instanceof TypeError ? this.failure('is not UTF-8 text.') : error;
    }
  }
}

/** Returns the error code of the system, such as ENOENT. */
const codeOf = (error: unknown) => (error as NodeJS.ErrnoException).code;

export interface Line {
  readonly text: string;
  readonly number: number;
}
