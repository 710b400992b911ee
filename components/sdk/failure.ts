/** How an error is told to the server. */
import type { FailureRequest } from '../../protocol/worker-protocol.ts';
import { CodedError } from '../../protocol/coded-error.ts';

export function failureOf(error: unknown): FailureRequest {
  const code = error instanceof CodedError ? error.code : 'DETECTION_FAILED';
  return { code, message: messageOf(error) };
}

export const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));
