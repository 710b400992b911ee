import type { DetectionErrorCode, IssueCode } from '../domain/types.ts';

/** What went wrong in a component, with the code that the detection document shows for it; the message says what to do. */
export class CodedError<
  Code extends IssueCode | DetectionErrorCode = IssueCode | DetectionErrorCode,
> extends Error {
  readonly code: Code;
  /** The same may go well later. */
  mayPass?: true;
  constructor(code: Code, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'CodedError';
    this.code = code;
  }
}

/** POST /worker/v1/leases/{token}/failure */
export interface FailureRequest {
  readonly code: DetectionErrorCode | IssueCode;
  readonly message: string;
  /** Another host was away or busy: the same is to be tried again later. */
  readonly mayPass?: true | undefined;
}
