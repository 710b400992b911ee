export interface WorkContext {
  /** Aborts when the job is cancelled, the lease is lost, or this process is to end. */
  readonly signal: AbortSignal;
  /** `done` must grow for the server to see progress: frames, items or tracks. */
  progress(done: number, total: number): void;
  /** Input that is too large for the claim. */
  input(path: string): Promise<AsyncIterable<Uint8Array>>;
}
