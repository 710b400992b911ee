/** Path to which the provider redirects browsers after the login (specification 5). */
export const REDIRECT_PATH = '/login/oauth2/code/provider';

/** An example base URL for validation. The result does not depend on it. */
const EXAMPLE_BASE = 'https://host.example:8443/path';

/** The template variables of Spring Security. `baseUrl` is `{baseScheme}://{baseHost}{basePort}{basePath}`. */
function variablesOf(baseUrl: string): ReadonlyMap<string, string> {
  const { protocol, hostname, port, pathname } = new URL(baseUrl);
  return new Map([
    ['baseUrl', baseUrl.replace(/(?<!\/)\/+$/, '')],
    ['baseScheme', protocol.slice(0, -1)],
    ['baseHost', hostname],
    ['basePort', port === '' ? '' : `:${port}`],
    ['basePath', pathname.replace(/(?<!\/)\/+$/, '')],
    ['action', 'login'],
    ['registrationId', 'provider'],
  ]);
}

/** OIDC_REDIRECT_URI with the values of its template variables. `baseUrl`: address of the server for clients. */
export function expandRedirectUri(template: string, baseUrl: string): string {
  const variables = variablesOf(baseUrl);
  return template.replace(/\{(\w+)\}/g, (whole, name: string) => variables.get(name) ?? whole);
}

/** Why a server cannot use this OIDC_REDIRECT_URI. Undefined if it can. */
export function redirectUriProblem(template: string): string | undefined {
  const known = [...variablesOf(EXAMPLE_BASE).keys()];
  const expanded = expandRedirectUri(template, EXAMPLE_BASE);
  if (/[{}]/.test(expanded))
    return `may have only the template variables ${known.map((name) => `{${name}}`).join(', ')}`;
  if (!expanded.endsWith(REDIRECT_PATH)) return `must end in ${REDIRECT_PATH}`;
  if (!URL.canParse(expanded) || !/^https?:$/.test(new URL(expanded).protocol))
    return `must be an http(s) URL that ends in ${REDIRECT_PATH}`;
  return undefined;
}
