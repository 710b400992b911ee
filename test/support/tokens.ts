import { randomUUID } from 'node:crypto';
import { importJWK, SignJWT } from 'jose';
import { DEVELOPMENT_CLIENT_ID, DEVELOPMENT_PATH } from '../../http/access/development-names.ts';
import { DEVELOPMENT_AUDIENCE, DEVELOPMENT_ROLES } from '../../http/access/development-provider.ts';
import { loadOrCreateDevelopmentSecrets } from '../../http/access/development-secrets.ts';

/**
 * A token like those of the development provider of a server, signed with the server's key. Tests of hundreds of servers do not ask the
 * provider itself, because loading it takes a third of the start of a server. test/access and test/cli test the provider.
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
    .setExpirationTime('1d')
    .sign(await importJWK(key, key.alg));
}
