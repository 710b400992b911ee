import type { Context, Middleware, Next } from 'koa';
import type { Logger } from '../../config/logger.ts';
import { nearestNames } from '../../domain/nearest-name.ts';
import { DeliveryError, isTransient } from '../../actors/basics/errors.ts';
import { ERROR_CODES, type ErrorCode } from './error-codes.ts';

interface ErrorOptions {
  /** Absent: the usual status of the code. */
  readonly status?: number;
  /** Members besides `message`, `code` and `help`. Null: the answer has no body, as the specification requires. */
  readonly body?: object | null;
  readonly retryAfterSeconds?: number;
}

/** An error answer. Its body has `message`, `code` and `help`. */
export class HttpError extends Error {
  readonly status: number;
  readonly code: ErrorCode;
  readonly body: object | null;
  readonly retryAfterSeconds: number | undefined;
  constructor(
    code: ErrorCode,
    message: string,
    { status = ERROR_CODES[code].status, body = {}, retryAfterSeconds }: ErrorOptions = {},
  ) {
    super(message);
    this.name = 'HttpError';
    this.status = status;
    this.code = code;
    this.body = body;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** 503 with Retry-After: nothing was stored, and the same request may succeed soon. */
export const overloadError = (message: string) =>
  new HttpError('overloaded', message, { retryAfterSeconds: 2 });

/** Error codes for resources that are looked up by name or id. */
const NOT_FOUND = {
  job: 'job-not-found',
  'streaming job': 'job-not-found',
  pipeline: 'pipeline-not-found',
  task: 'task-not-found',
  action: 'action-not-found',
  algorithm: 'algorithm-not-found',
  operation: 'operation-not-found',
  queue: 'queue-not-found',
  'API key': 'key-not-found',
  session: 'session-not-found',
  'saved search': 'search-not-found',
  person: 'person-not-found',
  service: 'service-not-found',
  node: 'node-not-found',
  server: 'server-not-found',
  delivery: 'delivery-not-found',
} as const satisfies Readonly<Record<string, ErrorCode>>;

/** Returns a 404 for an unknown name. `list`: the path that lists all names; `known`: all names, for suggestions. */
export const notThere = (
  kind: keyof typeof NOT_FOUND,
  name: string,
  list: string,
  known: Iterable<string> = [],
) => {
  const shown = name.length > MAX_SHOWN ? `${name.slice(0, MAX_SHOWN)}…` : name;
  const nearest = nearestNames(name, known);
  const meant = nearest.length === 0 ? '' : ` Did you mean ${nearest.join(' or ')}?`;
  return new HttpError(NOT_FOUND[kind], `There is no ${kind} "${shown}"; GET ${list} lists all.${meant}`);
};
const MAX_SHOWN = 200;

/** Gives a 400 of `work` the same body as other refusals of the endpoint. */
export async function refusedAs<T>(work: Promise<T>, body: (message: string) => object | null): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof HttpError) || error.status !== 400) throw error;
    throw new HttpError(error.code, error.message, { body: body(error.message) });
  }
}

/** Converts all errors to answers. Details that are not meant for clients are only logged. */
export function mapErrors(logger: Logger): Middleware {
  return async (ctx: Context, next: Next) => {
    try {
      await next();
    } catch (error) {
      const known = toHttpError(error);
      if (known === undefined) {
        const requestId: unknown = ctx.state['requestId'];
        logger.error({ err: error, requestId, method: ctx.method, path: ctx.path }, 'a request failed');
        answer(
          ctx,
          new HttpError(
            'internal-error',
            `An unexpected error occurred. Search the log for request id ${String(requestId)}.`,
          ),
        );
      } else answer(ctx, known);
    }
  };
}

function toHttpError(error: unknown): HttpError | undefined {
  if (error instanceof HttpError) return error;
  if (error instanceof DeliveryError && error.reason !== 'FAILED' && error.reason !== 'UNKNOWN_COMMAND')
    return overloadError('The server is busy or shutting down. Try again later.');
  if (error instanceof DeliveryError && error.reason === 'FAILED')
    return overloadError('The request failed for a temporary reason. Try again.');
  if (isTransient(error)) return overloadError('The store cannot be reached. Try again in a few seconds.');
  return undefined;
}

/** Returns the members of every error answer. `docs`: the address of the documentation. */
export const errorMembers = (code: ErrorCode, message: string, docs = '/docs') => ({
  message,
  code,
  help: `${docs}/reference/rest-errors#${code}`,
});

/** Sends an error answer. Koa changes the status to 204 for a null body unless the status is set afterwards. */
export function answer(ctx: Context, { status, code, message, body, retryAfterSeconds }: HttpError): void {
  if (retryAfterSeconds !== undefined) ctx.set('Retry-After', String(retryAfterSeconds));
  const docs = ctx['docsUrl'] as string | undefined;
  ctx.body = body === null ? null : { ...body, ...errorMembers(code, message, docs) };
  ctx.status = status;
}

/** Answers 404 for a path without a file. */
export const nothingAt = (ctx: Context) =>
  answer(ctx, new HttpError('path-not-found', 'The server has nothing at this path.'));

/** Sends an answer without content, but with the given status. */
export function empty(ctx: Context, status: number): void {
  ctx.body = null;
  ctx.status = status;
}
