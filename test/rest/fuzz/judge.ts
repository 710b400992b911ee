/** What is wrong with an answer to a request of the fuzz run. */
import type { OpenApiCheck, SeenAnswer } from '../../support/openapi.ts';
import type { Message } from './client.ts';
import type { FuzzedOperation } from './requests.ts';

/** A sentence, or undefined. A fault of the server is one even where it is declared. */
export function objectionTo(
  { method, operation }: FuzzedOperation,
  { target }: Message,
  answer: SeenAnswer,
  check: OpenApiCheck,
): string | undefined {
  const { status, text } = answer;
  if (status >= 500 && !isRefusedRepost(operation.operationId, answer))
    return `${method} ${target.slice(0, 300)} answered ${status}: ${text.slice(0, 500)}`;
  // Node itself turns away what has more in its head than it reads.
  return status === 431 ? undefined : check.objection(method, target, answer);
}

/** The specification (6.4) wants 500 when the archive did not take every job. */
const isRefusedRepost = (operationId: string, { status, body }: SeenAnswer) =>
  operationId === 'repostToArchive' &&
  status === 500 &&
  typeof body === 'object' &&
  body !== null &&
  'failures' in body;
