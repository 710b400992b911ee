/** Rules that meet the texts and lists of strangers: each is known by name, and takes time in proportion to what it is given. */
import { expect } from 'chai';
import { readFileSync, readdirSync } from 'node:fs';
import { BODY_RULES } from './body-rules.ts';
import { growth, type Known } from './growth.ts';
import { DOMAIN_RULES } from './domain-rules.ts';
import { timed } from './timing.ts';

const RULES: Readonly<Record<string, Readonly<Record<string, Known>>>> = {
  ...Object.fromEntries(Object.entries(DOMAIN_RULES).map(([file, rules]) => [`domain/${file}`, rules])),
  ...BODY_RULES,
};
/** Folders of which every file is looked at; of others those that are named. */
const FOLDERS = ['domain', 'http/schemas'];

/** What a file gives to others that can be called or asked; values in capitals are none. */
export const rulesIn = (code: string): readonly string[] =>
  [...code.matchAll(/^export (?:async )?(?:function\*? |const |class )(\w+)/gm)]
    .map(([, name = '']) => name)
    .filter((name) => !/^[A-Z\d_]+$/.test(name));

describe('Rules for what strangers send', () => {
  it('are found in the code', () => {
    const code =
      'export const MAX_A = 1;\nexport function* a() {}\nexport const b = () => 1;\nexport class Call {}\nconst d = 1;';
    expect(rulesIn(code)).to.deep.equal(['a', 'b', 'Call']);
  });

  it('are all known: timed, or left out for a reason', () => {
    const inFolders = FOLDERS.flatMap((folder) => readdirSync(folder).map((name) => `${folder}/${name}`));
    for (const file of new Set([...inFolders, ...Object.keys(RULES)])) {
      const rules = rulesIn(readFileSync(file, 'utf8'));
      expect(
        Object.keys(RULES[file] ?? {}),
        `${file}, in test/hostile/domain-rules.ts or body-rules.ts`,
      ).to.have.members(rules);
    }
  });

  it('are told apart by their growth', function () {
    this.timeout(240_000);
    const linear = (size: number) => () =>
      Array.from({ length: size }, (_, at) => at).reduce((sum, at) => sum + Math.sqrt(at), 0);
    const quadratic = (size: number) => () =>
      Array.from({ length: size }, (_, at) => at).filter((at, _n, all) => !all.includes(-at - 1));
    expect(growth(linear)).to.equal(undefined);
    expect(growth(quadratic)).to.match(/ ms for \d+$/);
  });

  for (const [file, rules] of Object.entries(RULES))
    it(`take time in proportion to what they are given, in ${file}`, function () {
      this.timeout(240_000);
      const slow = Object.entries(rules).flatMap(([name, known]) => slowIn(name, known));
      expect(slow, slow.join('\n')).to.deep.equal([]);
    });
});

function slowIn(name: string, known: Known): readonly string[] {
  if ('why' in known && !('most' in known)) return [];
  const works = 'most' in known ? [known.work] : typeof known === 'function' ? [known] : known;
  return works.flatMap((work, at) => {
    // Of what takes longer than that the largest input is known.
    if ('most' in known) return lastsLong(work, known.most) ? `${name} with ${known.most}` : [];
    // What is slow is so each time; a busy machine makes other things look slow each time.
    const found = growth(work) && growth(work) && growth(work);
    return found === undefined ? [] : `${name}, input ${at}: ${found}`;
  });
}

/** Whether the largest input takes more than half a second, each time it is tried. */
function lastsLong(work: (size: number) => () => unknown, size: number): boolean {
  const run = work(size);
  return [1, 2, 3].every(() => timed(run) > 500);
}
