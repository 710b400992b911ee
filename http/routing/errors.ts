import type { Context, Middleware, Next } from 'koa';
import type { Logger } from '../../config/logger.ts';
import { DeliveryError, isTransient } from '../../actors/basics/errors.ts';

/** An answer that is not success. The body is `{message}`, or empty where the specification wants it so. */
export class HttpError extends Error {
  readonly status: number;
  readonly body: unknown;
  readonly retryAfterSeconds: number | undefined;
  constructor(
    status: number,
    message: string,
    options: { readonly body?: unknown; readonly retryAfterSeconds?: number } = {},
  ) {
    super(message);
    this.name = 'HttpError';
    this.status = status;
    this.body = 'body' in options ? options.body : { message };
    this.retryAfterSeconds = options.retryAfterSeconds;
  }
}

/** 503 with Retry-After: nothing was stored, the same request may succeed soon. */
export const overloadError = (message: string) => new HttpError(503, message, { retryAfterSeconds: 2 });

/** 404 for what nothing has the name of. */
export const notThere = (kind: string, name: string, list: string) => {
  const shown = name.length > MAX_SHOWN ? `${name.slice(0, MAX_SHOWN)}…` : name;
  return new HttpError(404, `There is no ${kind} "${shown}"; GET ${list} lists all.`);
};
const MAX_SHOWN = 200;

/** What a step refuses with 400, in the body that the endpoint's own refusals have. */
export async function refusedAs<T>(work: Promise<T>, body: (message: string) => unknown): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof HttpError) || error.status !== 400) throw error;
    throw new HttpError(400, error.message, { body: body(error.message) });
  }
}

/** The one place where errors become answers; what is not meant for clients stays in the log. */
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
            500,
            `An unexpected error has occurred; the log has more under request id ${String(requestId)}.`,
          ),
        );
      } else answer(ctx, known);
    }
  };
}

function toHttpError(error: unknown): HttpError | undefined {
  if (error instanceof HttpError) return error;
  if (error instanceof DeliveryError && error.reason !== 'FAILED' && error.reason !== 'UNKNOWN_COMMAND')
    return overloadError('The server is busy or shutting down; try again.');
  if (error instanceof DeliveryError && error.reason === 'FAILED')
    return overloadError('The request could not be carried out now; try again.');
  if (isTransient(error))
    return overloadError('What is stored cannot be reached now; try again in some seconds.');
  return undefined;
}

/** Koa turns a null body into 204 unless the status is set after it. */
export function answer(ctx: Context, { status, body, retryAfterSeconds }: HttpError): void {
  if (retryAfterSeconds !== undefined) ctx.set('Retry-After', String(retryAfterSeconds));
  ctx.body = body ?? null;
  ctx.status = status;
}

/** An answer without content but with its own status. */
export function empty(ctx: Context, status: number): void {
  ctx.body = null;
  ctx.status = status;
}
