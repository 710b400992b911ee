/** One minute of an endurance run. Use `npm run soak` for longer runs. */
import { expect } from 'chai';
import { seed, seeded } from '../support/seed.ts';
import { objections } from './soak-figures.ts';
import { soak, summary } from './soak.ts';

describe('A server that watches good and bad cameras', function () {
  this.timeout(300_000);

  it(`keeps its memory and its handles, repeats no segment, and no camera feels another ${seeded}`, async () => {
    const figures = await soak({ seconds: 60, seed, everyMs: 1_000, say: () => undefined });
    expect(objections(figures), summary(figures).join('\n')).to.deep.equal([]);
  });
});
