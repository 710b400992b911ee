import type { Middleware } from 'koa';

/** Answers are private: no cache stores them, and no browser guesses another content type. The few public files override this. */
export const privateAnswers: Middleware = (ctx, next) => {
  ctx.res.setHeader('Cache-Control', 'no-store');
  ctx.res.setHeader('X-Content-Type-Options', 'nosniff');
  return next();
};
