/** Settings of a client for the recording of a stream. */

export interface RecordingRules {
  /** The address to record, with its password. If undefined, the address of the stream is used. */
  readonly uri?: string;
  /** Age in days after which pictures are removed. */
  readonly days: number;
  /** Maximum size of all files of the recording. The oldest files are removed first. */
  readonly bytes: number;
}

export const DEFAULT_RECORDING_DAYS = 7;
export const DEFAULT_RECORDING_BYTES = 20_000_000_000;
export const MAX_RECORDING_DAYS = 3_650;
export const MIN_RECORDING_BYTES = 10_000_000;
