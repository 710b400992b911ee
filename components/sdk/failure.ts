/** How an error is told to the server. */
import type { FailureRequest } from '../../protocol/worker-protocol.ts';
import { DetectionError } from './detector.ts';

export function failureOf(error: unknown): FailureRequest {
  const code = (error as { code?: unknown }).code;
  const known = error instanceof DetectionError || (error instanceof Error && error.name === 'MediumError');
  if (known && typeof code === 'string')
    return { code: code as FailureRequest['code'], message: messageOf(error) };
  return { code: 'DETECTION_FAILED', message: messageOf(error) };
}

export const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));
