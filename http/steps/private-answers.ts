import type { Middleware } from 'koa';

/** What is answered is for who asked: no cache keeps it, and no browser takes it for something else. The few public files say otherwise of themselves. */
export const privateAnswers: Middleware = (ctx, next) => {
  ctx.res.setHeader('Cache-Control', 'no-store');
  ctx.res.setHeader('X-Content-Type-Options', 'nosniff');
  return next();
};
