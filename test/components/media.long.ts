import { finishesInLittleMemory } from './media-suite.ts';

describe('A task that found very much', () => {
  finishesInLittleMemory({ merge: 'FALSE', tracks: 4000 });
});
