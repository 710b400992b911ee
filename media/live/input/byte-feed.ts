/** Provides an HTTP body to FFmpeg in pieces of limited size, with none at the end. */
import { networkError } from './live-error.ts';
import type { LiveError } from './live-error.ts';

export class ByteFeed {
  readonly #chunks: AsyncIterator<Uint8Array>;
  #rest: Buffer | undefined;
  /** Why reading stopped; undefined if the body is complete. */
  error: LiveError | undefined;

  constructor(body: AsyncIterable<Uint8Array>) {
    this.#chunks = body[Symbol.asyncIterator]();
  }

  /** Returns the first bytes. They can still be read afterwards. */
  async begin(): Promise<Buffer> {
    this.#rest ??= await this.#chunk();
    return this.#rest ?? Buffer.alloc(0);
  }

  /** Returns null at the end. */
  async read(size: number): Promise<Buffer | null> {
    const chunk = this.#rest ?? (await this.#chunk());
    if (chunk === undefined) return null;
    this.#rest = chunk.length > size ? chunk.subarray(size) : undefined;
    return chunk.subarray(0, size);
  }

  /** Returns the next chunk with bytes. Empty chunks are skipped, because FFmpeg would treat them as the end. */
  async #chunk(): Promise<Buffer | undefined> {
    try {
      for (;;) {
        const { done, value } = await this.#chunks.next();
        if (done === true) return undefined;
        if (value.length > 0) return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
      }
    } catch (error) {
      this.error = networkError(error);
      return undefined;
    }
  }
}
