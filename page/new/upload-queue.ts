/** Uploads files one after the other. While one is paused, the next one starts. */
import { upload, type Progress, type Uploaded } from './upload.ts';

/** Events of one upload. */
export interface UploadEvents {
  readonly onProgress: (progress: Progress) => void;
  readonly onDone: (uploaded: Uploaded) => void;
  /** @param message a sentence for the reader */
  readonly onRefused: (message: string) => void;
}

interface Entry {
  readonly file: File;
  readonly events: UploadEvents;
  state: 'waiting' | 'sending' | 'paused';
}

export class UploadQueue {
  readonly #entries = new Map<number, Entry>();
  #sending: AbortController | undefined;

  /** @param key identifies the file in the other calls */
  add(key: number, file: File, events: UploadEvents): void {
    this.#entries.set(key, { file, events, state: 'waiting' });
    void this.#next();
  }

  pause(key: number): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    const wasSending = entry.state === 'sending';
    entry.state = 'paused';
    if (wasSending) this.#sending?.abort();
  }

  resume(key: number): void {
    const entry = this.#entries.get(key);
    if (entry?.state !== 'paused') return;
    entry.state = 'waiting';
    void this.#next();
  }

  remove(key: number): void {
    this.pause(key);
    this.#entries.delete(key);
  }

  /** Stops all uploads. */
  close(): void {
    this.#entries.clear();
    this.#sending?.abort();
  }

  async #next(): Promise<void> {
    if (this.#sending !== undefined) return;
    const [key, entry] = [...this.#entries].find(([, { state }]) => state === 'waiting') ?? [];
    if (key === undefined || entry === undefined) return;
    entry.state = 'sending';
    const sending = new AbortController();
    this.#sending = sending;
    const { onProgress, onDone, onRefused } = entry.events;
    try {
      const uploaded = await upload(entry.file, onProgress, sending.signal);
      this.#entries.delete(key);
      onDone(uploaded);
    } catch (error) {
      if (!sending.signal.aborted) {
        this.#entries.delete(key);
        onRefused((error as Error).message);
      }
    }
    this.#sending = undefined;
    void this.#next();
  }
}
