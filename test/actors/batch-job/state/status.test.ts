import { expect } from 'chai';
import {
  after,
  BATCH_JOB_STATUSES,
  isTerminal,
  STATUS_TABLE,
  type StatusEvent,
} from '../../../../actors/batch-job/state/status.ts';

const EVENTS: readonly StatusEvent[] = [
  'start',
  'warning',
  'error',
  'complete',
  'cancel',
  'fatal',
  'shutdown',
];
const _ = undefined;

/** Specification 3.1: next status by status and event. `_` keeps the status. */
const EXPECTED = {
  //                        start          warning                 error                 complete                  cancel        fatal    shutdown
  UNKNOWN: [_, _, _, _, _, _, _],
  INITIALIZED: ['IN_PROGRESS', 'IN_PROGRESS_WARNINGS', 'IN_PROGRESS_ERRORS', _, 'CANCELLING', 'ERROR', _],
  IN_PROGRESS: [_, 'IN_PROGRESS_WARNINGS', 'IN_PROGRESS_ERRORS', 'COMPLETE', 'CANCELLING', 'ERROR', _],
  IN_PROGRESS_WARNINGS: [_, _, 'IN_PROGRESS_ERRORS', 'COMPLETE_WITH_WARNINGS', 'CANCELLING', 'ERROR', _],
  IN_PROGRESS_ERRORS: [_, _, _, 'ERROR', 'CANCELLING', 'ERROR', _],
  CANCELLING: [_, _, _, 'CANCELLED', _, _, 'CANCELLED_BY_SHUTDOWN'],
  COMPLETE: [_, _, _, _, _, _, _],
  COMPLETE_WITH_WARNINGS: [_, _, _, _, _, _, _],
  CANCELLED: [_, _, _, _, _, _, _],
  CANCELLED_BY_SHUTDOWN: [_, _, _, _, _, _, _],
  ERROR: [_, _, _, _, _, _, _],
} as const;

describe('The status of a batch job (specification 3.1)', () => {
  for (const status of BATCH_JOB_STATUSES)
    for (const [index, event] of EVENTS.entries()) {
      const next = EXPECTED[status][index];
      const name =
        next === undefined ? `${status} stays on ${event}` : `${status} becomes ${next} on ${event}`;
      it(name, () => expect(after(status, event)).to.equal(next ?? status));
    }

  it('is terminal in exactly the five states that no event leaves', () => {
    const ends = BATCH_JOB_STATUSES.filter(
      (status) => status !== 'UNKNOWN' && Object.keys(STATUS_TABLE[status]).length === 0,
    );
    expect(BATCH_JOB_STATUSES.filter(isTerminal)).to.have.members(ends);
    expect(ends).to.have.lengthOf(5);
  });
});
