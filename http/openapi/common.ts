import { z } from 'zod';
import { type DeclaredAnswer, type Operation, sentence } from '../routing/declaration.ts';

/** Returns the common answers of an operation, by its callers and whether it accepts a JSON body. */
export function answersOf(operation: Operation): Readonly<Record<string, DeclaredAnswer>> {
  const { caller, body } = operation;
  const common: Record<string, DeclaredAnswer> = {};
  if (caller !== 'ANYONE') Object.assign(common, CREDENTIALS);
  if (caller === 'USER') Object.assign(common, LIMITED);
  if (takesJson(operation)) Object.assign(common, BODY);
  if (caller !== 'ANYONE' || body !== undefined) Object.assign(common, TROUBLE);
  const answers: Record<string, DeclaredAnswer> = { ...common };
  for (const [status, own] of Object.entries(operation.answers))
    answers[status] = joinAnswers(own, common[status]);
  return answers;
}

const takesJson = ({ body }: Operation) =>
  body !== undefined && (body.type ?? 'application/json') === 'application/json';

const RETRY = { 'Retry-After': 'Seconds after which to try again' };
const CREDENTIALS: Readonly<Record<string, DeclaredAnswer>> = {
  401: {
    ...sentence('The bearer token is missing, invalid or expired.'),
    headers: { 'WWW-Authenticate': 'Always Bearer' },
  },
  403: sentence('The token is valid, but its roles do not allow this.'),
};
const LIMITED: Readonly<Record<string, DeclaredAnswer>> = {
  429: {
    ...sentence('The user has reached a limit (USER_LIMITS), which RateLimit-Policy names.'),
    headers: RETRY,
  },
};
const BODY: Readonly<Record<string, DeclaredAnswer>> = {
  400: sentence('The body is missing, not JSON or nested too deeply.'),
  408: sentence('The body did not arrive in time.'),
  413: sentence('The body is too large.'),
};
const TROUBLE: Readonly<Record<string, DeclaredAnswer>> = {
  500: sentence('An unexpected error; the log has details under the request id.'),
  503: {
    ...sentence('The server is busy or shutting down, or the provider does not answer; nothing was changed.'),
    headers: RETRY,
  },
};

/** Joins two answers with the same status. A status may have several reasons, each with its own body. */
function joinAnswers(own: DeclaredAnswer, common: DeclaredAnswer | undefined): DeclaredAnswer {
  if (common === undefined || own.content === undefined || common.content === undefined) return own;
  if (own.content.schema === common.content.schema) return { ...common, ...own };
  if ((own.content.type ?? common.content.type) !== undefined) return own;
  return {
    ...common,
    ...own,
    content: { ...own.content, schema: z.union([own.content.schema, common.content.schema]) },
  };
}
