/** The body of an HTTP answer as FFmpeg asks for it: so many bytes at most, and none at the end. */
import { networkError } from './live-error.ts';
import type { LiveError } from './live-error.ts';

export class ByteFeed {
  readonly #chunks: AsyncIterator<Uint8Array>;
  #rest: Buffer | undefined;
  /** Why there are no more bytes, unless the body has come to its end. */
  error: LiveError | undefined;

  constructor(body: AsyncIterable<Uint8Array>) {
    this.#chunks = body[Symbol.asyncIterator]();
  }

  /** The first bytes, which stay to be read. */
  async begin(): Promise<Buffer> {
    this.#rest ??= await this.#chunk();
    return this.#rest ?? Buffer.alloc(0);
  }

  /** Null at the end. */
  async read(size: number): Promise<Buffer | null> {
    const chunk = this.#rest ?? (await this.#chunk());
    if (chunk === undefined) return null;
    this.#rest = chunk.length > size ? chunk.subarray(size) : undefined;
    return chunk.subarray(0, size);
  }

  /** Chunks without a byte would be taken for the end. */
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
