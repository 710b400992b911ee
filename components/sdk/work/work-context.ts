import type { WorkMedium } from '../../../protocol/media-work.ts';
import type { LocalMedium } from '../media/media-cache.ts';

export interface WorkContext {
  /** Aborts when the job is cancelled, the lease is lost, or this process must end. */
  readonly signal: AbortSignal;
  /** The trace of the job, as a header of the W3C recommendation Trace Context; undefined without a trace. */
  readonly traceparent?: string;
  /** Reports progress. `done` must grow: frames, items or tracks. */
  progress(done: number, total: number): void;
  /** Reports activity where nothing can be counted. */
  working?(): void;
  /** Returns input that is too large for the claim. */
  input(path: string): Promise<AsyncIterable<Uint8Array>>;
  /** Returns the medium as a file on this host, which must be closed after use. Undefined if the medium's path is on this host. */
  medium?(medium: WorkMedium): Promise<LocalMedium>;
  /** Sends a file and returns its path on the server. Undefined if the server can read the file in place. */
  sendFile?(name: string, path: string): Promise<string>;
}
