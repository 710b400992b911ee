/** Servers that die at other commits of a job with warnings than the one of every day. */
import { toldOnceBy } from './warnings-suite.ts';

toldOnceBy([
  { at: 3, when: 'before' },
  { at: 6, when: 'before' },
  { at: 6, when: 'after' },
]);
