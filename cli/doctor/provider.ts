import { discoverKeysUri, fetchKeySet, withoutSlash } from '../../http/access/provider-document.ts';
import { requestToken } from '../../components/sdk/connection/token-request.ts';
import type { ProviderSettings, AccessSettings } from '../../config/access.ts';
import { clockFinding } from './clock.ts';
import { findingsOn, reasonOf, type Finding } from './check-result.ts';

const TIMEOUT_MS = 5_000;
const { ok, warning, error } = findingsOn('provider');

/** Checks that the OpenID Connect provider answers, publishes keys, knows the client of the server, and has the same time. */
export async function checkProvider(access: AccessSettings): Promise<readonly Finding[]> {
  if (access.mode === 'development')
    return [ok('The server gives out tokens itself. It does so on loopback only.')];
  const issuers = [...new Set([access.issuer, access.tokenIssuer])];
  const found = await Promise.all(issuers.map((issuer) => checkIssuer(issuer, access)));
  const answers = found.flat().every(({ level }) => level === 'ok');
  return [...found.flat(), ...(answers ? await checkClient(access) : [])];
}

async function checkIssuer(issuer: string, { allowHttp }: ProviderSettings): Promise<readonly Finding[]> {
  try {
    const { keys } = await fetchKeySet(await discoverKeysUri({ issuer, allowHttp }));
    const date = await timeAt(issuer);
    return [
      ok(
        `The provider ${issuer} answers, and publishes ${keys.length} ${keys.length === 1 ? 'key' : 'keys'}.`,
      ),
      ...(date === undefined ? [] : [clockFinding('the provider', date)]),
    ];
  } catch (reason) {
    const fix = 'Correct OIDC_ISSUER_URI or OIDC_JWT_ISSUER_URI, or start the provider.';
    return [error(`The provider ${issuer} cannot be used: ${reasonOf(reason)}.`, fix)];
  }
}

/** Checks the client of the server. Only a wrong id or secret is a problem: the client may have no right to tokens of its own. */
async function checkClient({
  issuer,
  clientId,
  clientSecret,
}: ProviderSettings): Promise<readonly Finding[]> {
  try {
    await requestToken({ issuer, clientId, clientSecret });
  } catch (reason) {
    if (/invalid_client/.test(reasonOf(reason)))
      return [
        warning(
          `The provider did not accept the client ${clientId} with its secret.`,
          'Correct OIDC_CLIENT_ID and OIDC_CLIENT_SECRET.',
        ),
      ];
  }
  return [];
}

async function timeAt(issuer: string): Promise<number | undefined> {
  const answer = await fetch(`${withoutSlash(issuer)}/.well-known/openid-configuration`, {
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  await answer.body?.cancel();
  const date = Date.parse(answer.headers.get('date') ?? '');
  return Number.isNaN(date) ? undefined : date;
}
