/** Reads protobuf messages in a file without loading it. Other content is skipped by its length. */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

/** A field of a message. Its content is at `start` to `end` in the file. */
export interface ProtoField {
  readonly number: number;
  /** 0: a number, 1: eight bytes, 2: bytes with a length, 5: four bytes. */
  readonly wire: number;
  readonly start: number;
  readonly end: number;
}

/** The file contains other data than protobuf messages, or is cut off. */
export class ProtoError extends Error {}

const WINDOW = 64 * 1024;
/** Maximum number of fields. Real models have fewer; a malicious file may have more. */
const MOST_FIELDS = 5_000_000;
/** Maximum length of a number in a protobuf message, in bytes. */
const LONGEST_VARINT = 10;

export class ProtoFile {
  readonly size: number;
  readonly #fd: number;
  readonly #window = Buffer.alloc(WINDOW);
  #windowStart = 0;
  #windowEnd = 0;
  #fields = 0;

  constructor(path: string) {
    this.#fd = openSync(path, 'r');
    this.size = fstatSync(this.#fd).size;
  }

  close(): void {
    closeSync(this.#fd);
  }

  /** Yields the fields of the message at `start` to `end`. Throws ProtoError. */
  *fields(start: number, end: number): Generator<ProtoField> {
    let at = start;
    while (at < end) {
      if (++this.#fields > MOST_FIELDS) throw new ProtoError('It has too many parts.');
      const key = this.#varint(at, end);
      const field = this.#content(Math.floor(key.value / 8), key.value % 8, key.end, end);
      yield field;
      at = field.end;
    }
  }

  text({ start, end }: ProtoField, most: number): string {
    if (end - start > most) throw new ProtoError(`It holds a text of ${end - start} bytes.`);
    const bytes = Buffer.alloc(end - start);
    if (readSync(this.#fd, bytes, 0, bytes.length, start) < bytes.length) throw cutOff();
    return bytes.toString('utf8');
  }

  #content(number: number, wire: number, at: number, end: number): ProtoField {
    if (number < 1) throw new ProtoError('It has a field without a number.');
    let [start, stop] = [at, at];
    if (wire === 0) stop = this.#varint(at, end).end;
    else if (wire === 1) stop = at + 8;
    else if (wire === 5) stop = at + 4;
    else if (wire === 2) {
      const length = this.#varint(at, end);
      start = length.end;
      stop = start + length.value;
    } else throw new ProtoError(`It has a field of the unknown form ${wire}.`);
    if (stop > end) throw cutOff();
    return { number, wire, start, end: stop };
  }

  #varint(at: number, end: number): { readonly value: number; readonly end: number } {
    let value = 0;
    for (let i = 0; i < LONGEST_VARINT && at + i < end; i++) {
      const byte = this.#byte(at + i);
      value += (byte & 127) * 2 ** (7 * i);
      if (byte < 128) return { value, end: at + i + 1 };
    }
    throw cutOff();
  }

  #byte(at: number): number {
    if (at < this.#windowStart || at >= this.#windowEnd) {
      this.#windowStart = at;
      this.#windowEnd = at + readSync(this.#fd, this.#window, 0, WINDOW, at);
      if (at >= this.#windowEnd) throw cutOff();
    }
    return this.#window[at - this.#windowStart]!;
  }
}

const cutOff = () => new ProtoError('It is cut off.');
