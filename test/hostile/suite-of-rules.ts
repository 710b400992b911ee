/** Rules that meet the texts and lists of strangers, and how long they take. */
import { expect } from 'chai';
import { BODY_RULES } from './body-rules.ts';
import { DOMAIN_RULES } from './domain-rules.ts';
import { growth, type Known, type Work } from './growth.ts';
import { measureTime } from './timing.ts';

export const RULES: Readonly<Record<string, Readonly<Record<string, Known>>>> = {
  ...Object.fromEntries(Object.entries(DOMAIN_RULES).map(([file, rules]) => [`domain/${file}`, rules])),
  ...BODY_RULES,
};

/** Tests of each file. Of the many texts that a rule is given, every `step`th is tried; which, differs from rule to rule. */
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

/** Lists of works that are no texts are short: all are tried. */
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
    // Of what takes longer than that the largest input is known.
    if ('most' in known) return lastsLong(work, known.most) ? `${name} with ${known.most}` : [];
    // What is slow is so each time; a busy machine makes other things look slow each time.
    const found = growth(work) && growth(work) && growth(work);
    return found === undefined ? [] : `${name}, input ${at}: ${found}`;
  });
}

const worksOf = (
  known: Exclude<Known, { readonly why: string }> | { readonly work: Work },
): readonly Work[] => ('work' in known ? [known.work] : typeof known === 'function' ? [known] : known);

/** Whether the largest input takes more than half a second, each time it is tried. */
function lastsLong(work: (size: number) => () => unknown, size: number): boolean {
  const run = work(size);
  return [1, 2, 3].every(() => measureTime(run) > 500);
}
