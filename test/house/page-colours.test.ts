/** Rules for the styles of the page, the login and the documentation: all colours are defined in one file. */
import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { filesBelow } from './sources.ts';

const TOKENS = 'page/styles/tokens.css';
/** Excludes private members, such as `#bad = 1`. */
const COLOUR = /#(?:[0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})\b(?! ?[=(<:.])|\b(?:rgb|hsl|oklch)a?\(\s*\d/gi;

const coloursIn = (text: string): readonly string[] => text.match(COLOUR) ?? [];

describe('The design tokens', () => {
  it('are the only place with colours', () => {
    const files = [
      ...filesBelow('page/styles', /\.css$/),
      ...filesBelow('page', /\.tsx?$/),
      ...filesBelow('http/docs', /\.css$/),
      ...filesBelow('docs/tools/site', /\.css$/),
      ...filesBelow('http/login', /\.ts$/),
    ].filter((file) => file !== TOKENS);
    expect(files.length).to.be.greaterThan(100);
    const found = files.flatMap((file) =>
      coloursIn(readFileSync(file, 'utf8')).map((colour) => `${file}: ${colour}`),
    );
    expect(found).to.deep.equal([]);
    expect(coloursIn(readFileSync(TOKENS, 'utf8')).length).to.be.greaterThan(50);
  });

  it('come with a pair for light and dark where paper is behind them', () => {
    const pairs = readFileSync(TOKENS, 'utf8').match(/light-dark\(#\w+, #\w+\)/g) ?? [];
    expect(pairs.length).to.be.greaterThan(25);
  });
});

describe('The styles of the page', () => {
  const found = (files: readonly string[], wrong: RegExp) =>
    files.flatMap((file) =>
      (readFileSync(file, 'utf8').match(wrong) ?? []).map((text) => `${file}: ${text}`),
    );

  it('have no :has() on the whole page, which makes every change of a list slow', () => {
    const whole = /(?<![\w.#-])(?:html|body|main|:root|\*)[\w.#[\]-]*:has\(/g;
    expect('main:has(.selection) {'.match(whole)).to.have.length(1);
    expect(found(filesBelow('page/styles', /\.css$/), whole)).to.deep.equal([]);
  });

  it('have a unit for each length that the page computes, because Preact adds none', () => {
    const bare = /style=\{\{[^}]*\b(?:width|height|top|left|right|bottom)(?: \}|,|: [\w.]+[ ,}])/g;
    expect('style={{ height }}'.match(bare)).to.have.length(1);
    expect('style={{ height: total }}'.match(bare)).to.have.length(1);
    expect('style={{ height: `${total}px` }}'.match(bare)).to.equal(null);
    expect(found(filesBelow('page', /\.tsx$/), bare)).to.deep.equal([]);
  });
});
