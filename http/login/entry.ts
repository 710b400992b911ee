import type { Context } from 'koa';
import type { Session, SessionStore, SessionUser } from '../../actors/sessions/session-store.ts';
import type { Logger } from '../access/logger.ts';
import type { Refusals } from '../access/refusals.ts';
import { browserName } from './browser-name.ts';
import type { OwnCookie } from './cookies.ts';

/** Number of shown characters of a session key, the hash of its secret. They identify the session in the log and grant no access. */
const KEY_SHOWN = 8;
export const shownKey = (key: string) => key.slice(0, KEY_SHOWN);

export interface EntryDeps {
  readonly sessions: SessionStore;
  readonly logger: Logger;
  /** Maximum duration of a session. */
  readonly sessionMs: number;
}

/** Login and logout of browsers, independent of the kind of login. */
export class Entry {
  readonly #sessions: SessionStore;
  readonly #cookie: OwnCookie;
  readonly #logger: Logger;
  /** Maximum time for which a browser keeps its cookie. */
  readonly #lifeMs: number;
  /** Logs each failed login with the reason. */
  readonly refusals: Refusals;

  constructor({ sessions, logger, sessionMs }: EntryDeps, cookie: OwnCookie, refusals: Refusals) {
    this.#sessions = sessions;
    this.#cookie = cookie;
    this.#logger = logger;
    this.#lifeMs = sessionMs;
    this.refusals = refusals;
  }

  /** Returns the session of the browser. Returns undefined if there is none. */
  async current(ctx: Context): Promise<Session | undefined> {
    const secret = this.#cookie.read(ctx);
    return secret === undefined ? undefined : this.#sessions.find(secret);
  }

  /** Always starts a new session. An attacker may have put a session into the browser before the login. */
  async letIn(ctx: Context, user: SessionUser, idToken?: string): Promise<void> {
    const before = await this.current(ctx);
    const { secret, key } = await this.#sessions.begin(user, idToken, browserName(ctx.get('user-agent')));
    if (before !== undefined) await this.#sessions.end(before.key);
    this.#cookie.write(ctx, secret, this.#lifeMs);
    const { name, subject, roles } = user;
    this.#tell(ctx, 'a user has logged in', { user: name, subject, roles, session: shownKey(key) });
  }

  /** Ends the session of the browser and returns it. */
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
