/** One coding's way to cut pictures into payloads. */
export interface Payloads {
  /** Takes the next payload of a picture; `whole` is false after a packet that is missing. */
  add(payload: Buffer, whole: boolean): void;
  /** What has come together, which then begins anew; undefined when it cannot be decoded. */
  take(): Buffer | undefined;
}
