import { z } from 'zod';
import { ConfigurationError, problemsOf } from './error.ts';
import { REDIRECT_PATH, redirectUriProblem } from './redirect-uri.ts';
import type { SettingGroup } from './schema/values.ts';
import { nearestSetting } from './unknown-names.ts';

/** A role is granted if the claim `name` equals `value`, or is a list that contains it (specification 5). */
export interface ClaimMatch {
  readonly name: string;
  readonly value: string;
}

export interface RoleClaims {
  readonly user?: ClaimMatch;
  readonly admin?: ClaimMatch;
}

export interface ProviderSettings {
  readonly mode: 'provider';
  /** OpenID Connect provider for users of the web UI. */
  readonly issuer: string;
  /** Provider of the REST clients' tokens. It is the same unless OIDC_JWT_ISSUER_URI is set. */
  readonly tokenIssuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly roles: RoleClaims;
  /** Grants the role of a node on another host. Absent if there are no such nodes. */
  readonly node?: ClaimMatch;
  /** Scopes of the web UI's login. They always include `openid`. */
  readonly scopes: readonly string[];
  /** Claim that holds the user's name. */
  readonly userNameClaim: string;
  /** Claim with the user's group. Absent if users have none. */
  readonly groupClaim?: string;
  /** May contain template variables; see `expandRedirectUri`. */
  readonly redirectUri?: string;
  /** The audience that tokens must have. Unset: any. */
  readonly audience?: string;
  /** Accepts tokens without `sub` and, if an audience is set, tokens with a nonce. */
  readonly lenientTokens: boolean;
  /** Allows plain http to a provider on another host. */
  readonly allowHttp: boolean;
}

export type AccessSettings = ProviderSettings | { readonly mode: 'development' };

type Environment = Readonly<Record<string, string | undefined>>;

const REQUIRED = ['OIDC_ISSUER_URI', 'OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET'] as const;

const text = (description: string) => z.string().trim().min(1).optional().describe(description);
const flag = (description: string) =>
  z
    .string()
    .trim()
    .toLowerCase()
    .pipe(z.enum(['true', 'false'], { error: 'must be true or false' }))
    .optional()
    .describe(description);
const providerUri = (description: string) =>
  text(description).refine((value) => value === undefined || isProviderUri(value), {
    error: 'must be an http(s) URL without user, query or fragment',
  });

/** Schemas of the variables. `readAccess` has the rules between them. */
export const accessEnvironment = z.object({
  OIDC_ISSUER_URI: providerUri('OpenID Connect provider'),
  OIDC_JWT_ISSUER_URI: providerUri('Provider of REST clients, if it is another one'),
  OIDC_CLIENT_ID: text('Client id of the service'),
  OIDC_CLIENT_SECRET: text("The service's client secret"),
  OIDC_USER_CLAIM_NAME: text('Claim that grants USER'),
  OIDC_USER_CLAIM_VALUE: text('Value of that claim'),
  OIDC_ADMIN_CLAIM_NAME: text('Claim that grants ADMIN, which includes USER'),
  OIDC_ADMIN_CLAIM_VALUE: text('Value of that claim'),
  OIDC_NODE_CLAIM_NAME: text('Claim that grants the role of a node'),
  OIDC_NODE_CLAIM_VALUE: text('Value of that claim'),
  OIDC_SCOPES: text('Comma-separated scopes of the browser login'),
  OIDC_USER_NAME_ATTR: text('Claim with the user name').meta({ shownDefault: 'sub' }),
  OIDC_GROUP_CLAIM_NAME: text("Claim with the user's group"),
  OIDC_REDIRECT_URI: text(
    `Where the provider sends the browser back; ends in ${REDIRECT_PATH} and may use {baseUrl}, {baseScheme}, {baseHost}, {basePort}, {basePath}, {action} and {registrationId}`,
  ).superRefine((value, context) => {
    const message = value === undefined ? undefined : redirectUriProblem(value);
    if (message !== undefined) context.addIssue({ code: 'custom', message });
  }),
  OIDC_AUDIENCE: text('Audience that access tokens must name'),
  OIDC_LENIENT_TOKENS: flag('Accept access tokens that do not follow RFC 9068, such as those of AD FS'),
  OIDC_ALLOW_HTTP: flag('Allow plain http to a provider on another host'),
});
export const accessGroup: SettingGroup = {
  title: 'Access',
  about:
    'Without these settings, the server runs a development provider, on loopback only. ' +
    '[Log in with OpenID Connect](../guides/log-in-with-openid-connect.md) shows which ones you need.',
  settings: accessEnvironment.shape,
};
type AccessVariables = z.infer<typeof accessEnvironment>;

/**
 * Reads who may use the service (specification 5). Without any OIDC variable the service runs its own development provider, if it listens
 * on a loopback `host`.
 * @throws ConfigurationError with every problem at once
 */
export function readAccess(env: Environment, { host }: { host: string }): AccessSettings {
  const given = Object.fromEntries(
    Object.keys(accessEnvironment.shape).flatMap((name) => {
      const value = env[name];
      return value === undefined || value.trim() === '' ? [] : [[name, value]];
    }),
  );
  const unknown = unknownNames(env);
  if (Object.keys(given).length === 0) {
    // The missing variables depend on the intended ones.
    if (unknown.length > 0) throw new ConfigurationError(unknown);
    return developmentOrRefuse(host);
  }

  const parsed = accessEnvironment.safeParse(given);
  const written = parsed.success ? [] : problemsOf(parsed.error.issues, env);
  // The rules between variables need only names, not valid values. So all problems are reported at once.
  const variables = parsed.success ? parsed.data : (given as AccessVariables);
  const problems = [
    ...unknown,
    ...written,
    ...missingVariables(variables),
    ...claimProblems(variables),
    ...plainHttp(variables),
  ];
  if (problems.length > 0) throw new ConfigurationError(problems);
  return provider(variables);
}

/** Finds misspelt names, which would silently disable a check. */
function unknownNames(env: Environment): string[] {
  return Object.entries(env)
    .filter(([name, value]) => name.startsWith('OIDC_') && value !== undefined && value.trim() !== '')
    .filter(([name]) => !Object.hasOwn(accessEnvironment.shape, name))
    .map(([name]) => refusalOf(name));
}

function refusalOf(name: string): string {
  const nearest = nearestSetting(name, Object.keys(accessEnvironment.shape));
  return `${name} is not a setting of the service. ${nearest === undefined ? 'Correct its name or remove it.' : `Did you mean ${nearest}?`}`;
}

/** True if `host` (a name or an address, as in HOST or a URL) is this machine only. */
export function isLoopback(host: string): boolean {
  const bare = host.replace(/^\[(.*)\]$/, '$1').toLowerCase();
  return bare === 'localhost' || bare === '::1' || /^(::ffff:)?127(\.\d{1,3}){3}$/.test(bare);
}

function developmentOrRefuse(host: string): AccessSettings {
  const setThese =
    `set ${REQUIRED.join(', ')} and a claim that grants a role ` +
    '(OIDC_ADMIN_CLAIM_NAME and OIDC_ADMIN_CLAIM_VALUE, or OIDC_USER_CLAIM_NAME and OIDC_USER_CLAIM_VALUE)';
  if (!isLoopback(host)) {
    throw new ConfigurationError([
      `The server would listen on "${host}" without an OpenID Connect provider: ${setThese}, or HOST=127.0.0.1 for development.`,
    ]);
  }
  return { mode: 'development' };
}

function missingVariables(v: AccessVariables): string[] {
  const absent = REQUIRED.filter((name) => v[name] === undefined);
  if (absent.length === 0) return [];
  const present = Object.keys(v).join(', ');
  return [
    `${absent.join(' and ')} must be set too, because ${present} ${present.includes(',') ? 'are' : 'is'} set.`,
  ];
}

function claimProblems(v: AccessVariables): string[] {
  const pairs = [
    ['OIDC_USER_CLAIM_NAME', 'OIDC_USER_CLAIM_VALUE'],
    ['OIDC_ADMIN_CLAIM_NAME', 'OIDC_ADMIN_CLAIM_VALUE'],
  ] as const;
  const nodePair = ['OIDC_NODE_CLAIM_NAME', 'OIDC_NODE_CLAIM_VALUE'] as const;
  const halves = [...pairs, nodePair].flatMap(([name, value]) => {
    if ((v[name] === undefined) === (v[value] === undefined)) return [];
    const [set, unset] = v[name] === undefined ? [value, name] : [name, value];
    return [`${unset} must be set too, because ${set} is set.`];
  });
  const none = pairs.every(([name, value]) => v[name] === undefined && v[value] === undefined);
  return none
    ? [
        'No user has a role. Set OIDC_ADMIN_CLAIM_NAME and OIDC_ADMIN_CLAIM_VALUE, ' +
          'or OIDC_USER_CLAIM_NAME and OIDC_USER_CLAIM_VALUE.',
      ]
    : halves;
}

function plainHttp(v: AccessVariables): string[] {
  if (v.OIDC_ALLOW_HTTP === 'true') return [];
  return (['OIDC_ISSUER_URI', 'OIDC_JWT_ISSUER_URI'] as const).flatMap((name) => {
    const value = v[name];
    if (value === undefined || !isProviderUri(value)) return [];
    const url = new URL(value);
    if (url.protocol === 'https:' || isLoopback(url.hostname)) return [];
    return [
      `${name} is plain http, so tokens can be forged on the way. Use https, or set OIDC_ALLOW_HTTP=true if the network is trusted.`,
    ];
  });
}

/** `v` has passed all rules above. */
function provider(v: AccessVariables): AccessSettings {
  const issuer = v.OIDC_ISSUER_URI ?? '';
  const user = claim(v.OIDC_USER_CLAIM_NAME, v.OIDC_USER_CLAIM_VALUE);
  const admin = claim(v.OIDC_ADMIN_CLAIM_NAME, v.OIDC_ADMIN_CLAIM_VALUE);
  const node = claim(v.OIDC_NODE_CLAIM_NAME, v.OIDC_NODE_CLAIM_VALUE);
  const scopes = (v.OIDC_SCOPES ?? '').split(',').map((scope) => scope.trim());
  return {
    mode: 'provider',
    issuer,
    tokenIssuer: v.OIDC_JWT_ISSUER_URI ?? issuer,
    clientId: v.OIDC_CLIENT_ID ?? '',
    clientSecret: v.OIDC_CLIENT_SECRET ?? '',
    roles: { ...(user && { user }), ...(admin && { admin }) },
    ...(node && { node }),
    scopes: [...new Set(['openid', ...scopes.filter((scope) => scope !== '')])],
    userNameClaim: v.OIDC_USER_NAME_ATTR ?? 'sub',
    ...(v.OIDC_GROUP_CLAIM_NAME !== undefined && { groupClaim: v.OIDC_GROUP_CLAIM_NAME }),
    ...(v.OIDC_REDIRECT_URI !== undefined && { redirectUri: v.OIDC_REDIRECT_URI }),
    ...(v.OIDC_AUDIENCE !== undefined && { audience: v.OIDC_AUDIENCE }),
    lenientTokens: v.OIDC_LENIENT_TOKENS === 'true',
    allowHttp: v.OIDC_ALLOW_HTTP === 'true',
  };
}

function claim(name: string | undefined, value: string | undefined): ClaimMatch | undefined {
  return name === undefined || value === undefined ? undefined : { name, value };
}

function isProviderUri(value: string): boolean {
  if (!URL.canParse(value)) return false;
  const url = new URL(value);
  return (
    ['http:', 'https:'].includes(url.protocol) &&
    url.username === '' &&
    url.password === '' &&
    url.search === '' &&
    url.hash === ''
  );
}
