/** All colours of the page, the login and the documentation are defined in one file. */
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
