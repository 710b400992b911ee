import { operationKills } from './suite.ts';

// One crash around each kind of commit: the start, the selection of the next jobs, a job, and the report.
operationKills('resubmit', [
  { at: 1, when: 'before' },
  { at: 3, when: 'after' },
  { at: 5, when: 'after' },
]);
operationKills('delete', [{ at: 5, when: 'after' }]);
