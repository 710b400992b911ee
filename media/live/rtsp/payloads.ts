/** Assembles the payloads of pictures in one coding. */
export interface Payloads {
  /** Adds the next payload of a picture. `whole` is false after a missing packet. */
  add(payload: Buffer, whole: boolean): void;
  /** Returns the assembled data and resets; undefined if it cannot be decoded. */
  take(): Buffer | undefined;
}
