import type { WorkMedium } from '../../../protocol/media-work.ts';
import type { LocalMedium } from '../media/media-cache.ts';

export interface WorkContext {
  /** Aborts when the job is cancelled, the lease is lost, or this process is to end. */
  readonly signal: AbortSignal;
  /** The trace of the job, as a header of the W3C recommendation Trace Context; absent: there is none. */
  readonly traceparent?: string;
  /** `done` must grow for the server to see progress: frames, items or tracks. */
  progress(done: number, total: number): void;
  /** Tells that it goes on where there is nothing to count. */
  working?(): void;
  /** Input that is too large for the claim. */
  input(path: string): Promise<AsyncIterable<Uint8Array>>;
  /** The medium as a file of this host, to be closed after use; absent: it is where its path says. */
  medium?(medium: WorkMedium): Promise<LocalMedium>;
  /** Sends a file that was made; answers its path on the server. Absent: the server reads it where it lies. */
  sendFile?(name: string, path: string): Promise<string>;
}
