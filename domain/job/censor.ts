/** What a document never shows: the values of secret properties, and secrets inside of media URIs. */
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

/** What is left of the secrets of an address. */
const MASKED = /^(?:[a-z][a-z0-9+.-]*:\/\/)?\*\*\*@|[?&][^?=&#]+=\*\*\*(?=[&#]|$)/i;

/** Properties that are addresses, with or without a user's name and password in them. */
const ADDRESSES: ReadonlySet<string> = new Set(['ARCHIVE_URL', 'API_URI', 'API_HEALTH_URI', 'TRITON_SERVER']);

export function censorProperties(properties: Properties): Properties {
  return Object.fromEntries(
    Object.entries(properties).map(([name, value]) => [name, censorValue(name, value)]),
  );
}

/** A value as anybody may read it. */
export function censorValue(name: string, value: string): string {
  if (SECRET_PROPERTIES.has(name)) return CENSORED;
  return ADDRESSES.has(name) ? maskAddress(value.trim()) : value;
}

/** An action as anybody may read it. */
export const censorAction = (action: Action): Action => ({
  ...action,
  properties: action.properties.map(({ name, value }) => ({ name, value: censorValue(name, value) })),
});

/** The first property whose value stands for one that is not shown. */
export const censoredProperty = ({ properties }: Action): string | undefined =>
  properties.find(
    ({ name, value }) =>
      (SECRET_PROPERTIES.has(name) && value.trim() === CENSORED) ||
      (ADDRESSES.has(name) && MASKED.test(value)),
  )?.name;

/** Hosts with a port may stand without a scheme. */
const maskAddress = (address: string): string =>
  address.includes('://') || !address.includes('@')
    ? maskUri(address)
    : maskUri(`http://${address}`).slice('http://'.length);

/** Censors wherever a text stands under the name of a secret property. */
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

/** The longest beginning of a data: URI that says what its data are. */
const DATA_TYPE = 100;

/** A data: URI without its data: what messages, logs and lists say of it. */
export const withoutData = (uri: string): string =>
  `${uri.slice(0, Math.min(uri.indexOf(',') + 1 || 'data:'.length, DATA_TYPE))}<truncated>`;

/** Masks the user information of a URI and the signatures, tokens and passwords of its query; all else stays as it was written. */
export function maskUri(uri: string): string {
  if (/^data:/i.test(uri)) return uri;
  return withoutUser(uri).replace(/([?&])([^?=&#]+)=([^&#]*)/g, (whole, lead: string, name: string) =>
    SECRET_PARAMETERS.has(name.toLowerCase()) ? `${lead}${name}=***` : whole,
  );
}

/** A password that was not encoded may have signs in it that seem to end the host: then all is masked up to the last @. */
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
 * `user:1234/x@camera` begins as `host:8080/x@y` does. It is a password when the number is no port, when the address is that of a camera,
 * whose paths have no @, or when an address in numbers, or a host with its port, stands behind the last @.
 */
function isHostAndPort(before: string, scheme: string, rest: string): boolean {
  const port = /^[^:]*:(\d*)$/.exec(before)?.[1];
  if (port === undefined || Number(port) > MAX_PORT) return false;
  const behind = rest.slice(rest.lastIndexOf('@') + 1);
  if (behind === rest) return true;
  return !/^rtsps?:/i.test(scheme) && !/^(\d+(\.\d+){3}|\[[\da-f:.]+\]|[\w.-]+:\d+)([/?#:]|$)/i.test(behind);
}
