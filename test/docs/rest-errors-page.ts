/** The reference page of error codes in REST responses. */
import { ERROR_CODES } from '../../http/routing/error-codes.ts';
import { plain, wrapLines } from './text/wrap-lines.ts';

const HEAD = `---
description: Every error code.
keywords: error code help problem HTTP status 400 401 403 404 409 422 503
---

# Errors of the REST API

An error answer has a JSON body:

\`\`\`json
{
  "message": "There is no queue \\"X\\"; GET /rest/queues lists all.",
  "code": "queue-not-found",
  "help": "http://127.0.0.1:8080/docs/reference/rest-errors#queue-not-found"
}
\`\`\`

Codes stay the same between versions; messages can change. The [specification](specification.md)
defines some answers without a body, and some with another status. Codes of detection documents are
[error codes](error-codes.md).
`;

export function restErrorsPage(): string {
  const statuses = [...new Set(Object.values(ERROR_CODES).map(({ status }) => status))].toSorted(
    (a, b) => a - b,
  );
  const sections = statuses.flatMap((status) => [`## ${status}`, ...entriesOf(status)]);
  return `${[HEAD.trimEnd(), ...sections].join('\n\n')}\n`;
}

const entriesOf = (status: number) =>
  Object.entries(ERROR_CODES)
    .filter(([, each]) => each.status === status)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([code, { meaning, advice }]) => [
      `### ${code}`,
      wrapLines(`${plain(meaning)} ${plain(advice)}`),
    ]);
