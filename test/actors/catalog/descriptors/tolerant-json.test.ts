/** Comments and trailing commas in component descriptors (behaviour of the registration endpoint). */
import { expect } from 'chai';
import * as fc from 'fast-check';
import { withoutExtras } from '../../../../actors/catalog/descriptors/tolerant-json.ts';
import { slowText } from '../../../hostile/timing.ts';
import { runs, seeded } from '../../../support/seed.ts';

const read = (text: string): unknown => JSON.parse(withoutExtras(text));

describe('The text of a descriptor', () => {
  for (const [what, text, value] of [
    ['a comment to the end of a line', '{ // one\n "a": 1 // two\n}', { a: 1 }],
    ['a comment at the very end', '[1] // done', [1]],
    ['a comment over lines', '/* a\n * "b"\n */ [1, /* 2, */ 3]', [1, 3]],
    ['a comment within a comment', '[1 /* // */, 2] // /* [', [1, 2]],
    ['a trailing comma in an object', '{"a": 1,}', { a: 1 }],
    ['a trailing comma in an array', '[1, 2 ,\n ]', [1, 2]],
    ['trailing commas inside each other', '{"a": [{"b": [1,],},],}', { a: [{ b: [1] }] }],
    ['a trailing comma before a comment', '[1, // last\n]', [1]],
    ['a comment before a trailing comma', '["a" /* last */, ]', ['a']],
    ['a trailing comma after a text', '["a,", ]', ['a,']],
  ] as const)
    it(`may have ${what}`, () => {
      expect(read(text)).to.deep.equal(value);
    });

  for (const text of [
    '["// no comment", "/* nor this */"]',
    '["a \\" // b", "\\\\"]',
    '{"a,]": ",}", "http://x/y": "/*"}',
    '[",", "]"]',
  ])
    it(`keeps texts as they are: ${text}`, () => {
      expect(withoutExtras(text)).to.equal(text);
    });

  for (const text of ['[,]', '[1,,]', '{,}', '{"a":,}', '[1 2,]', '{"a": 1', '[1] /* open', '"open', '/', ''])
    it(`is no JSON when it is wrong in another way: ${text}`, () => {
      expect(() => read(text)).to.throw(SyntaxError);
    });

  it('keeps the place of what is wrong for the error message', () => {
    const text = '{ // a comment\n "a": wrong }';
    expect(withoutExtras(text)).to.have.lengthOf(text.length);
    expect(withoutExtras(text).indexOf('wrong')).to.equal(text.indexOf('wrong'));
  });

  it('is read in time proportional to its length, whatever is in it', () => {
    for (const pump of ['/*', '"\\"', ',]', '//', '/* */', '/'])
      expect(slowText(withoutExtras, { lead: '', pump, tail: '' })).to.equal(undefined);
  });

  it(`means the same with comments and commas as without ${seeded}`, () => {
    const filler = fc.constantFrom('', ' ', '\n', '// x ], }\n', '/* " , */', '/**/', '\t');
    fc.assert(
      fc.property(fc.jsonValue(), fc.infiniteStream(filler), (value, fillers) => {
        const next = () => fillers.next().value as string;
        expect(read(writeJson(value, next))).to.deep.equal(JSON.parse(JSON.stringify(value)));
      }),
      runs(300),
    );
  });
});

/** JSON with fillers between all tokens and with trailing commas. */
function writeJson(value: unknown, filler: () => string): string {
  const list = (open: string, parts: readonly string[], close: string) => {
    const last = parts.length > 0 ? `${filler()},` : '';
    return `${filler()}${open}${parts.join(`${filler()},`)}${last}${filler()}${close}${filler()}`;
  };
  if (Array.isArray(value))
    return list(
      '[',
      value.map((entry) => writeJson(entry, filler)),
      ']',
    );
  if (typeof value === 'object' && value !== null)
    return list(
      '{',
      Object.entries(value).map(
        ([key, entry]) => `${filler()}${JSON.stringify(key)}${filler()}:${writeJson(entry, filler)}`,
      ),
      '}',
    );
  return `${filler()}${JSON.stringify(value)}${filler()}`;
}
