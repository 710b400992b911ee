/** Authorization for servers that request user and password: Basic and Digest (RFC 7616), over RTSP and HTTP. Most cameras use Digest. */
import { createHash, randomBytes } from 'node:crypto';
import { LiveError } from './live-error.ts';

export interface Credentials {
  readonly user: string;
  readonly password: string;
}

/** Returns the decoded user and password of a URL; undefined if it has none. */
export function credentialsOf(url: URL): Credentials | undefined {
  if (url.username === '' && url.password === '') return undefined;
  try {
    return { user: decodeURIComponent(url.username), password: decodeURIComponent(url.password) };
  } catch {
    throw new LiveError(
      'UNAUTHORIZED',
      'Encode special characters in user and password of the stream, for example @ as %40.',
    );
  }
}

/** Returns the Authorization header of a request. */
export type Authorize = (method: string, uri: string) => string;

/** Returns the strongest supported answer to the challenges (values of WWW-Authenticate); undefined if there is none. */
export function authorization(
  challenges: readonly string[],
  { user, password }: Credentials,
): Authorize | undefined {
  const digests = challenges.map(digestOf).filter((digest) => digest !== undefined);
  const digest = digests.find(({ hash }) => hash === 'sha256') ?? digests[0];
  if (digest !== undefined) return digestAnswer(digest, { user, password });
  if (!challenges.some((challenge) => /^\s*basic\b/i.test(challenge))) return undefined;
  const pair = Buffer.from(`${user}:${password}`).toString('base64');
  return () => `Basic ${pair}`;
}

interface Digest {
  readonly hash: 'md5' | 'sha256';
  readonly realm: string;
  readonly nonce: string;
  readonly qop: boolean;
  readonly algorithm: string | undefined;
  readonly opaque: string | undefined;
}

const HASHES: Readonly<Record<string, Digest['hash']>> = { MD5: 'md5', 'SHA-256': 'sha256' };

/** Maximum length of a challenge. Honest servers send shorter ones. */
const MOST_CHALLENGE = 2_000;

/** Text between commas outside quotes. Each character matches in only one way, so a hostile server cannot cause slow matching. */
const PARAMETER = /(?:[^",]|"[^"]*"?)+/g;

function nameAndValue(parameter: string): readonly [string, string] {
  const [name, ...rest] = parameter.split('=');
  const value = rest.join('=').trim();
  return [name!.trim().toLowerCase(), value.startsWith('"') ? value.slice(1).replace('"', '') : value];
}

function digestOf(challenge: string): Digest | undefined {
  const text = /^\s*digest\s(.*)$/is.exec(challenge.slice(0, MOST_CHALLENGE))?.[1];
  if (text === undefined) return undefined;
  const fields = new Map(text.match(PARAMETER)?.map(nameAndValue));
  const algorithm = fields.get('algorithm');
  const hash = HASHES[(algorithm ?? 'MD5').toUpperCase()];
  const qop = fields.get('qop')?.split(/[\s,]+/);
  if (hash === undefined || (qop !== undefined && !qop.includes('auth'))) return undefined;
  const [realm, nonce] = [fields.get('realm') ?? '', fields.get('nonce') ?? ''];
  return { hash, realm, nonce, qop: qop !== undefined, algorithm, opaque: fields.get('opaque') };
}

function digestAnswer(digest: Digest, { user, password }: Credentials): Authorize {
  const { hash, realm, nonce, qop, algorithm, opaque } = digest;
  const hashText = (text: string): string => createHash(hash).update(text).digest('hex');
  let uses = 0;
  return (method, uri) => {
    const [secret, action] = [hashText(`${user}:${realm}:${password}`), hashText(`${method}:${uri}`)];
    const count = (++uses).toString(16).padStart(8, '0');
    const client = randomBytes(8).toString('hex');
    const response = hashText(
      qop ? `${secret}:${nonce}:${count}:${client}:auth:${action}` : `${secret}:${nonce}:${action}`,
    );
    const fields = [
      `username=${quoteText(user)}`,
      `realm=${quoteText(realm)}`,
      `nonce=${quoteText(nonce)}`,
      `uri=${quoteText(uri)}`,
      `response="${response}"`,
      ...(algorithm === undefined ? [] : [`algorithm=${algorithm}`]),
      ...(opaque === undefined ? [] : [`opaque=${quoteText(opaque)}`]),
      ...(qop ? [`qop=auth, nc=${count}, cnonce="${client}"`] : []),
    ];
    return `Digest ${fields.join(', ')}`;
  };
}

const quoteText = (text: string): string =>
  `"${text.replace(/["\\\r\n]/g, (sign) => (sign < ' ' ? '' : `\\${sign}`))}"`;
