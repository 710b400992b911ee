/** Hides secrets in documents: the values of secret properties, and secrets inside media URIs. */
import type { Action, Properties } from '../types.ts';

const CENSORED = '<censored>';

const SECRET_PROPERTIES: ReadonlySet<string> = new Set([
  'S3_ACCESS_KEY',
  'S3_SECRET_KEY',
  'S3_SESSION_TOKEN',
  'ARCHIVE_COPY_SRC_S3_ACCESS_KEY',
  'ARCHIVE_COPY_SRC_S3_SECRET_KEY',
  'ARCHIVE_COPY_SRC_S3_SESSION_TOKEN',
  'API_TOKEN',
  'CALLBACK_SECRET',
  'ACS_URL',
  'ACS_SUBSCRIPTION_KEY',
  'ACS_BLOB_CONTAINER_URL',
  'ACS_BLOB_SERVICE_KEY',
]);

const SECRET_PARAMETERS = new Set(
  'x-amz-signature x-amz-credential x-amz-security-token awsaccesskeyid signature sig token access_token api_key apikey password passwd pwd pass'.split(
    ' ',
  ),
);

/** Matches the mask that replaces the secrets of an address. */
const MASKED = /^(?:[a-z][a-z0-9+.-]*:\/\/)?\*\*\*@|[?&][^?=&#]+=\*\*\*(?=[&#]|$)/i;

/** Properties with addresses, which may contain a user and a password. */
const ADDRESSES: ReadonlySet<string> = new Set(['ARCHIVE_URL', 'API_URI', 'API_HEALTH_URI', 'TRITON_SERVER']);

export function censorProperties(properties: Properties): Properties {
  return Object.fromEntries(
    Object.entries(properties).map(([name, value]) => [name, censorValue(name, value)]),
  );
}

/** The value of a property without secrets. */
export function censorValue(name: string, value: string): string {
  if (SECRET_PROPERTIES.has(name)) return CENSORED;
  return ADDRESSES.has(name) ? maskAddress(value.trim()) : value;
}

/** An action without secrets. */
export const censorAction = (action: Action): Action => ({
  ...action,
  properties: action.properties.map(({ name, value }) => ({ name, value: censorValue(name, value) })),
});

/** The first property whose value is a mask. */
export const censoredProperty = ({ properties }: Action): string | undefined =>
  properties.find(
    ({ name, value }) =>
      (SECRET_PROPERTIES.has(name) && value.trim() === CENSORED) ||
      (ADDRESSES.has(name) && MASKED.test(value)),
  )?.name;

/** A host with a port may have no scheme. */
const maskAddress = (address: string): string =>
  address.includes('://') || !address.includes('@')
    ? maskUri(address)
    : maskUri(`http://${address}`).slice('http://'.length);

/** Censors every text under the name of a secret property. */
export function censorDeep(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(censorDeep);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]: [string, unknown]) => [
      name,
      typeof inner === 'string' ? censorValue(name, inner) : censorDeep(inner),
    ]),
  );
}

/** Longest prefix of a data: URI that contains its type. */
const DATA_TYPE = 100;

/** A data: URI without its data, for messages, logs and lists. */
export const withoutData = (uri: string): string =>
  `${uri.slice(0, Math.min(uri.indexOf(',') + 1 || 'data:'.length, DATA_TYPE))}<truncated>`;

/** Masks the user information of a URI and the signatures, tokens and passwords of its query. The rest stays unchanged. */
export function maskUri(uri: string): string {
  if (/^data:/i.test(uri)) return uri;
  return withoutUser(uri).replace(/([?&])([^?=&#]+)=([^&#]*)/g, (whole, lead: string, name: string) =>
    SECRET_PARAMETERS.has(name.toLowerCase()) ? `${lead}${name}=***` : whole,
  );
}

/**
 * Masks the user and the password. An unencoded password may contain characters that seem to end the host, so everything up to the last @
 * is masked.
 */
function withoutUser(uri: string): string {
  const scheme = /^[a-z][a-z0-9+.-]*:\/\//i.exec(uri)?.[0] ?? '';
  if (scheme === '') return uri;
  const rest = uri.slice(scheme.length);
  const end = rest.search(/[/?#]/);
  const authority = end < 0 ? rest : rest.slice(0, end);
  const [before, ...behind] = authority.split('@');
  const isHost = behind.length === 0 && (before!.startsWith('[') || isHostAndPort(before!, scheme, rest));
  const hasPassword = !isHost && before!.includes(':');
  const at = (hasPassword ? rest : authority).lastIndexOf('@');
  return at < 0 ? uri : `${scheme}***@${rest.slice(at + 1)}`;
}

const MAX_PORT = 65_535;

/**
 * Distinguishes `host:8080/x@y` from `user:1234/x@camera`. The number is a password if it is no port, or if the address is that of a
 * camera, whose paths have no @. It is also one if an IP address, or a host with its port, follows the last @.
 */
function isHostAndPort(before: string, scheme: string, rest: string): boolean {
  const port = /^[^:]*:(\d*)$/.exec(before)?.[1];
  if (port === undefined || Number(port) > MAX_PORT) return false;
  const behind = rest.slice(rest.lastIndexOf('@') + 1);
  if (behind === rest) return true;
  return !/^rtsps?:/i.test(scheme) && !/^(\d+(\.\d+){3}|\[[\da-f:.]+\]|[\w.-]+:\d+)([/?#:]|$)/i.test(behind);
}
