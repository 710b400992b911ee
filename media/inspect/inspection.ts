/** Input and result of an inspection. */
import type { Issue, MediumFacts, Properties } from '../../domain/types.ts';

export interface InspectOptions {
  /** Hex SHA-256 of the file, when it is known already. */
  readonly sha256?: string | undefined;
  /** The name of the file as the client knows it; tells kinds of text apart. */
  readonly name?: string | undefined;
  /** No warning when the end of the medium is missing. */
  readonly ignoresDamage?: boolean | undefined;
  /** The MIME type that a data URI states. */
  readonly stated?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface Inspection {
  readonly facts: MediumFacts;
  readonly warnings: readonly Issue[];
}

/** What a kind of medium contributes. */
export type Findings = Pick<MediumFacts, 'mediaType' | 'length' | 'frameTimes'> & {
  readonly metadata: Properties;
  readonly warnings: readonly Issue[];
};
