/** What a client wants recorded of a stream, and for how long. */

export interface RecordingRules {
  /** The address that is recorded, with its password; absent: that of the stream. */
  readonly uri?: string;
  /** Older pictures are removed. */
  readonly days: number;
  /** Of all files of the recording; the oldest go first. */
  readonly bytes: number;
}

export const DEFAULT_RECORDING_DAYS = 7;
export const DEFAULT_RECORDING_BYTES = 20_000_000_000;
export const MAX_RECORDING_DAYS = 3_650;
export const MIN_RECORDING_BYTES = 10_000_000;
