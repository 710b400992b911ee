import type { MediumFacts } from '../domain/types.ts';
import { CodedError } from '../protocol/coded-error.ts';

/** A medium that cannot be fetched, inspected or read. */
export class MediumError extends CodedError {
  override readonly name = 'MediumError';
  /** Of a medium that could not be inspected: what its bytes tell all the same. */
  known?: MediumFacts;
}

/** The medium is a file outside the folders of MEDIA_ROOTS. */
export class OutsideRootsError extends MediumError {}
