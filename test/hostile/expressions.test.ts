import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { expressions, expressionsIn, sourceFiles, type Found } from './find-expressions.js';
import { TAILS, pumpsOf } from './worst-texts.js';
import { slowText } from './timing.js';

/** Expressions with more than linear time: location, and the limit of their input. */
const BOUNDED: readonly { readonly source: string; readonly most: number; readonly why: string }[] = [];

/** Files that build expressions at run time from their own constants. */
const MADE: Readonly<Record<string, string>> = {
  'cli/doctor/stores.ts': 'names of two figures of Redis, which are written in the code',
  'domain/text/message-pattern.ts': 'expressions of the same file, one after the other',
  'components/detectors/language/script.ts': 'names of scripts from a list in the file',
  'store/sqlite/place.ts': 'addresses of folders, each character as it stands',
  'http/app.ts': 'paths of the routes, which are written in the code',
};

describe('Regular expressions in the code', () => {
  const all = expressions();

  it('are all found', () => {
    const found = expressionsIn(
      'a.ts',
      'const a = b / c / d; x(/a[/]b/g, `${y / 2} /no/ ${/z\\/z/u.test(t)}`, "/no/"); // /no/',
    );
    expect(found.map(({ source, flags }) => `${source} ${flags}`)).to.deep.equal(['a[/]b g', 'z\\/z u']);
    for (const { source, flags, file, line } of all)
      expect(() => new RegExp(source, flags), `${file}:${line}`).not.to.throw();
  });

  it('are literals, or made of what is known at start', () => {
    const makers = sourceFiles().filter((file) =>
      /\bnew RegExp\b|\bRegExp\(/.test(readFileSync(file, 'utf8')),
    );
    expect(makers).to.have.members(Object.keys(MADE));
  });

  it('are told apart by whether they repeat anything', () => {
    expect([/a*/, /a+b/, /a{2,}/, /(ab)*\+/, /[a-z]+/].map(({ source }) => repeats(source))).to.not.include(
      false,
    );
    expect(
      [/a?b|c/, /\*\+\{/, /[*+{]/, /\p{L}\]/u, /[\]*]/].map(({ source }) => repeats(source)),
    ).to.not.include(true);
  });

  it('take time in proportion to the text, whatever it is', function () {
    this.timeout(240_000);
    const repeating = all.filter(({ source }) => repeats(source));
    const once = new Map(repeating.map((found) => [`${found.source}/${found.flags}`, found]));
    const slow = [...once.values()].flatMap((found) => slowOne(found) ?? []);
    expect(slow, slow.join('\n')).to.deep.equal([]);
  });
});

/** Expressions without repetition cannot be slow. */
function repeats(source: string): boolean {
  const characters = source.replaceAll(/\\[pPu]\{[^}]*\}|\\./g, 'x').replaceAll(/\[[^\]]*\]/g, 'x');
  return /[*+{]/.test(characters);
}

function slowOne({ source, flags, file, line }: Found): string | undefined {
  const most = BOUNDED.find((one) => one.source === source)?.most;
  const expression = new RegExp(source, flags);
  const work = (text: string) => {
    expression.lastIndex = 0;
    return expression.global ? text.replace(expression, '') : expression.test(text);
  };
  for (const pump of pumpsOf(source))
    for (const tail of TAILS) {
      const slow = slowText(work, { ...pump, tail }, most);
      if (slow !== undefined) return `${file}:${line} /${source}/${flags}: ${slow}`;
    }
  return undefined;
}
