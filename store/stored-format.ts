/** The number of the format in which all stores keep what they have. A store of another format is not opened. */
export const STORED_FORMAT = 1;

/** What was found where a store should be. */
interface Found {
  /** For people: what holds it. */
  readonly what: string;
  /** Its format; text: what the versions before the first format called theirs. */
  readonly format: number | string;
  /** For people: how to begin anew. */
  readonly anew: string;
}

/** A store of another format; the message says what to do. */
class OtherFormat extends Error {
  override readonly name = 'OtherFormat';
}

/** Says which versions do not fit, and what to do. */
export function otherFormat({ what, format, anew }: Found): Error {
  const [writer, found] =
    typeof format === 'number'
      ? ['by a newer version of Troupe', `format ${format}`]
      : ['by a version of Troupe before its first release', format];
  return new OtherFormat(
    `${what} was written ${writer} (${found}, this version knows format ${STORED_FORMAT}). ${anew}, or start the version that wrote it.`,
  );
}
