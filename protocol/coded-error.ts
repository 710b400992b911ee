import type { DetectionErrorCode, IssueCode } from '../domain/types.ts';

/** An error of a component, with its code in the detection document. The message says what to do. */
export class CodedError<
  Code extends IssueCode | DetectionErrorCode = IssueCode | DetectionErrorCode,
> extends Error {
  readonly code: Code;
  /** True if a retry may succeed. */
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
  /** Another host was unreachable or busy, so the work is retried later. */
  readonly mayPass?: true | undefined;
}
