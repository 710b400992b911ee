/** Decides whether an answer of the fuzz test is correct. */
import type { OpenApiCheck, SeenAnswer } from '../../support/openapi.ts';
import type { Message } from './client.ts';
import type { FuzzedOperation } from './requests.ts';

/**
 * The objection as a sentence, or undefined. A server error is always one, even if the document declares it.
 */
export function objectionTo(
  { method, operation }: FuzzedOperation,
  { target }: Message,
  answer: SeenAnswer,
  check: OpenApiCheck,
): string | undefined {
  const { status, text } = answer;
  if (status >= 500 && !isRefusedRepost(operation.operationId, answer))
    return `${method} ${target.slice(0, 300)} answered ${status}: ${text.slice(0, 500)}`;
  // Node itself refuses heads above its limit.
  return status === 431 ? undefined : check.objection(method, target, answer);
}

/** The specification (6.4) requires 500 when the archive did not accept every job. */
const isRefusedRepost = (operationId: string, { status, body }: SeenAnswer) =>
  operationId === 'repostToArchive' &&
  status === 500 &&
  typeof body === 'object' &&
  body !== null &&
  'failures' in body;
