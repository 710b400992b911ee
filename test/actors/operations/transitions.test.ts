import { expect } from 'chai';
import * as fc from 'fast-check';
import { decide } from '../../../actors/runtime/machine.ts';
import {
  handledOf,
  isEnded,
  MAX_OPERATION_JOBS,
  type OperationCommand,
  type OperationState,
} from '../../../actors/operations/state.ts';
import { OPERATION_MACHINE } from '../../../actors/operations/transitions.ts';
import { runs, seeded } from '../../support/seed.ts';

const RECORD = {
  number: 1,
  action: { type: 'cancel' },
  startedBy: { name: 'ann', isAdmin: false },
  startedAt: 0,
  dryRun: false,
} as const;
const start = (ids: boolean): OperationCommand => ({ type: 'start', record: RECORD, ids });
const refusal = (number: number, reason = 'NOT_ENDED') => ({
  number,
  refusal: { reason, message: `It is ${reason}.`, jobId: `host-${number}` },
});

/** Drives an operation one command at a time. */
class Told {
  state: OperationState | undefined;
  readonly rows = new Map<string, unknown>();

  tell(command: OperationCommand): string {
    const {
      reply,
      state,
      gone,
      putRows = [],
      removeRows = [],
    } = decide(OPERATION_MACHINE, this.state, command, { at: 9 });
    if (removeRows.includes('')) this.rows.clear();
    for (const { key, body } of putRows) this.rows.set(key, body);
    if (gone === true) this.state = undefined;
    else if (state !== undefined) this.state = state;
    return reply.kind === 'done' ? 'done' : reply.reason;
  }

  /** Prepares the next jobs of the operation like the runner does. */
  prepare(count: number): string {
    const at = handledOf(this.state!);
    const jobs = Array.from({ length: Math.min(count, this.state!.matched - at) }, (_, n) => at + n + 1);
    const pending = jobs.map((number) => ({ number, run: 1, status: 'ERROR' as const }));
    return this.tell({ type: 'prepare', at, jobs: pending, next: { chunk: 0, place: at + jobs.length } });
  }

  static with(jobs: number): Told {
    const told = new Told();
    told.tell(start(true));
    const numbers = Array.from({ length: jobs }, (_, n) => n + 1);
    told.tell({ type: 'add', at: 0, jobs: numbers, cursor: null });
    return told;
  }
}

const aCommand: fc.Arbitrary<(told: Told) => void> = fc.oneof(
  fc.boolean().map((ids) => (told: Told) => void told.tell(start(ids))),
  fc.tuple(fc.nat(4), fc.boolean(), fc.boolean()).map(([count, isLast, isLate]) => (told: Told) => {
    const at = (told.state?.matched ?? 0) - (isLate ? 1 : 0);
    const jobs = Array.from({ length: count }, (_, n) => at + n + 1);
    told.tell({ type: 'add', at, jobs, cursor: isLast ? null : { score: undefined, number: 1 } });
  }),
  fc.integer({ min: 1, max: 4 }).map((count) => (told: Told) => {
    if (told.state !== undefined) told.prepare(count);
  }),
  fc.tuple(fc.array(fc.nat(8)), fc.boolean()).map(([numbers, isBusy]) => (told: Told) => {
    const outcomes = numbers.map((number) => (number % 3 === 0 ? refusal(number) : { number }));
    told.tell({ type: 'report', outcomes, message: isBusy ? 'full' : null });
  }),
  fc
    .constantFrom('cancel' as const, 'resume' as const, 'remove' as const)
    .map((type) => (told: Told) => void told.tell({ type })),
  fc.constant((told: Told) => void told.tell({ type: 'fail', message: 'broken' })),
);

describe('An operation', () => {
  it(`never counts a job twice, and never leaves its end, whatever it is told ${seeded}`, () => {
    fc.assert(
      fc.property(fc.array(aCommand, { maxLength: 60 }), (commands) => {
        const told = new Told();
        for (const command of commands) {
          const before = told.state;
          command(told);
          const { state } = told;
          if (state === undefined) continue;
          const { pending, matched, refused, refusals } = state;
          expect(handledOf(state) + pending.length).to.be.at.most(matched);
          expect(refusals.reduce((sum, { count }) => sum + count, 0)).to.equal(refused);
          if (before !== undefined && isEnded(before.status)) expect(state).to.deep.equal(before);
          if (isEnded(state.status)) expect([pending, told.rows.size]).to.deep.equal([[], 0]);
          if (state.status === 'COMPLETE') expect(handledOf(state)).to.equal(matched);
        }
      }),
      runs(500),
    );
  });

  it('takes what another server reports once, and refuses what is outdated', () => {
    const told = Told.with(3);
    expect(told.prepare(2)).to.equal('done');
    expect(told.prepare(2), 'the others are not reported yet').to.equal('OUTDATED');
    const report: OperationCommand = { type: 'report', outcomes: [{ number: 1 }, refusal(2)], message: null };
    told.tell(report);
    told.tell(report);
    expect([told.state?.done, told.state?.refused, told.state?.status]).to.deep.equal([1, 1, 'RUNNING']);
  });

  it('when it is cancelled, counts what was done of the jobs that were under way', () => {
    const told = Told.with(3);
    told.prepare(2);
    told.tell({ type: 'cancel' });
    expect(told.state?.status).to.equal('CANCELLING');
    told.tell({ type: 'report', outcomes: [{ number: 2 }], message: null });
    expect([told.state?.status, told.state?.done]).to.deep.equal(['CANCELLED', 1]);
  });

  it('names three jobs of each reason, and tells apart at most twenty reasons', () => {
    const told = Told.with(100);
    told.prepare(100);
    const outcomes = Array.from({ length: 100 }, (_, n) => refusal(n + 1, `REASON_${n % 25}`));
    told.tell({ type: 'report', outcomes, message: null });
    const { refusals } = told.state!;
    expect(refusals).to.have.lengthOf(20);
    expect(refusals[0]).to.deep.equal({
      reason: 'REASON_0',
      message: 'It is REASON_0.',
      count: 4,
      examples: ['host-1', 'host-26', 'host-51'],
    });
  });

  it('does nothing when its filter matches more jobs than are allowed', () => {
    const told = new Told();
    told.tell(start(false));
    const jobs = Array.from({ length: MAX_OPERATION_JOBS + 1 }, (_, n) => n);
    told.tell({ type: 'add', at: 0, jobs, cursor: null });
    expect([told.state?.status, told.state?.message]).to.deep.equal([
      'ERROR',
      'More than 1,000,000 jobs match. Nothing was done: narrow the filter.',
    ]);
  });
});
