/** Measures the time that rules take for untrusted texts and lists. */
import { expect } from 'chai';
import { BODY_RULES } from './body-rules.ts';
import { DOMAIN_RULES } from './domain-rules.ts';
import { growth, type Known, type Work } from './growth.ts';
import { measureTime } from './timing.ts';

export const RULES: Readonly<Record<string, Readonly<Record<string, Known>>>> = {
  ...Object.fromEntries(Object.entries(DOMAIN_RULES).map(([file, rules]) => [`domain/${file}`, rules])),
  ...BODY_RULES,
};

/** Defines the tests of each file. Every `step`th text is tried, with a different start for each rule. */
export function rulesTakeTimeInProportion(step: number): void {
  let rule = 0;
  for (const [file, rules] of Object.entries(RULES))
    it(`take time in proportion to what they are given, in ${file}`, function () {
      this.timeout(240_000);
      const slow = Object.entries(rules).flatMap(([name, known]) =>
        slowIn(name, known, { step, from: rule++ }),
      );
      expect(slow, slow.join('\n')).to.deep.equal([]);
    });
}

/** Short lists of inputs that are not texts are tried completely. */
const FEW = 10;

function slowIn(
  name: string,
  known: Known,
  { step, from }: { readonly step: number; readonly from: number },
): readonly string[] {
  if ('why' in known && !('most' in known)) return [];
  const all = worksOf(known);
  const works = [...all.entries()].filter(([at]) => all.length <= FEW || (at + from) % step === 0);
  return works.flatMap(([at, work]) => {
    // For these slow rules, the limit of the input is known.
    if ('most' in known) return lastsLong(work, known.most) ? `${name} with ${known.most}` : [];
    // A slow rule is slow every time. A busy machine slows different rules each time.
    const found = growth(work) && growth(work) && growth(work);
    return found === undefined ? [] : `${name}, input ${at}: ${found}`;
  });
}

const worksOf = (
  known: Exclude<Known, { readonly why: string }> | { readonly work: Work },
): readonly Work[] => ('work' in known ? [known.work] : typeof known === 'function' ? [known] : known);

/** Whether the largest input takes more than half a second in every attempt. */
function lastsLong(work: (size: number) => () => unknown, size: number): boolean {
  const run = work(size);
  return [1, 2, 3].every(() => measureTime(run) > 500);
}
