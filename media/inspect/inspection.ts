/** Input and result of an inspection. */
import type { Issue, MediumFacts, Properties } from '../../domain/types.ts';

export interface InspectOptions {
  /** SHA-256 of the file in hex, if already known. */
  readonly sha256?: string | undefined;
  /** The client's file name. Its extension distinguishes kinds of text. */
  readonly name?: string | undefined;
  /** True to give no warning when the end of the medium is missing. */
  readonly ignoresDamage?: boolean | undefined;
  /** The MIME type that a data URI states. */
  readonly stated?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface Inspection {
  readonly facts: MediumFacts;
  readonly warnings: readonly Issue[];
}

/** Results that depend on the kind of medium. */
export type Findings = Pick<MediumFacts, 'mediaType' | 'length' | 'frameTimes'> & {
  readonly metadata: Properties;
  readonly warnings: readonly Issue[];
};
