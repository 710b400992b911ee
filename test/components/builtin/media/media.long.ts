import { finishesInLittleMemory } from './media-suite.ts';

describe('A task that found very much', () => {
  for (const [merge, tracks] of [
    ['FALSE', 4_000],
    ['TRUE', 400],
  ] as const)
    finishesInLittleMemory({ merge, parts: 4_000, tracks, memoryMb: 32 });
});
