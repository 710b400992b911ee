/**
 * The S3 properties: which bucket receives the results of a job, and which media are in a bucket that the keys open.
 * With S3_USE_VIRTUAL_HOST, the name of a bucket is before S3_HOST; otherwise it is the first part of the path.
 */
import { booleanOf, textOf } from '../properties/properties.ts';
import type { BucketAccess, BucketObject, Properties } from '../types.ts';
import { decodeText } from '../decode-text.ts';

/** Where results go. */
export interface ResultsBucket extends BucketAccess {
  /** Put before the key of each object. */
  readonly prefix: string;
}

interface Place {
  readonly url: string;
  readonly name: string;
}

/** Query parameters of an address that was signed by somebody else: it opens without our keys. */
const SIGNED = ['x-amz-signature', 'signature'];

/** The properties without keys of buckets, which detectors do not need, because they read media from files. */
export function withoutKeys(properties: Properties): Properties {
  return Object.fromEntries(Object.entries(properties).filter(([name]) => !KEY.test(name)));
}

const KEY = /^(ARCHIVE_COPY_SRC_)?S3_(ACCESS_KEY|SECRET_KEY|SESSION_TOKEN)$/;

/** Why a job is refused when these properties apply to some medium and action, or null. */
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

/** The bucket that results are uploaded to; null when they stay here. @throws Error when the properties are refused */
export function resultsBucket(properties: Properties): ResultsBucket | null {
  if (!isSet(properties, 'S3_RESULTS_BUCKET')) return null;
  const refused = refusedBucketProperties(properties);
  if (refused !== null) throw new Error(refused);
  const place = resultsPlace(properties);
  if (typeof place === 'string') throw new Error(place);
  return { ...place, ...keysOf(properties), prefix: prefixOf(properties) };
}

const prefixOf = (properties: Properties): string => textOf(properties, 'S3_UPLOAD_OBJECT_KEY_PREFIX').trim();

/** Readers of addresses take "." and ".." for steps in folders: they would ask for another object. */
function refusedPrefix(prefix: string): string | null {
  return prefix.split('/').some((part) => part === '.' || part === '..')
    ? 'The S3_UPLOAD_OBJECT_KEY_PREFIX property has a part "." or "..", with which no object can be found by its address: give one without.'
    : null;
}

/** The object that a medium's address names when it is fetched with bucket keys, or null. */
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

/** The properties that open the place where an archived job has put its results: each falls back to the plain one. */
export function copySource(properties: Properties): Properties {
  const own = SOURCE_NAMES.filter((name) => isSet(properties, `ARCHIVE_COPY_SRC_${name}`));
  const source = own.map((name) => [name, textOf(properties, `ARCHIVE_COPY_SRC_${name}`)] as const);
  // The plain token belongs to the plain key alone.
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

/** The object that the address of an archived result names, when the job knows keys for it and the address holds none; or null. */
export function archivedObject(uri: string, properties: Properties): BucketObject | null {
  const url = httpUrl(uri);
  if (url === null || url.username !== '' || url.password !== '') return null;
  return mediaBucket(uri, copySource(properties));
}

/** The hash in the key of an archived result that was named by its content (`objectKey`), or null. */
export function hashInKey(key: string, properties: Properties): string | null {
  const prefix = prefixOf(copySource(properties));
  const sha256 = key.slice(-64);
  return /^[0-9a-f]{64}$/.test(sha256) && objectKey(prefix, sha256) === key ? sha256 : null;
}

/** The key of an object: the same content has the same key, so that it is stored once. `sha256` in hex. */
export function objectKey(prefix: string, sha256: string): string {
  return `${prefix}${sha256.slice(0, 2)}/${sha256.slice(2, 4)}/${sha256}`;
}

/** The address of an object as documents show it. */
export function objectUri({ url }: BucketAccess, key: string): string {
  return `${url}/${key.split('/').map(encodeURIComponent).join('/')}`;
}

/** Where S3_RESULTS_BUCKET lies, or a sentence that says what is wrong with it. It may hold a password and is not shown. */
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

/** Takes an address apart into that of the bucket and the rest of the path. */
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

/** S3_HOST as an address; https unless it says otherwise. */
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
