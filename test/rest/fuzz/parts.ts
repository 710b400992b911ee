/** Parts of a request, and their invalid forms. */
import * as fc from 'fast-check';
import type { Arbitrary } from 'fast-check';
import { nastyName, shortNastyText } from './nasty.ts';

export type Params = Readonly<Record<string, Part>>;
/** A path segment: the n-th existing value, or a text, encoded or not. */
export type Part = { readonly there: number } | { readonly text: string; readonly encoded: boolean };
export type Headers = Readonly<Record<string, string>>;
export interface Parts {
  readonly params: Params;
  readonly query: readonly (readonly [name: string, value: string])[];
  readonly headers: Headers;
  readonly body: string | Buffer | undefined;
}

export const nastyPart: Arbitrary<Part> = fc.oneof(
  fc.record({ there: fc.nat(50) }),
  fc.record({ text: shortNastyText, encoded: fc.boolean() }),
);
export const nastyQuery = fc
  .oneof(
    fc.array(
      fc.tuple(
        fc.oneof(nastyName, fc.constantFrom('limit', 'limit', 'name', 'status', 'isActive')),
        shortNastyText,
      ),
      {
        maxLength: 4,
      },
    ),
    fc.constant(Array.from({ length: 1_200 }, (_, n) => [`a${n}`, ''] as const)),
    fc.constant([
      ['a[]', '1'],
      ['a[b][__proto__]', '2'],
      ['a', '3'],
      ['a', '4'],
    ] as const),
    fc.constant([['name', 'x'.repeat(12_000)]] as const),
  )
  .map((pairs) => [...pairs] as Parts['query']);

export const nastyHeaders: Arbitrary<Headers> = fc.dictionary(
  fc.constantFrom(
    'idempotency-key',
    'x-request-id',
    'last-event-id',
    'accept',
    'accept-encoding',
    'accept-language',
    'origin',
    'host',
    'cookie',
    'range',
    'if-none-match',
    'if-modified-since',
    'x-forwarded-for',
    'x-forwarded-proto',
    'x-forwarded-host',
    'x-http-method-override',
    'authorization',
    'forwarded',
    '__proto__',
    'constructor',
  ),
  fc.oneof(
    shortNastyText,
    fc.constantFrom('*', 'bytes=0-1', '999999999999999', 'x'.repeat(8_000), 'Bearer a b', 'Bearer a.b.c'),
  ),
  { maxKeys: 3 },
);
export const wrongContent: Arbitrary<Headers> = fc.oneof(
  { weight: 3, arbitrary: fc.constant({}) },
  {
    weight: 1,
    arbitrary: fc.constantFrom<Headers>(
      { 'content-type': 'text/plain' },
      { 'content-type': 'multipart/form-data; boundary=x' },
      { 'content-type': 'application/x-www-form-urlencoded' },
      { 'content-type': 'application/json; charset=utf-16' },
      { 'content-type': 'application/json; charset=__proto__' },
      { 'content-type': ';;;' },
      { 'content-type': '' },
      { 'content-type': 'application/xml' },
      { 'content-encoding': 'gzip' },
      { 'content-encoding': 'br, __proto__' },
    ),
  },
);
