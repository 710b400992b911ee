import { expect } from 'chai';
import * as fc from 'fast-check';
import { heapOf, withoutLowest, withScore, type ScoreHeap } from '../../../actors/admission/score-heap.ts';
import { runs, seeded } from '../../support/seed.ts';

describe('The turns of waiting jobs', () => {
  it(`come lowest score first, whatever was added and taken in between ${seeded}`, () => {
    const step = fc.oneof(fc.integer({ min: 0, max: 1_000 }), fc.constant('take' as const));
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        let heap: ScoreHeap | null = null;
        let plain: number[] = [];
        for (const score of steps)
          if (score !== 'take') {
            heap = withScore(heap, score, score);
            plain = [...plain, score].sort((a, b) => a - b);
          } else if (heap !== null) {
            expect(heap.score).to.equal(plain.shift());
            heap = withoutLowest(heap);
          }
        expect(heap?.score).to.equal(plain[0]);
      }),
      runs(300),
    );
  });

  it('cost no more steps than the logarithm of how many wait', () => {
    const many = 2_000;
    const orders = [(n: number) => n, (n: number) => many - n, (n: number) => (n * 7_919) % many] as const;
    for (const scoreOf of orders) {
      const heap = heapOf(Array.from({ length: many }, (_, n) => [n, scoreOf(n)] as const));
      let steps = 0;
      for (let at = heap; at !== null; at = at.right) steps++;
      expect(steps).to.be.at.most(Math.log2(many + 1));
    }
  });
});
