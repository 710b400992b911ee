import type { Middleware } from 'koa';

/** What is answered is for who asked: no cache keeps it, and no browser takes it for something else. The few public files say otherwise of themselves. */
export const privateAnswers: Middleware = (ctx, next) => {
  ctx.set('Cache-Control', 'no-store');
  ctx.set('X-Content-Type-Options', 'nosniff');
  return next();
};
