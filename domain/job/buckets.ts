/**
 * The S3 properties: the bucket for the results of a job, and media in buckets that the keys open. With S3_USE_VIRTUAL_HOST, the name of a
 * bucket precedes S3_HOST. Otherwise it is the first part of the path.
 */
import { booleanOf, textOf } from '../properties/properties.ts';
import type { BucketAccess, BucketObject, Properties } from '../types.ts';
import { decodeText } from '../decode-text.ts';

/** The bucket for results. */
export interface ResultsBucket extends BucketAccess {
  /** Prefix of each object key. */
  readonly prefix: string;
}

interface Place {
  readonly url: string;
  readonly name: string;
}

/** Query parameters of a signed address, which needs no keys. */
const SIGNED = ['x-amz-signature', 'signature'];

/** The properties without keys of buckets. Detectors do not need keys, because they read media from files. */
export function withoutKeys(properties: Properties): Properties {
  return Object.fromEntries(Object.entries(properties).filter(([name]) => !KEY.test(name)));
}

const KEY = /^(ARCHIVE_COPY_SRC_)?S3_(ACCESS_KEY|SECRET_KEY|SESSION_TOKEN)$/;

/** Why a job is refused if these properties apply to some medium and action, or null. */
export function refusedBucketProperties(properties: Properties): string | null {
  const access = isSet(properties, 'S3_ACCESS_KEY');
  const secret = isSet(properties, 'S3_SECRET_KEY');
  const [given, missing] = access ? ['S3_ACCESS_KEY', 'S3_SECRET_KEY'] : ['S3_SECRET_KEY', 'S3_ACCESS_KEY'];
  if (isSet(properties, 'S3_RESULTS_BUCKET')) {
    if (!access && !secret)
      return 'The S3_RESULTS_BUCKET property was set, but the S3_ACCESS_KEY and S3_SECRET_KEY properties were not.';
    if (access !== secret)
      return `The S3_RESULTS_BUCKET and ${given} properties were set, but the ${missing} property was not.`;
    const place = resultsPlace(properties);
    return typeof place === 'string' ? place : refusedPrefix(prefixOf(properties));
  }
  if (access === secret || booleanOf(properties, 'S3_UPLOAD_ONLY')) return null;
  return `The ${given} property was set, but the ${missing} property was not.`;
}

/** The bucket for the upload of results. Null if they stay on the server. @throws Error if the properties are invalid */
export function resultsBucket(properties: Properties): ResultsBucket | null {
  if (!isSet(properties, 'S3_RESULTS_BUCKET')) return null;
  const refused = refusedBucketProperties(properties);
  if (refused !== null) throw new Error(refused);
  const place = resultsPlace(properties);
  if (typeof place === 'string') throw new Error(place);
  return { ...place, ...keysOf(properties), prefix: prefixOf(properties) };
}

const prefixOf = (properties: Properties): string => textOf(properties, 'S3_UPLOAD_OBJECT_KEY_PREFIX').trim();

/** Refuses "." and ".." in a prefix. HTTP clients resolve them as folders, so the address would name another object. */
function refusedPrefix(prefix: string): string | null {
  return prefix.split('/').some((part) => part === '.' || part === '..')
    ? 'The S3_UPLOAD_OBJECT_KEY_PREFIX property has a part "." or "..", with which no object can be found by its address: give one without.'
    : null;
}

/** The object of a medium's address if it is fetched with bucket keys, or null. */
export function mediaBucket(uri: string, properties: Properties): BucketObject | null {
  const keys = isSet(properties, 'S3_ACCESS_KEY') && isSet(properties, 'S3_SECRET_KEY');
  if (!keys || booleanOf(properties, 'S3_UPLOAD_ONLY')) return null;
  const url = httpUrl(uri);
  if (url === null || [...url.searchParams.keys()].some((name) => SIGNED.includes(name.toLowerCase())))
    return null;
  const found = locate(url, properties);
  if (found === null || found.path === '') return null;
  const versionId = url.searchParams.get('versionId');
  return {
    bucket: { ...found.place, ...keysOf(properties) },
    key: decodeText(found.path),
    ...(versionId === null ? {} : { versionId }),
  };
}

/** The properties for reading results of an archived job. Each falls back to the plain one. */
export function copySource(properties: Properties): Properties {
  const own = SOURCE_NAMES.filter((name) => isSet(properties, `ARCHIVE_COPY_SRC_${name}`));
  const source = own.map((name) => [name, textOf(properties, `ARCHIVE_COPY_SRC_${name}`)] as const);
  // The plain token belongs only to the plain key.
  const token = own.includes('S3_ACCESS_KEY') ? { S3_SESSION_TOKEN: '' } : {};
  return { ...properties, S3_UPLOAD_ONLY: 'FALSE', ...token, ...Object.fromEntries(source) };
}

const SOURCE_NAMES = [
  'S3_ACCESS_KEY',
  'S3_SECRET_KEY',
  'S3_SESSION_TOKEN',
  'S3_REGION',
  'S3_USE_VIRTUAL_HOST',
  'S3_HOST',
  'S3_UPLOAD_OBJECT_KEY_PREFIX',
];

/** The object of an archived result's address, or null. The job must have keys for it, and the address none of its own. */
export function archivedObject(uri: string, properties: Properties): BucketObject | null {
  const url = httpUrl(uri);
  if (url === null || url.username !== '' || url.password !== '') return null;
  return mediaBucket(uri, copySource(properties));
}

/** The content hash in the key of an archived result (`objectKey`), or null. */
export function hashInKey(key: string, properties: Properties): string | null {
  const prefix = prefixOf(copySource(properties));
  const sha256 = key.slice(-64);
  return /^[0-9a-f]{64}$/.test(sha256) && objectKey(prefix, sha256) === key ? sha256 : null;
}

/** The key of an object. Equal content has the same key, so it is stored once. `sha256` in hex. */
export function objectKey(prefix: string, sha256: string): string {
  return `${prefix}${sha256.slice(0, 2)}/${sha256.slice(2, 4)}/${sha256}`;
}

/** The address of an object in documents. */
export function objectUri({ url }: BucketAccess, key: string): string {
  return `${url}/${key.split('/').map(encodeURIComponent).join('/')}`;
}

/** The parsed S3_RESULTS_BUCKET, or a sentence about its error. The value may contain a password and is not shown. */
function resultsPlace(properties: Properties): Place | string {
  const text = textOf(properties, 'S3_RESULTS_BUCKET').trim();
  const store = storeUrl(properties);
  if (store === null)
    return 'The S3_HOST property is not the name of a host: give one like "s3.amazonaws.com".';
  const virtualHost = booleanOf(properties, 'S3_USE_VIRTUAL_HOST');
  if (/^[\w.-]+$/.test(text)) {
    const url = virtualHost ? `${store.protocol}//${text}.${store.host}` : `${store.origin}/${text}`;
    if (URL.canParse(url)) return { url, name: text };
  }
  const url = httpUrl(text);
  if (url === null)
    return 'The S3_RESULTS_BUCKET property is neither the name of a bucket nor an address like "https://host/bucket".';
  const found = locate(url, properties);
  if (found === null)
    return virtualHost
      ? `The S3_RESULTS_BUCKET property is not the name of a bucket in front of the host "${store.hostname}", which S3_USE_VIRTUAL_HOST and S3_HOST ask for.`
      : 'The S3_RESULTS_BUCKET property names no bucket: give an address like "https://host/bucket".';
  if (found.path !== '' || url.search !== '' || url.hash !== '' || url.username !== '' || url.password !== '')
    return 'The S3_RESULTS_BUCKET property holds more than the address of a bucket: give keys in S3_ACCESS_KEY and S3_SECRET_KEY, and folders in S3_UPLOAD_OBJECT_KEY_PREFIX.';
  return found.place;
}

/** Splits an address into that of the bucket and the rest of the path. */
function locate(url: URL, properties: Properties): { readonly place: Place; readonly path: string } | null {
  if (booleanOf(properties, 'S3_USE_VIRTUAL_HOST')) {
    const suffix = `.${storeUrl(properties)?.hostname ?? ''}`;
    if (suffix === '.' || !url.hostname.endsWith(suffix)) return null;
    const name = url.hostname.slice(0, -suffix.length);
    return { place: { url: url.origin, name }, path: url.pathname.slice(1) };
  }
  const [, name, path = ''] = /^\/([^/]+)\/?(.*)$/s.exec(url.pathname) ?? [];
  return name === undefined
    ? null
    : { place: { url: `${url.origin}/${name}`, name: decodeText(name) }, path };
}

/** S3_HOST as a URL, with https unless it has a scheme. */
function storeUrl(properties: Properties): URL | null {
  const host = textOf(properties, 'S3_HOST').trim();
  return httpUrl(/^https?:\/\//i.test(host) ? host : `https://${host}`);
}

function keysOf(properties: Properties): Omit<BucketAccess, keyof Place> {
  const sessionToken = textOf(properties, 'S3_SESSION_TOKEN').trim();
  return {
    region: textOf(properties, 'S3_REGION').trim(),
    accessKey: textOf(properties, 'S3_ACCESS_KEY').trim(),
    secretKey: textOf(properties, 'S3_SECRET_KEY').trim(),
    ...(sessionToken === '' ? {} : { sessionToken }),
  };
}

function httpUrl(text: string): URL | null {
  return /^https?:\/\//i.test(text) && URL.canParse(text) ? new URL(text) : null;
}

function isSet(properties: Properties, name: string): boolean {
  return textOf(properties, name).trim() !== '';
}
