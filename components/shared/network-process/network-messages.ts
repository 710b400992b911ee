/**
 * Messages between a process and the process that runs networks for it: a head as JSON and numbers behind it. Each message begins with the
 * length of its head in bytes and the number of its numbers, as 32-bit integers. Both processes are on one host and of one version.
 */
import type { Socket } from 'node:net';

/** Head of a request; its numbers are the values of the input. */
export interface NetworkRequest {
  /** The model file, as a path from the root of the package. */
  readonly file: string;
  /** Absent to only load the network. */
  readonly shape?: readonly number[];
}

/** Head of an answer; its numbers are the values of all outputs, one after the other. */
export interface NetworkAnswer {
  /** Number of values of each output. */
  readonly lengths: readonly number[];
  /** Why the network could not be run. */
  readonly error?: string;
}

export interface NetworkMessage {
  readonly head: unknown;
  readonly numbers: Float32Array;
}

const PREFIX_BYTES = 8;
/** Maximum number of bytes of a head, and of numbers in a message. */
const [MOST_HEAD, MOST_NUMBERS] = [64 * 1024, 64 * 1024 * 1024];

/** Sends a message. Numbers must not change until the answer arrives. */
export function sendMessage(socket: Socket, head: object, numbers: readonly Float32Array[]): void {
  const text = Buffer.from(JSON.stringify(head));
  const prefix = Buffer.allocUnsafe(PREFIX_BYTES);
  prefix.writeUInt32LE(text.length, 0);
  prefix.writeUInt32LE(
    numbers.reduce((sum, { length }) => sum + length, 0),
    4,
  );
  socket.cork();
  socket.write(prefix);
  socket.write(text);
  for (const { buffer, byteOffset, byteLength } of numbers)
    socket.write(Buffer.from(buffer, byteOffset, byteLength));
  socket.uncork();
}

/** Puts the messages of a connection together. */
export class MessageReader {
  readonly #onMessage: (message: NetworkMessage) => void;
  readonly #prefix = Buffer.alloc(PREFIX_BYTES);
  /** Parts of the message, which are filled in this order. */
  #parts: readonly Buffer[] = [this.#prefix];
  #part = 0;
  #filled = 0;
  /** Used again for numbers of the same count, because messages of a connection are alike. */
  #numbers: Float32Array = new Float32Array(0);

  /** `onMessage` gets numbers that are valid until the next message arrives, in memory that threads can share. */
  constructor(onMessage: (message: NetworkMessage) => void) {
    this.#onMessage = onMessage;
  }

  /** Throws if the bytes are not a message. */
  read(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length;) {
      const part = this.#parts[this.#part]!;
      const copied = Math.min(part.length - this.#filled, bytes.length - at);
      part.set(bytes.subarray(at, at + copied), this.#filled);
      at += copied;
      this.#filled += copied;
      if (this.#filled === part.length) this.#nextPart();
    }
  }

  #nextPart(): void {
    this.#filled = 0;
    if (this.#part === 0) this.#parts = this.#partsOf(this.#prefix);
    do this.#part++;
    while (this.#parts[this.#part]?.length === 0);
    if (this.#part < this.#parts.length) return;
    const [, head] = this.#parts;
    const message = { head: JSON.parse(head!.toString('utf8')) as unknown, numbers: this.#numbers };
    [this.#parts, this.#part] = [[this.#prefix], 0];
    this.#onMessage(message);
  }

  #partsOf(prefix: Buffer): readonly Buffer[] {
    const [head, count] = [prefix.readUInt32LE(0), prefix.readUInt32LE(4)];
    if (head > MOST_HEAD || count > MOST_NUMBERS) throw new Error('This is no message about a network.');
    if (this.#numbers.length !== count)
      this.#numbers = new Float32Array(new SharedArrayBuffer(count * Float32Array.BYTES_PER_ELEMENT));
    return [prefix, Buffer.alloc(head), Buffer.from(this.#numbers.buffer)];
  }
}
