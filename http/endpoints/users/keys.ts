import { z } from 'zod';
import type { ApiKey, ApiKeys } from '../../../actors/sessions/api-keys.ts';
import type { Logger } from '../../../config/logger.ts';
import { refuseApiKey } from '../../users/api-key-access.ts';
import { isAdmin, noteMissingRole, userOf } from '../../access/bearer.ts';
import { answerWith, json, nothing, ok, sentence, withoutBody } from '../../routing/declaration.ts';
import { HttpError, notThere } from '../../routing/errors.ts';
import { apiKey, keyId, keyList, keyListQuery, keyRequest, newKey } from '../../schemas/users/keys.ts';
import { endpoint } from '../../steps/endpoint.ts';

export interface KeyDeps {
  readonly apiKeys: ApiKeys;
  readonly logger: Logger;
}

const COMMON = { tag: 'API keys', caller: 'USER', jobs: 'NONE' } as const;
const KEY: z.output<typeof apiKey> = {
  id: '3f9a1c0b7d2e4f68',
  name: 'nightly import',
  role: 'USER',
  owner: { name: 'alice', subject: '5f1b3a52', group: 'lab' },
  created: '2026-03-01T09:30:00.000Z',
  expires: '2026-05-30T09:30:00.000Z',
  lastUsed: null,
};
const TOO_MANY = 'You have 100 API keys, which is the limit. Revoke one that you do not need.';

/** API keys for scripts (not in the specification). */
export const keyEndpoints = [
  endpoint({
    ...COMMON,
    method: 'post',
    path: '/rest/keys',
    id: 'createKey',
    summary: 'Create an API key',
    description:
      'A script sends it as a bearer token and acts as the user who created it, with the role of the key. The key is shown only in this answer.',
    body: { schema: keyRequest, example: { name: 'nightly import' } },
    answers: {
      201: json('The key.', newKey, { ...KEY, key: `troupe_${KEY.id}_${'x'.repeat(43)}` }),
      400: sentence('The body is wrong.'),
      403: sentence('The caller does not have the role, or uses an API key.'),
      409: sentence('The user has the maximum number of keys.'),
    },
    async handle({ body, ctx }, { apiKeys, logger }: KeyDeps) {
      refuseApiKey(ctx);
      if (body.role === 'ADMIN' && !isAdmin(ctx)) {
        const message = 'You do not have the role ADMIN, so your API keys cannot have it.';
        noteMissingRole(ctx, message);
        throw new HttpError('role-required', message);
      }
      const user = userOf(ctx);
      const made = await apiKeys.create(user, body);
      if (made === 'FULL') throw new HttpError('too-many-keys', TOO_MANY);
      logger.info({ user: user.name, key: made.key.id, role: body.role }, 'an API key was created');
      return answerWith(201, { ...toShown(made.key), key: made.token });
    },
  }),
  endpoint({
    ...COMMON,
    method: 'get',
    path: '/rest/keys',
    id: 'listKeys',
    summary: 'List your API keys',
    query: keyListQuery,
    answers: {
      200: json('The keys.', keyList, { keys: [KEY] }),
      400: sentence('all is neither true nor false.'),
      403: sentence('Only an ADMIN lists the keys of all users.'),
    },
    async handle({ query, ctx }, { apiKeys }: KeyDeps) {
      const all = query.all === 'true';
      if (all && !isAdmin(ctx)) {
        noteMissingRole(ctx, 'This needs the role ADMIN.');
        throw new HttpError('role-required', 'Only an ADMIN can list the API keys of all users.');
      }
      const keys = await apiKeys.list(all ? undefined : userOf(ctx));
      return ok({ keys: keys.map(toShown) });
    },
  }),
  endpoint({
    ...COMMON,
    method: 'delete',
    path: '/rest/keys/{id}',
    id: 'revokeKey',
    summary: 'Revoke an API key',
    description:
      'The key becomes invalid at once, on other servers within a second. An ADMIN can revoke the keys of all users.',
    params: z.object({ id: keyId }),
    answers: { 204: nothing('It is revoked.'), 404: sentence('You have no such key.') },
    async handle({ params: { id }, ctx }, { apiKeys, logger }: KeyDeps) {
      const user = userOf(ctx);
      if (!(await apiKeys.revoke(id, isAdmin(ctx) ? undefined : user)))
        throw notThere('API key', id, '/rest/keys');
      logger.info({ user: user.name, key: id }, 'an API key was revoked');
      return withoutBody(204);
    },
  }),
];

const isoOf = (ms: number) => new Date(ms).toISOString();

const toShown = ({ owner, created, expires, used, ...key }: ApiKey): z.output<typeof apiKey> => ({
  ...key,
  owner: { name: owner.name, subject: owner.subject, group: owner.group },
  created: isoOf(created),
  expires: isoOf(expires),
  lastUsed: used === null ? null : isoOf(used),
});
