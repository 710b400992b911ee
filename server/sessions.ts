import { systemClock } from '../actors/basics/clock.ts';
import { SessionStore } from '../actors/sessions/session-store.ts';
import { shownKey } from '../http/login/entry.ts';
import { createLogin, realmOf } from '../http/login/index.ts';
import { OpenAnswers } from '../http/login/open-answers.ts';
import { urlOf } from '../http/listener.ts';
import type { Parts } from './parts.ts';

/** Maximum number of sessions of all users, and of one user. Beyond it, the session that would expire first is ended. */
const MAX_SESSIONS = 10_000;
const MAX_SESSIONS_PER_USER = 20;
/** Time for which requests with the previous secret of their session are accepted. */
const GRACE_MS = 60_000;
/** Time between two checks whether sessions of event streams have ended on another server. */
const LOOK_MS = 5_000;
/** Time limit of a login at the provider. */
const LOGIN_MS = 600_000;

/** Opens the sessions. They are in the store, so browsers stay logged in over a restart. */
export async function openSessions({ settings, store, http, logger, url, serverId, epoch }: Parts) {
  const open = new OpenAnswers();
  const sessions = new SessionStore({
    store,
    clock: systemClock,
    owner: { server: serverId, epoch },
    settings: {
      idleMs: settings.SESSION_IDLE_MS,
      lifeMs: settings.SESSION_MS,
      rotateMs: settings.SESSION_ROTATE_MS,
      graceMs: GRACE_MS,
      maxCount: MAX_SESSIONS,
      maxOfUser: MAX_SESSIONS_PER_USER,
    },
    realm: realmOf(settings.access),
    onEnd: (session) => open.cut(session),
    onTheft: ({ key, user }) =>
      logger.warn(
        { user: user.name, session: shownKey(key) },
        'a session ended because a former cookie of it was used: somebody may have copied it',
      ),
  });
  const looking = setInterval(() => void cutEnded(open, sessions), LOOK_MS);
  http.once('close', () => clearInterval(looking));
  const login = await createLogin(settings.access, {
    ...{ baseUrl: url, dataDir: settings.DATA_DIR, serverId, sessions, open, logger },
    localUrl: urlOf(http, settings.HOST),
    sessionMs: settings.SESSION_MS,
    lifeMs: LOGIN_MS,
    refusalsAMinute: settings.LOG_REFUSALS_A_MINUTE,
    clock: systemClock,
  });
  return { sessions, login };
}

/** Ends event streams of sessions that another server has ended. */
async function cutEnded(open: OpenAnswers, sessions: SessionStore): Promise<void> {
  for (const key of open.sessions())
    // While the store is unavailable, the streams stay open.
    if (!(await sessions.isAlive(key).catch(() => true))) open.cut(key);
}
