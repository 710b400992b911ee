/**
 * Rules for untrusted texts and lists: each is registered by name, and takes time in proportion to its input.
 */
import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { filesBelow } from '../house/sources.ts';
import { growth } from './growth.ts';
import { RULES, rulesTakeTimeInProportion } from './suite-of-rules.ts';

/** `npm run test:long` tries all texts. */
const STEP = 16;
/** Folders whose files are all checked. In other folders, only named files are checked. */
const FOLDERS = ['domain', 'http/schemas'];

/** Exports that can be called or used as a schema. Names in capitals are constants and are left out. */
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
    const inFolders = FOLDERS.flatMap((folder) => filesBelow(folder));
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
    expect(growth(quadratic, 2)).to.match(/ ms for \d+$/);
  });

  rulesTakeTimeInProportion(STEP);
});
