import { anyText } from '../../support/any-text.ts';
/** Unusual texts, values and bodies that clients send by mistake or as an attack. */
import * as fc from 'fast-check';
import type { Arbitrary } from 'fast-check';

export type Json = null | boolean | number | string | readonly Json[] | { readonly [field: string]: Json };

const LONG = 70_000;

/** Property names that JavaScript objects inherit. */
const INHERITED = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  'valueOf',
  '__defineGetter__',
  'then',
  'toJSON',
  'length',
];
const TRAVERSALS = [
  '.',
  '..',
  '../../../../etc/passwd',
  '..%2f..%2fetc%2fpasswd',
  '%2e%2e%2f',
  '%252e%252e%252f',
  '..\\..\\windows\\win.ini',
  '\\\\host\\share',
  '/',
  '//',
  '/etc/passwd',
  'C:\\',
  '%00',
  '%',
  '%zz',
  '%ff%fe',
  '%c0%ae%c0%ae%c0%af',
  '....//',
  ';',
  'a/b',
  '~root',
];
const UNICODE = [
  '\u0000',
  'a\u0000b',
  '\uD800',
  '\uDFFFx',
  '\uD83D',
  '\u202Egnp.exe',
  '\u2028\u2029',
  '\uFEFF',
  '👩‍👩‍👧‍👦'.repeat(3),
  'Z͑ͫ̓ͪ̂ͫ̽͏̴̙̤̞͉͚̯̞̠͍A̴̵̜̰͔ͫ͗͢',
  'İıßſK',
  '\uFFFE\uFFFF',
  'مرحبا',
  '\r\nX-Injected: 1',
  '\u001B[31m',
  '\u007F\u0080',
];
const LANGUAGES = [
  "'; DROP TABLE actors; --",
  '<script>alert(1)</script>',
  '${TROUPE_NODE}',
  '${${TROUPE_HOME}}',
  '$(id)',
  '`id`',
  '{{7*7}}',
  '%s%n%d',
  'null',
  'undefined',
  'NaN',
  'true',
  '-1',
  '1e400',
  '0x10',
  '１２',
  '',
  ' ',
  '\t\n',
];
const LARGE = ['x'.repeat(LONG), '9'.repeat(400), '-'.repeat(LONG), '%25'.repeat(2_000), '😀'.repeat(9_000)];

export const nastyText: Arbitrary<string> = fc.oneof(
  fc.constantFrom(...INHERITED),
  fc.constantFrom(...TRAVERSALS),
  fc.constantFrom(...UNICODE),
  fc.constantFrom(...LANGUAGES),
  { weight: 2, arbitrary: anyText(40) },
  { weight: 1, arbitrary: fc.constantFrom(...LARGE) },
);

/** Texts short enough for a request target or a header. */
export const shortNastyText = nastyText.filter((text) => text.length < 2_000);

const NUMBERS = [
  0,
  -0,
  -1,
  1.5,
  2 ** 31,
  2 ** 32,
  2 ** 53,
  -(2 ** 53),
  1e308,
  5e-324,
  11,
  101,
  65_537,
  1_000_000_007,
];
const nestValue = (depth: number): Json => {
  let value: Json = [];
  for (let n = 0; n < depth; n++) value = n % 2 === 0 ? [value] : { a: value };
  return value;
};
const keyValues = (names: readonly string[], value: Json): Json =>
  Object.fromEntries(names.map((name) => [name, value]));

/** Any JSON value, of any type. */
export const nastyValue: Arbitrary<Json> = fc.oneof(
  nastyText,
  fc.constantFrom(...NUMBERS),
  fc.constantFrom<Json>(null, true, false, [], {}, [[]], [null], { a: {} }),
  fc.constantFrom(
    keyValues(INHERITED, 'x'),
    keyValues(INHERITED, {}),
    keyValues(INHERITED, null),
    keyValues(UNICODE, 'x'),
    keyValues(TRAVERSALS, 'x'),
  ),
  fc.constantFrom(nestValue(25), nestValue(40), nestValue(2_000)),
  fc.constant(
    keyValues(
      Array.from({ length: 3_000 }, (_, n) => `k${n}`),
      'v',
    ),
  ),
  fc.constant(Array.from({ length: 20_000 }, () => 'x')),
  fc.constant(Array.from({ length: 2_000 }, () => ({}))),
);

export const nastyName: Arbitrary<string> = fc.oneof(fc.constantFrom(...INHERITED), shortNastyText);

/** Invalid JSON, and JSON that is hard to parse correctly. */
export const nastyBody: Arbitrary<string | Buffer> = fc.oneof(
  fc.constantFrom(
    '',
    ' ',
    '\uFEFF{}',
    '{',
    '[',
    '"',
    '{"a"',
    '{"a":',
    '{"a":1,}',
    "{'a':1}",
    '// {}\n{}',
    '/* {} */',
    '/*',
    '{} {}',
    '[1,2',
    'nul',
    'NaN',
    'Infinity',
    '-',
    '1e999999',
    '-1e400',
    '9'.repeat(10_000),
    '"\\ud800"',
    '"\\u0000"',
    '"\u0001"',
    '{"a":1,"a":2}',
    '{"__proto__":{"admin":true},"media":[]}',
    '['.repeat(100_000),
    '{"a":'.repeat(50_000),
    `${'['.repeat(33)}${']'.repeat(33)}`,
    `"${'\\'.repeat(50_001)}`,
    `"${'x'.repeat(2_000_000)}"`,
    `[${'0,'.repeat(500_000)}0]`,
  ),
  fc.constantFrom(
    Buffer.from([0xff, 0xfe, 0x7b, 0x00]),
    Buffer.from([0x22, 0xc3, 0x28, 0x22]),
    Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]),
    Buffer.from([0x1f, 0x8b, 0x08, 0x00]),
    Buffer.alloc(1_000),
  ),
  fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
);
