/** Number of the format of all stores. A store of another format is not opened. */
export const STORED_FORMAT = 1;

/** Data of another format, found in place of a store. */
interface Found {
  /** Description of the data for messages. */
  readonly what: string;
  /** Its format; a text for versions before the first format. */
  readonly format: number | string;
  /** How to start with an empty store, for messages. */
  readonly anew: string;
}

/** A store of another format; the message says what to do. */
class OtherFormat extends Error {
  override readonly name = 'OtherFormat';
}

/** Returns an error that tells which versions do not fit, and what to do. */
export function otherFormat({ what, format, anew }: Found): Error {
  const [writer, found] =
    typeof format === 'number'
      ? ['by a newer version of Troupe', `format ${format}`]
      : ['by a version of Troupe before its first release', format];
  return new OtherFormat(
    `${what} was written ${writer} (${found}, this version knows format ${STORED_FORMAT}). ${anew}, or start the version that wrote it.`,
  );
}
