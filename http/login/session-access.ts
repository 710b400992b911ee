import type { Context, Middleware } from 'koa';
import type { Session, SessionStore } from '../../actors/sessions/session-store.ts';
import type { User } from '../access/bearer.ts';
import { answer, HttpError } from '../routing/errors.ts';
import type { OwnCookie } from './cookies.ts';
import type { OpenAnswers } from './open-answers.ts';
import { strangersRequest } from './same-origin.ts';

export interface SessionAccess {
  readonly sessions: Pick<SessionStore, 'find'>;
  readonly cookie: OwnCookie;
  readonly open: OpenAnswers;
  /** Milliseconds since the epoch. */
  now(): number;
  /** True if an origin is this server's. */
  isOwn(origin: string, ctx: Context): boolean;
  /** Returns why the request must be refused, whatever it contains. Returns undefined if there is no reason. */
  objection?(ctx: Context): string | undefined;
}

/**
 * Accepts a request with the cookie of a session, and sets `ctx.state.user` and `ctx.state.session`. `bearer` checks a request with an
 * Authorization header or without a session.
 */
export function sessionOrBearer(
  { sessions, cookie, open, now, isOwn, objection }: SessionAccess,
  bearer: Middleware,
): Middleware {
  return async (ctx, next) => {
    const secret = ctx.get('authorization') === '' ? cookie.read(ctx) : undefined;
    const session = secret === undefined ? undefined : await sessions.find(secret);
    if (session === undefined) {
      await bearer(ctx, next);
      return;
    }
    const refusal = objection?.(ctx) ?? strangersRequest(ctx, isOwn);
    if (refusal !== undefined) {
      answer(ctx, new HttpError('foreign-origin', refusal));
      return;
    }
    const { name, subject, group = null, roles } = session.user;
    const user: User = { name, subject, client: null, group, roles };
    if (session.nextSecret !== undefined) cookie.write(ctx, session.nextSecret, session.expires - now());
    Object.assign(ctx.state, { user, session });
    open.add(session.key, ctx.res);
    await next();
  };
}

/** Returns the session of a request. Returns undefined if the request has a token. */
export const sessionOf = (ctx: Context) => (ctx.state as { session?: Session }).session;
