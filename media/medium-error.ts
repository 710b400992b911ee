import type { DetectionErrorCode, IssueCode, MediumFacts } from '../domain/types.ts';

/** A medium that cannot be fetched, inspected or read; `code` is what the document shows, `message` says what to do. */
export class MediumError extends Error {
  readonly code: IssueCode | DetectionErrorCode;
  /** Of a medium that could not be inspected: what its bytes tell all the same. */
  known?: MediumFacts;
  constructor(code: IssueCode | DetectionErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'MediumError';
    this.code = code;
  }
}
