import type { Context } from 'koa';
import type { Session, SessionStore, SessionUser } from '../../actors/sessions/session-store.ts';
import type { Logger } from '../access/logger.ts';
import type { Refusals } from '../access/refusals.ts';
import { browserName } from './browser-name.ts';
import type { OwnCookie } from './cookies.ts';

/** Of the hash of a session's secret: tells sessions apart in the log, and opens nothing. */
const KEY_SHOWN = 8;
export const shownKey = (key: string) => key.slice(0, KEY_SHOWN);

export interface EntryDeps {
  readonly sessions: SessionStore;
  readonly logger: Logger;
  /** How long a session may last. */
  readonly sessionMs: number;
}

/** Login and logout of browsers, independent of the kind of login. */
export class Entry {
  readonly #sessions: SessionStore;
  readonly #cookie: OwnCookie;
  readonly #logger: Logger;
  /** How long a browser keeps its cookie at most. */
  readonly #lifeMs: number;
  /** Is told of every login that fails, and why. */
  readonly refusals: Refusals;

  constructor({ sessions, logger, sessionMs }: EntryDeps, cookie: OwnCookie, refusals: Refusals) {
    this.#sessions = sessions;
    this.#cookie = cookie;
    this.#logger = logger;
    this.#lifeMs = sessionMs;
    this.refusals = refusals;
  }

  /** The session of the browser, if it has one. */
  async current(ctx: Context): Promise<Session | undefined> {
    const secret = this.#cookie.read(ctx);
    return secret === undefined ? undefined : this.#sessions.find(secret);
  }

  /** Always a new session: one that somebody has put into the browser before the login must not become this user's. */
  async letIn(ctx: Context, user: SessionUser, idToken?: string): Promise<void> {
    const before = await this.current(ctx);
    const { secret, key } = await this.#sessions.begin(user, idToken, browserName(ctx.get('user-agent')));
    if (before !== undefined) await this.#sessions.end(before.key);
    this.#cookie.write(ctx, secret, this.#lifeMs);
    const { name, subject, roles } = user;
    this.#tell(ctx, 'a user has logged in', { user: name, subject, roles, session: shownKey(key) });
  }

  /** Answers the session that has ended. */
  async letOut(ctx: Context): Promise<Session | undefined> {
    const session = await this.current(ctx);
    this.#cookie.clear(ctx);
    if (session === undefined) return undefined;
    await this.#sessions.end(session.key);
    const { name, subject } = session.user;
    this.#tell(ctx, 'a user has logged out', { user: name, subject, session: shownKey(session.key) });
    return session;
  }

  #tell(ctx: Context, message: string, details: object): void {
    const { requestId } = ctx.state as { requestId?: string };
    this.#logger.info({ ...details, ip: ctx.ip, requestId }, message);
  }
}
