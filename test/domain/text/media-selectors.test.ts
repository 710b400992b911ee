import { expect } from 'chai';
import * as fc from 'fast-check';
import { MAX_DEPTH, MAX_EXPRESSION_LENGTH, MAX_STEPS } from '../../../domain/text/json-path.ts';
import {
  MAX_SELECTORS,
  duplicatePolicy,
  fillText,
  SelectorCheck,
  selectStrings,
  type FillRules,
  type SelectingMedium,
  type Selection,
} from '../../../domain/text/media-selectors.ts';
import type { MediaSelector } from '../../../domain/types.ts';
import { vectors } from '../support.ts';

const selector = (expression: string, more: Partial<MediaSelector> = {}): MediaSelector => ({
  type: 'JSON_PATH',
  expression,
  selectionProperties: {},
  resultDetectionProperty: 'TRANSLATION',
  ...more,
});

function selectTexts(document: unknown, expression: string): readonly string[] {
  const found = selectStrings(document, selector(expression));
  if ('refused' in found) throw new Error(found.refused);
  return found;
}

const LONGEST: FillRules = { duplicatePolicy: 'LONGEST' };
type Given = readonly [expression: string, outputs: Readonly<Record<string, string | readonly string[]>>];
const selectionOf = ([expression, outputs]: Given): Selection => ({
  selector: selector(expression),
  outputs: new Map(Object.entries(outputs).map(([text, found]) => [text, [found].flat()])),
});

function fillSelectors(document: unknown, given: readonly Given[], rules: FillRules = LONGEST): unknown {
  const result = fillText(JSON.stringify(document), given.map(selectionOf), rules);
  if ('refused' in result) throw new Error(result.refused);
  return JSON.parse(result.text) as unknown;
}

const LETTERS = {
  topic: ['letters'],
  french: [
    { from: 'Anne', content: 'Bonjour' },
    { from: 'Luc', content: 'Merci' },
  ],
  german: [{ from: 'Eva', content: 'Danke' }],
};

describe('A media selector', () => {
  const { doc, cases, doc2, cases2 } = vectors.jsonPath;
  const all = [
    ...cases.map((one) => [doc, ...one] as const),
    ...cases2.map((one) => [doc2, ...one] as const),
  ];
  for (const [document, expression, strings] of all)
    it(`${expression} selects ${strings === '' ? 'nothing' : strings}`, () => {
      expect(selectTexts(document, expression).toSorted().join()).to.equal(
        strings.split(',').toSorted().join(),
      );
    });

  it('may end in last(), and in a list of names', () => {
    expect(selectTexts(doc2, '$.key1.key4.last()')).to.deep.equal(['b']);
    expect(selectTexts(doc2, " $.key1['key4', 'key3'] ")).to.deep.equal(['message', 'a', 'b']);
  });

  it('selects each string once, in the order of the document', () => {
    expect(selectTexts({ a: ['x', 'y'], b: ['y', 'z', 'x'] }, '$.*[*]')).to.deep.equal(['x', 'y', 'z']);
    expect(selectTexts(['a', 'b', 'c'], '$[2,0]')).to.deep.equal(['a', 'c']);
    expect(selectTexts(['a', 'b', 'c'], '$[::-1]')).to.deep.equal(['a', 'b', 'c']);
  });

  it('leaves out what is no string', () => {
    expect(selectTexts([1, true, null, 'a', { k: 2.5, t: 'b' }, [[]]], '$')).to.deep.equal(['a', 'b']);
  });

  it('selects a document that is one string, and nothing of one that is a number', () => {
    expect(selectTexts('alone', '$')).to.deep.equal(['alone']);
    expect(selectTexts(5, '$')).to.deep.equal([]);
    expect(selectTexts('alone', '$[*]')).to.deep.equal([]);
  });

  it('may compare texts by regular expressions, which cannot hang', () => {
    const texts = { a: [{ t: 'abc' }, { t: 'xabcx' }, { t: `${'a'.repeat(50_000)}!` }] };
    expect(selectTexts(texts, '$.a[?match(@.t, "a.c")].t')).to.deep.equal(['abc']);
    expect(selectTexts(texts, '$.a[?search(@.t, "bc")].t')).to.deep.equal(['abc', 'xabcx']);
    expect(selectTexts(texts, '$.a[?match(@.t, "(a|a)*(a+)+b")].t')).to.deep.equal([]);
  });

  it('reads long lists', () => {
    const list = Array.from({ length: 130_000 }, (_, i) => ({ n: `${i % 3}` }));
    expect(selectTexts({ list }, '$.list[*].n')).to.deep.equal(['0', '1', '2']);
    expect(selectTexts({ list, of: ['x'] }, '$[?count(@[*]) == 130000]')).to.deep.equal(['0', '1', '2']);
  });

  it('that reaches the same values over and over is as quick as one that reaches them once', () => {
    const many = '[*,*,*,*,*,*,*,*]'.repeat(12);
    const nest = (depth: number): unknown => (depth === 0 ? 'x' : [nest(depth - 1)]);
    expect(selectTexts(nest(12), `$${many}`)).to.deep.equal(['x']);
  });

  it('that looks at too many values gives up with a sentence', () => {
    const list = Array<number>(MAX_STEPS).fill(1);
    expect(selectStrings(list, selector('$[*]')))
      .to.have.property('refused')
      .that.contains('Select less');
  });

  it('is refused on a document that is nested too deep', () => {
    let deep: unknown = 'x';
    for (let i = 0; i < MAX_DEPTH - 1; i++) deep = [deep];
    expect(selectTexts(deep, '$..*')).to.deep.equal(['x']);
    for (let i = 0; i < 5_000; i++) deep = { deep };
    for (const expression of ['$', '$..*', '$.a'])
      expect(selectStrings(deep, selector(expression)))
        .to.have.property('refused')
        .that.contains('deeper');
  });
});

describe('The selectors output document', () => {
  it('has the outputs in place of what was selected', () => {
    const outputs: Given[] = [
      ['$.french.*.content', { Bonjour: 'Hello', Merci: 'Thanks' }],
      ['$.german.*.content', { Danke: 'Thank you' }],
    ];
    const before = structuredClone(LETTERS);
    expect(fillSelectors(LETTERS, outputs)).to.deep.equal({
      topic: ['letters'],
      french: [
        { from: 'Anne', content: 'Hello' },
        { from: 'Luc', content: 'Thanks' },
      ],
      german: [{ from: 'Eva', content: 'Thank you' }],
    });
    expect(LETTERS).to.deep.equal(before);
  });

  it('keeps the text, followed by the delimiter and the output, when there is a delimiter', () => {
    const given: Given[] = [['$[*]', { a: 'A' }]];
    expect(fillSelectors(['a', 'b'], given, { ...LONGEST, delimiter: ' | ' })).to.deep.equal(['a | A', 'b']);
    expect(fillSelectors(['a', 'b'], given, { ...LONGEST, delimiter: '' })).to.deep.equal(['A', 'b']);
  });

  it('keeps keys, other values and what was not selected', () => {
    const { doc2 } = vectors.jsonPath;
    const all = Object.fromEntries(selectTexts(doc2, '$').map((text) => [text, `${text}|${text}`]));
    const whole = fillSelectors(doc2, [['$', all]]);
    for (const expression of ['$.*', '$..*', '$.key1', "$.key1['key2', 'key3', 'key4', 'key7', 'key8']"])
      expect(fillSelectors(doc2, [[expression, all]]), expression).to.deep.equal(whole);
    const values = /(?<=[:[,])"([^"]*)"(?=[,\]}])/g;
    expect(JSON.stringify(whole)).to.equal(JSON.stringify(doc2).replaceAll(values, '"$1|$1"'));
    expect(fillSelectors({ a: 'a', b: 'a' }, [['$.b', { a: 'x' }]])).to.deep.equal({ a: 'a', b: 'x' });
    expect(fillSelectors({ a: 'a' }, [['$.keys()', { a: 'x' }]])).to.deep.equal({ a: 'a' });
    const odd = JSON.parse('{"__proto__": "a", "n": 1}') as unknown;
    expect(JSON.stringify(fillSelectors(odd, [['$', { a: 'x' }]]))).to.equal('{"__proto__":"x","n":1}');
  });

  it('applies the output of each selector at the places of its own', () => {
    const given: Given[] = [
      ['$.a', { same: 'by a' }],
      ['$.b', { same: 'by b' }],
    ];
    expect(fillSelectors({ a: 'same', b: 'same', c: 'same' }, given)).to.deep.equal({ a: 'by a', b: 'by b', c: 'same' }); // oxfmt-ignore
    expect(fillSelectors({ a: 'same', b: 'same' }, [['$', {}], ...given, ['$', { same: 'late' }]])).to.deep.equal({ a: 'by a', b: 'by b' }); // oxfmt-ignore
  });

  it('takes the longest of several outputs, joins them, or refuses, as the policy says', () => {
    const given: Given[] = [['$[*]', { a: ['x', 'longer', ' ', 'x', 'LONGER'], b: [' '] }]];
    expect(fillSelectors(['a', 'b'], given)).to.deep.equal(['longer', 'b']);
    expect(fillSelectors(['a', 'b'], given, { duplicatePolicy: 'JOIN' })).to.deep.equal(['x | longer | LONGER', 'b']); // oxfmt-ignore
    const refused = fillText('["a"]', given.map(selectionOf), { duplicatePolicy: 'ERROR' });
    expect(refused).to.have.property('refused').that.contains('MEDIA_SELECTORS_DUPLICATE_POLICY');
    expect(fillSelectors(['a'], [['$[*]', { a: ['x', 'x', ''] }]], { duplicatePolicy: 'ERROR' })).to.deep.equal(['x']); // oxfmt-ignore
  });

  it('has LONGEST as its policy unless another one is named in any case', () => {
    expect([undefined, '', 'nonsense', ' join ', 'Error'].map(duplicatePolicy)).to.deep.equal([
      'LONGEST',
      'LONGEST',
      'LONGEST',
      'JOIN',
      'ERROR',
    ]);
  });

  it('keeps the text of the document as it is, but for the outputs', () => {
    const before = String.raw`\uFEFF
 { "id": 12345678901234567890,  "2": "a", "1": [1.50, "\"a\\", "b" , 1e400],
   "a": { "a": "a" }, "twice": {"x": "a"}, "twice": ["a"] }`.replace(String.raw`\uFEFF`, '');
    const given: Given[] = [
      ['$.a', { a: 'A "quoted"' }],
      ["$['1']", { '"a\\': 'q', b: 'B\n' }],
      ['$.twice', { a: 'T' }],
    ];
    const result = fillText(before, given.map(selectionOf), LONGEST);
    const wanted = before
      .replace('{ "a": "a" }', String.raw`{ "a": "A \"quoted\"" }`)
      .replace(String.raw`"\"a\\"`, '"q"')
      .replace('"b" ', String.raw`"B\n" `)
      .replace('["a"] }', '["T"] }');
    expect(result).to.deep.equal({ text: wanted });
  });

  it('of any document differs from it exactly in the selected strings', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), (document) => {
        const texts = selectTexts(document, '$');
        const outputs = Object.fromEntries(texts.map((text) => [text, `<${text}>`]));
        const result = fillSelectors(document, [['$', outputs]]);
        const back = JSON.parse(JSON.stringify(result), (_key, value: unknown) =>
          typeof value === 'string' && value.startsWith('<') ? value.slice(1, -1) : value,
        ) as unknown;
        expect(back).to.deep.equal(JSON.parse(JSON.stringify(document)));
      }),
    );
  });
});

describe('The media selectors of a request', () => {
  const actions = [{ name: 'TRANSLATE ACTION' }, { name: 'TAG ACTION' }];
  const refusal = (
    mediaSelectors: SelectingMedium['mediaSelectors'],
    mediaSelectorsOutputAction: string | undefined,
  ) => {
    const all = [...new SelectorCheck(actions).refusals({ mediaSelectors, mediaSelectorsOutputAction })];
    return all.find((refused) => refused !== null) ?? null;
  };

  it('name an action of the pipeline, in any case, whose output is taken', () => {
    expect(refusal([selector('$.a')], ' Translate action ')).to.equal(null);
    expect(refusal([selector('$.a')], 'OTHER ACTION')).to.contain('TRANSLATE ACTION, TAG ACTION');
  });

  it('cannot do without that action, which does no harm without them', () => {
    expect(refusal(undefined, undefined)).to.equal(null);
    expect(refusal([], undefined)).to.equal(null);
    expect(refusal([selector('$.a')], undefined)).to.contain('must also have "mediaSelectorsOutputAction"');
    expect(refusal([selector('$.a')], ' ')).to.contain('must also have "mediaSelectorsOutputAction"');
    expect(refusal(undefined, 'TAG ACTION')).to.equal(null);
  });

  it('are of the type JSON_PATH', () => {
    const other = { ...selector('$.a'), type: 'CSV_COLS' };
    expect(refusal([selector('$.a'), other], 'TAG ACTION')).to.contain(
      '"CSV_COLS" is not supported; use "JSON_PATH"',
    );
  });

  it('name a property for the result', () => {
    expect(refusal([selector('$', { resultDetectionProperty: ' ' })], 'TAG ACTION')).to.contain('"resultDetectionProperty"'); // oxfmt-ignore
  });

  it('have expressions that can be read, of limited length and number', () => {
    for (const broken of [
      '',
      'a',
      '$.',
      '$[',
      "$[?@.a = 'x']",
      '$.a.first().b',
      '$[?nothing(@)]',
      '$[?search(@.a, "(?=x)")]',
      '('.repeat(900),
    ])
      // oxfmt-ignore
      expect(refusal([selector(broken)], 'TAG ACTION'), broken).to.be.a('string');
    const long = `$.${'a'.repeat(MAX_EXPRESSION_LENGTH)}`;
    expect(refusal([selector(long)], 'TAG ACTION')).to.contain('at most 1000');
    const many = Array.from({ length: MAX_SELECTORS + 1 }, () => selector('$'));
    expect(refusal(many, 'TAG ACTION')).to.contain('at most 100');
    expect(refusal(many.slice(1), 'TAG ACTION')).to.equal(null);
  });
});
