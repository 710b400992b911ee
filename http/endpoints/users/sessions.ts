import { z } from 'zod';
import type { SessionStore, ShownSession } from '../../../actors/sessions/session-store.ts';
import type { Logger } from '../../../config/logger.ts';
import { isAdmin, noteMissingRole, userOf } from '../../access/bearer.ts';
import { sessionOf } from '../../login/session-access.ts';
import { json, nothing, ok, sentence, withoutBody } from '../../routing/declaration.ts';
import { HttpError, notThere } from '../../routing/errors.ts';
import { browserSession, sessionId, sessionList, sessionListQuery } from '../../schemas/users/sessions.ts';
import { endpoint } from '../../steps/endpoint.ts';

export interface SessionDeps {
  readonly sessions: Pick<SessionStore, 'list' | 'revoke'>;
  readonly logger: Logger;
}

const COMMON = { tag: 'Sessions', caller: 'USER', jobs: 'NONE' } as const;
const SESSION: z.output<typeof browserSession> = {
  id: '3f9a1c0b7d2e4f683f9a1c0b7d2e4f68',
  user: { name: 'alice', subject: '5f1b3a52' },
  browser: 'Firefox on Linux',
  began: '2026-03-01T09:30:00.000Z',
  lastUsed: '2026-03-04T16:02:00.000Z',
  ends: '2026-03-31T09:30:00.000Z',
  current: true,
};

export const sessionEndpoints = [
  endpoint({
    ...COMMON,
    method: 'get',
    path: '/rest/sessions',
    id: 'listSessions',
    summary: 'List the browsers that are logged in',
    query: sessionListQuery,
    answers: {
      200: json('The sessions.', sessionList, { sessions: [SESSION] }),
      400: sentence('all is neither true nor false.'),
      403: sentence('Only an ADMIN lists the sessions of all users.'),
    },
    async handle({ query, ctx }, { sessions }: SessionDeps) {
      const all = query.all === 'true';
      if (all && !isAdmin(ctx)) {
        noteMissingRole(ctx, 'This needs the role ADMIN.');
        throw new HttpError('role-required', 'Only an ADMIN can list the sessions of all users.');
      }
      const current = sessionOf(ctx)?.key;
      const found = await sessions.list(all ? undefined : userOf(ctx));
      return ok({ sessions: found.map((one) => toShown(one, current)) });
    },
  }),
  endpoint({
    ...COMMON,
    method: 'delete',
    path: '/rest/sessions/{id}',
    id: 'revokeSession',
    summary: 'Log a browser out',
    description:
      'The session ends at once. Its event streams on other servers end within 5 seconds. An ADMIN can end the sessions of all users.',
    params: z.object({ id: sessionId }),
    answers: { 204: nothing('It has ended.'), 404: sentence('You have no such session.') },
    async handle({ params: { id }, ctx }, { sessions, logger }: SessionDeps) {
      const user = userOf(ctx);
      if (!(await sessions.revoke(id, isAdmin(ctx) ? undefined : user)))
        throw notThere('session', id, '/rest/sessions');
      logger.info({ user: user.name, session: id.slice(0, 8) }, 'a session was revoked');
      return withoutBody(204);
    },
  }),
];

const isoOf = (ms: number) => new Date(ms).toISOString();

const toShown = (
  { key, user, browser, began, used, ends }: ShownSession,
  current: string | undefined,
): z.output<typeof browserSession> => ({
  id: key,
  user: { name: user.name, subject: user.subject },
  browser,
  began: isoOf(began),
  lastUsed: isoOf(used),
  ends: isoOf(ends),
  current: key === current,
});
