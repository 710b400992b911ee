import type { Context, Middleware } from 'koa';
import { answer, HttpError } from '../routing/errors.ts';

/**
 * Answers 400 if the target of a request is no address, such as `http://[/`. Koa throws wherever its path is read, also where no code
 * catches the error. Runs before every other step.
 */
export const readableTarget: Middleware = (ctx, next) => {
  if (isReadable(ctx)) return next();
  return answer(ctx, new HttpError('invalid-url', 'The target of the request is not a valid path or URL.'));
};

function isReadable(ctx: Context): boolean {
  try {
    return typeof ctx.path === 'string';
  } catch {
    return false;
  }
}
