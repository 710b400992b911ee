/** The same at every commit of the operation and of its jobs. */
import { COMMITS, operationKills } from './operation-kills-suite.ts';

const ALL = Array.from({ length: COMMITS }, (_, n) => n + 1).flatMap((at) => [
  { at, when: 'before' } as const,
  { at, when: 'after' } as const,
]);
for (const action of ['resubmit', 'retry', 'delete', 'cancel', 'label'] as const) operationKills(action, ALL);
