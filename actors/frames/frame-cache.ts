/** A cache of files that can be made again: above a total size, the least recently used ones are deleted. */
import { rm, stat } from 'node:fs/promises';

export class FrameCache {
  readonly #maxBytes: number;
  /** Size by path, the most recently used last. */
  readonly #bytes = new Map<string, number>();
  #total = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** True if the file exists. The call counts as a use. */
  async has(path: string): Promise<boolean> {
    const bytes = this.#bytes.get(path);
    if (bytes === undefined) return false;
    this.#forget(path, bytes);
    // The job of the file may have been deleted.
    const found = await stat(path).catch(() => undefined);
    if (found === undefined) return false;
    this.#remember(path, found.size);
    return true;
  }

  /** Registers a file that was made. */
  async add(path: string): Promise<void> {
    const { size } = await stat(path);
    this.#forget(path, this.#bytes.get(path) ?? 0);
    this.#remember(path, size);
    for (const [oldest, bytes] of this.#bytes) {
      if (this.#total <= this.#maxBytes || oldest === path) return;
      this.#forget(oldest, bytes);
      await rm(oldest, { force: true });
    }
  }

  async remove(path: string): Promise<void> {
    this.#forget(path, this.#bytes.get(path) ?? 0);
    await rm(path, { force: true });
  }

  #remember(path: string, bytes: number): void {
    this.#bytes.set(path, bytes);
    this.#total += bytes;
  }

  #forget(path: string, bytes: number): void {
    if (this.#bytes.delete(path)) this.#total -= bytes;
  }
}
