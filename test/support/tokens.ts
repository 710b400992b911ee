import { randomUUID } from 'node:crypto';
import { importJWK, SignJWT } from 'jose';
import { DEVELOPMENT_CLIENT_ID, DEVELOPMENT_PATH } from '../../http/access/development-names.ts';
import { DEVELOPMENT_AUDIENCE, DEVELOPMENT_ROLES } from '../../http/access/development-provider.ts';
import { loadOrCreateDevelopmentSecrets } from '../../http/access/development-secrets.ts';

/**
 * A token like those that the development provider of a server gives out, signed with the server's key. A server that is asked for
 * one loads and opens its provider: for each of some hundred servers that would be a third of the time of its start. What the
 * provider itself promises is held in test/access, and in test/cli, whose clients get their tokens from it.
 */
export async function ownToken(
  baseUrl: string,
  dataDir: string,
  role: keyof typeof DEVELOPMENT_ROLES = 'admin',
): Promise<string> {
  const {
    signingKeys: [key],
  } = await loadOrCreateDevelopmentSecrets(dataDir);
  return new SignJWT({ client_id: DEVELOPMENT_CLIENT_ID, groups: [DEVELOPMENT_ROLES[role]?.value] })
    .setProtectedHeader({ alg: key.alg, kid: key.kid, typ: 'at+jwt' })
    .setIssuer(`${baseUrl}${DEVELOPMENT_PATH}`)
    .setSubject(DEVELOPMENT_CLIENT_ID)
    .setAudience(DEVELOPMENT_AUDIENCE)
    .setJti(randomUUID())
    .setIssuedAt()
    .setExpirationTime('1h')
    .sign(await importJWK(key, key.alg));
}
