/** Requests that are unusual or invalid as HTTP, byte by byte. */
import * as fc from 'fast-check';
import type { Arbitrary } from 'fast-check';

/** A request with `Connection: close`. `more`: further header lines. */
export function request(
  method: string,
  target: string,
  token: string,
  body = '',
  ...more: readonly string[]
): string {
  const length = body === '' ? [] : [`Content-Length: ${Buffer.byteLength(body)}`];
  const lines = [
    'Host: localhost',
    `Authorization: Bearer ${token}`,
    'Connection: close',
    ...length,
    ...more,
  ];
  return `${method} ${target} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${body}`;
}

type Odd = readonly [what: string, bytes: (token: string) => string | Buffer];

const target = (text: string): Odd => [
  `the target ${text.slice(0, 60)}`,
  (token) => request('GET', text, token),
];
const jobs = (what: string, body: string, ...headers: readonly string[]): Odd => [
  what,
  (token) => request('POST', '/rest/jobs', token, '', ...headers) + body,
];

const TARGETS = [
  'http://[/',
  'http://a:99999/rest/info',
  'http://a/oidc/jwks',
  'http://[/oidc/jwks',
  'HTTP://%/rest/info',
  'http://user:pass@host/rest/info',
  '//[/rest/info',
  '/\\[/rest/info',
  '*',
  '/',
  '/rest/info#x',
  '/rest/info?%',
  '/rest/info?%ff',
  '/rest/jobs/%zz',
  '/rest/jobs/%00',
  '/oidc/%zz',
  '/oidc/token?%ff',
  '/oidc/jwks?a[__proto__]=1',
  '/docs/%2e%2e/%2e%2e/package.json',
  '/docs/..%2f..%2fpackage.json',
  '/docs/__proto__',
  '/docs/api/__proto__',
  '/docs/api/..%2f..%2f..%2fpackage.json',
  '/docs/%ff',
  `/${'a/'.repeat(5_000)}`,
  `/rest/jobs/${'9'.repeat(12_000)}`,
  `/rest/info?${'a&'.repeat(6_000)}`,
];

export const ODD_REQUESTS: readonly Odd[] = [
  ...TARGETS.map(target),
  jobs('two lengths', '{}', 'Content-Length: 2', 'Content-Length: 20'),
  jobs('a length and chunks', '0\r\n\r\n', 'Content-Length: 2', 'Transfer-Encoding: chunked'),
  jobs('a negative length', '', 'Content-Length: -1'),
  jobs('a length beyond all numbers', '{}', `Content-Length: ${'9'.repeat(30)}`),
  jobs('a huge length for a short body', '', 'Content-Length: 9007199254740991'),
  jobs('a length that is a word', '{}', 'Content-Length: two'),
  jobs('a length in a list', '{}', 'Content-Length: 2, 2'),
  jobs('a chunk whose size is a word', 'zz\r\n{}\r\n0\r\n\r\n', 'Transfer-Encoding: chunked'),
  jobs('a chunk of a size beyond all numbers', 'fffffffffffffffff\r\n{}', 'Transfer-Encoding: chunked'),
  jobs(
    'a chunk with a long extension',
    `2;${'x'.repeat(40_000)}\r\n{}\r\n0\r\n\r\n`,
    'Transfer-Encoding: chunked',
  ),
  jobs(
    'chunks with trailers',
    '2\r\n{}\r\n0\r\nAuthorization: Bearer x\r\n\r\n',
    'Transfer-Encoding: chunked',
  ),
  jobs('an encoding that nobody knows', '{}', 'Transfer-Encoding: gzip'),
  jobs('an expectation', '', 'Expect: 100-continue', 'Content-Length: 0'),
  jobs('an expectation that nobody knows', '', 'Expect: a-miracle', 'Content-Length: 0'),
  jobs('a header on two lines', '', 'X-Folded: a\r\n b', 'Content-Length: 0'),
  jobs('a header with NUL', '', 'X-Nul: a\0b', 'Content-Length: 0'),
  jobs('a header without a name', '', ': a', 'Content-Length: 0'),
  jobs('a header with a blank in its name', '', 'X Blank: a', 'Content-Length: 0'),
  jobs('a header of 100 kB', '', `X-Long: ${'x'.repeat(100_000)}`, 'Content-Length: 0'),
  jobs('5,000 headers', '', ...Array.from({ length: 5_000 }, (_, n) => `X-${n}: `), 'Content-Length: 0'),
  jobs('several tokens', '{}', 'Authorization: Bearer other', 'Content-Length: 2'),
  jobs('an upgrade to websocket', '', 'Upgrade: websocket', 'Content-Length: 0'),
  jobs(
    'an upgrade to HTTP/2',
    '',
    'Upgrade: h2c',
    'HTTP2-Settings: AAMAAABkAAQCAAAAAAIAAAAA',
    'Content-Length: 0',
  ),
  ['no host', () => 'GET /healthz HTTP/1.1\r\n\r\n'],
  [
    'a host that is none',
    (token) => request('GET', '/rest/info', token, '', 'Host: [').replace('Host: localhost\r\n', ''),
  ],
  [
    'a host that is none, for the provider',
    () => 'GET /oidc/jwks HTTP/1.1\r\nHost: [\r\nConnection: close\r\n\r\n',
  ],
  ['lines that end without CR', () => 'GET /healthz HTTP/1.1\nHost: a\nConnection: close\n\n'],
  ['HTTP/1.0', () => 'GET /healthz HTTP/1.0\r\n\r\n'],
  ['HTTP/0.9', () => 'GET /healthz\r\n\r\n'],
  ['HTTP/9.9', () => 'GET /healthz HTTP/9.9\r\nHost: a\r\n\r\n'],
  ['the preface of HTTP/2', () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
  ['a greeting of TLS', () => Buffer.from('16030100a5010000a10303', 'hex')],
  ['a method that nobody knows', (token) => request('BREW', '/rest/info', token)],
  ['a method in small letters', (token) => request('get', '/rest/info', token)],
  ['a tunnel', (token) => request('CONNECT', '127.0.0.1:22', token)],
  ['bytes without meaning', () => Buffer.from(Array.from({ length: 4_096 }, (_, n) => (n * 7_919) % 256))],
  [
    'a request hidden behind another',
    (token) =>
      request('GET', '/healthz', token).replace('close', 'keep-alive') +
      request('TRACE', '/rest/info', token),
  ],
];

/** The request with bytes changed, repeated or removed, or cut off. */
export function manglings(whole: string): Arbitrary<Buffer> {
  const fault = fc.record({
    at: fc.nat(),
    kind: fc.constantFrom('change', 'double', 'drop', 'cut'),
    byte: fc.nat(255),
  });
  return fc.array(fault, { minLength: 1, maxLength: 4 }).map((faults) => {
    let bytes = [...Buffer.from(whole)];
    for (const { at, kind, byte } of faults) {
      const n = at % Math.max(1, bytes.length);
      if (kind === 'cut') bytes = bytes.slice(0, n);
      else if (kind === 'drop') bytes.splice(n, 1);
      else if (kind === 'double') bytes.splice(n, 0, ...bytes.slice(n, n + 20));
      else bytes[n] = byte;
    }
    return Buffer.from(bytes);
  });
}
