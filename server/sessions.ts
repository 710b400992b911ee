import { systemClock } from '../actors/basics/clock.ts';
import { SessionStore } from '../actors/sessions/session-store.ts';
import { createLogin, realmOf } from '../http/login/index.ts';
import { OpenAnswers } from '../http/login/open-answers.ts';
import { urlOf } from '../http/listener.ts';
import type { Parts } from './parts.ts';

/** Sessions of all users together, and of one user; with one more, the one that would end first ends. */
const MAX_SESSIONS = 10_000;
const MAX_SESSIONS_PER_USER = 20;
/** Time that a browser may take to log in at the provider. */
const LOGIN_MS = 600_000;

/** Browsers stay logged in over a restart: their sessions are in the store. */
export async function openSessions({ settings, store, http, logger, url, serverId, epoch }: Parts) {
  const open = new OpenAnswers();
  const sessions = new SessionStore({
    store,
    clock: systemClock,
    owner: { server: serverId, epoch },
    settings: {
      idleMs: settings.SESSION_IDLE_MS,
      lifeMs: settings.SESSION_MS,
      maxCount: MAX_SESSIONS,
      maxOfUser: MAX_SESSIONS_PER_USER,
    },
    realm: realmOf(settings.access),
    onEnd: (session) => open.cut(session),
  });
  const login = await createLogin(settings.access, {
    ...{ baseUrl: url, dataDir: settings.DATA_DIR, serverId, sessions, open, logger },
    localUrl: urlOf(http, settings.HOST),
    lifeMs: LOGIN_MS,
    refusalsAMinute: settings.LOG_REFUSALS_A_MINUTE,
    clock: systemClock,
  });
  return { sessions, login };
}
