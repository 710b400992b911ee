import type { Middleware } from 'koa';
import type { ErrorCode } from '../routing/error-codes.ts';
import { answer, HttpError } from '../routing/errors.ts';

const WRONG_METHOD = 'This path does not support this method. The header Allow names the supported methods.';
const ERRORS: Readonly<Record<number, readonly [ErrorCode, message: string]>> = {
  404: ['path-not-found', 'The server has nothing at this path.'],
  405: ['method-not-allowed', WRONG_METHOD],
  501: ['method-not-allowed', WRONG_METHOD],
};

/**
 * Gives every error answer a message, except the 400 of an unknown job. For it, the specification requires an empty body. Runs before
 * `authenticate`.
 */
export const refusalMessages: Middleware = async (ctx, next) => {
  await next();
  const { status } = ctx;
  if (status <= 400 || ctx.body != null) return;
  const [code, message] = ERRORS[status] ?? ['internal-error', `The request was answered ${status}.`];
  answer(ctx, new HttpError(code, message, { status }));
};
