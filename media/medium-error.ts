import type { MediumFacts } from '../domain/types.ts';
import { CodedError } from '../protocol/coded-error.ts';

/** A medium that cannot be fetched, inspected or read. */
export class MediumError extends CodedError {
  override readonly name = 'MediumError';
  /** Facts that the file's bytes show although inspection failed. */
  known?: MediumFacts;
}

/** The medium is a file outside the folders of MEDIA_ROOTS. */
export class OutsideRootsError extends MediumError {}
