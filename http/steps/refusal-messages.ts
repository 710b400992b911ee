import type { Middleware } from 'koa';

const MESSAGES: Readonly<Record<number, string>> = {
  401: 'This needs a valid access token: Authorization: Bearer <token>.',
  404: 'There is nothing under this path.',
  405: 'This path does not take this method; the header Allow names those that it takes.',
};

/**
 * Every answer that says no has a sentence. Only the 400 of an unknown job has none: the specification wants it empty. Stands before
 * `authenticate`.
 */
export const refusalMessages: Middleware = async (ctx, next) => {
  await next();
  const { status } = ctx;
  if (status <= 400 || ctx.body != null) return;
  ctx.body = { message: MESSAGES[status] ?? `The request was answered ${status}.` };
  ctx.status = status;
};
