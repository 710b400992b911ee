/** Servers that die over a job with warnings. */
import { toldOnceBy } from './warnings-suite.ts';

toldOnceBy([
  { at: 3, when: 'before' },
  { at: 4, when: 'after' },
  { at: 6, when: 'before' },
  { at: 6, when: 'after' },
]);
