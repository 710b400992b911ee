import { expect } from 'chai';
import * as fc from 'fast-check';
import { snippetOf } from '../../../domain/text/snippet.ts';
import { foldedName, foldedWords, searchTerms, wordsIn } from '../../../domain/text/words.ts';
import { runs, seeded } from '../../support/seed.ts';
import { anyText } from '../../support/any-text.ts';

describe('Words of the search', () => {
  for (const [text, words] of [
    ['', []],
    ['  --- !!! ', []],
    ['Plate B-XY 1234', ['plate', 'b', 'xy', '1234']],
    ['GRÜẞE', ['grusse']],
    ['Gru\u0308ße Ångström', ['grusse', 'angstrom']],
    ['ΟΔΟΣ', ['οδοσ']],
    ['İstanbul', ['istanbul']],
    ['ﬁnd １２３', ['find', '123']],
    ['北京 rocks', ['北', '京', 'rocks']],
    ['서울특별시', ['서울특별시']],
    ['हिन्दी', ['हिन्दी']],
    ['مُحَمَّد', ['محمد']],
    ['\ud800 lone', ['lone']],
  ] as const)
    it(`of ${JSON.stringify(text)} are ${words.join(' ')}`, () => {
      expect(foldedWords(text)).to.deep.equal(words);
    });

  it(`stay as they are when they are folded again, and lie in the text one after the other ${seeded}`, () => {
    fc.assert(
      fc.property(anyText(), (text) => {
        const words = foldedWords(text);
        expect(foldedWords(words.join(' '))).to.deep.equal(words);
        let end = 0;
        for (const word of wordsIn(text)) {
          expect(word.start).to.be.lessThan(word.end).and.at.most(text.length);
          expect(word.end).to.be.at.least(end);
          end = word.end;
        }
      }),
      runs(500),
    );
  });

  it('of a class or a type are compared as a whole', () => {
    expect(foldedName('  Traffic LIGHT ')).to.equal('traffic light');
  });
});

describe('What a text asks for', () => {
  const term = (words: readonly string[], prefix = false) => ({ words, prefix });
  for (const [text, terms] of [
    ['stolen car', [term(['stolen']), term(['car'])]],
    ['"stolen car" red*', [term(['stolen', 'car']), term(['red'], true)]],
    ['"open end', [term(['open', 'end'])]],
    ['"stolen ca"*', [term(['stolen', 'ca'], true)]],
    ['a"b c"d', [term(['a']), term(['b', 'c']), term(['d'])]],
    ['B-XY', [term(['b', 'xy'])]],
    ['北京', [term(['北', '京'])]],
    ['x* 北*', [term(['x']), term(['北'])]],
    ['* "" "*" -', []],
    ['a or b', [term(['a']), term(['or']), term(['b'])]],
    ['a OR b', [{ ...term(['a']), or: [term(['b'])] }]],
    [
      'x a OR "b c" OR de* y',
      [term(['x']), { ...term(['a']), or: [term(['b', 'c']), term(['de'], true)] }, term(['y'])],
    ],
    ['OR a OR * OR', [term(['a'])]],
    ['a OR OR b', [{ ...term(['a']), or: [term(['b'])] }]],
    ['"OR" a "OR"', [term(['or']), term(['a']), term(['or'])]],
    ['OR OR', []],
  ] as const)
    it(`${text} is ${terms.map(({ words, prefix }) => `${words.join(' ')}${prefix ? '*' : ''}`).join(', ')}`, () => {
      expect(searchTerms(text)).to.deep.equal(terms);
    });
});

describe('A snippet', () => {
  const of = (text: string, wanted: string, length = 40) => {
    const { text: shown, marks } = snippetOf(text, searchTerms(wanted), length);
    return { shown, marked: marks.map(({ start, end }) => shown.slice(start, end)) };
  };

  it('is a short text itself, with every place marked', () => {
    expect(of('Car, car and cars', 'car')).to.deep.equal({
      shown: 'Car, car and cars',
      marked: ['Car', 'car'],
    });
    expect(of('Car, car and cars', 'ca*').marked).to.deep.equal(['Car', 'car', 'cars']);
  });

  it('is what stands around the first place in a long one', () => {
    const { shown, marked } = of(
      `${'one two '.repeat(30)}STOLEN car ${'three '.repeat(30)}`,
      'stolen "car three"',
    );
    expect(marked).to.deep.equal(['STOLEN', 'car three']);
    expect(shown)
      .to.match(/^….*STOLEN.*…$/)
      .and.to.have.length.below(60);
  });

  it('is the beginning when nothing is looked for', () => {
    expect(of('word '.repeat(50), '').shown).to.match(/^word .*word…$/);
  });

  it('joins marks that overlap', () => {
    expect(of('a b c', '"a b" "b c"').marked).to.deep.equal(['a b c']);
  });

  it(`has its marks inside, in order, around what was looked for, and no half characters ${seeded}`, () => {
    const texts = fc.array(fc.constantFrom('car', 'Käfer', '北京', '😀', ' ', 'x'.repeat(30), '-'), {
      maxLength: 60,
    });
    fc.assert(
      fc.property(texts, fc.constantFrom('car', '京', 'kafer ca*', '"car car"'), (parts, wanted) => {
        const text = parts.join('');
        const terms = searchTerms(wanted);
        const { text: shown, marks } = snippetOf(text, terms, 40);
        expect(Buffer.from(shown).toString()).to.equal(shown);
        let end = 0;
        for (const mark of marks) {
          expect(mark.start).to.be.at.least(end);
          expect(mark.end).to.be.greaterThan(mark.start).and.at.most(shown.length);
          end = mark.end;
        }
      }),
      runs(500),
    );
  });
});
