import { expect } from 'chai';
import * as fc from 'fast-check';
import { indexesOf } from '../../../actors/batch-job/state/indexes.ts';
import type { JobCommand } from '../../../actors/batch-job/state/commands.ts';
import { doneWith, failedWith, LedJob, lose, MATCH } from './jobs.ts';
import { runUntil, seeded } from '../../support/seed.ts';
import { Ledger, recount } from './simulation/recount.ts';

const PIPELINES = ['FACE', 'MOTION / SLOW'];
const JOBS = 4;

/** Possible events of a job. The job refuses none of them for the shape of the command. */
type Event =
  | { readonly type: 'accept'; readonly admitted: boolean; readonly found: boolean }
  | { readonly type: 'work'; readonly fate: 'done' | 'warning' | 'failed' | 'lost' }
  | { readonly type: 'drop' | 'check' | 'sent' }
  | { readonly type: 'finish' }
  | { readonly type: 'admit' | 'cancel' | 'shutdown' | 'resume' | 'remove' | 'forget' }
  | {
      readonly type: 'change';
      readonly priority?: number;
      readonly labels: readonly string[];
      readonly externalId: string | null;
    }
  | { readonly type: 'resubmit'; readonly priority: number; readonly admitted: boolean };

const event: fc.Arbitrary<Event> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constant('accept' as const),
      admitted: fc.boolean(),
      found: fc.boolean(),
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      type: fc.constant('work' as const),
      fate: fc.constantFrom(
        'done' as const,
        'done' as const,
        'warning' as const,
        'failed' as const,
        'lost' as const,
      ),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      type: fc.constantFrom('finish' as const, 'drop' as const, 'check' as const, 'sent' as const),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      type: fc.constantFrom(
        'admit' as const,
        'cancel' as const,
        'shutdown' as const,
        'resume' as const,
        'remove' as const,
        'forget' as const,
      ),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant('resubmit' as const),
      priority: fc.nat(9),
      admitted: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record(
      {
        type: fc.constant('change' as const),
        priority: fc.nat(9),
        labels: fc.subarray(['a', 'b', 'c']),
        externalId: fc.constantFrom('case 1', 'case 2', null),
      },
      { requiredKeys: ['type', 'labels', 'externalId'] },
    ),
  },
);

const CHECKED: JobCommand = { type: 'archiveChecked', run: 1, answer: { kind: 'none' } };

/**
 * Usage is counted once per ended run and is kept when the job is deleted, so a recount of jobs cannot find
 * it.
 */
const withoutUsage = (counters: Readonly<Record<string, number>>) =>
  Object.fromEntries(Object.entries(counters).filter(([name]) => !name.startsWith('@usage:')));

/** Jobs whose changes update the indexes and counters like the actor does. */
class BookedJobs {
  readonly #ledger = new Ledger();
  readonly #jobs = Array.from(
    { length: JOBS },
    (_, n) =>
      new LedJob({
        number: n + 1,
        pipeline: PIPELINES[n % 2]!,
        priority: n,
        media: [{ type: 'IMAGE' }],
        tasks: [1],
      }),
  );
  readonly seen = new Set<string>();

  take(pick: number, event: Event): void {
    const job = this.#jobs[pick]!;
    if (event.type === 'finish') this.#finish(job);
    else for (const command of commandsOf(job, event)) this.#tell(job, command);
  }

  /** Completes the job without errors. */
  #finish(job: LedJob): void {
    for (;;) {
      const [row] = job.outstanding;
      if (row !== undefined) this.#tell(job, doneWith(job.given, row));
      else if (job.state?.stage.name === 'CHECK') this.#tell(job, CHECKED);
      else return;
    }
  }

  #tell(job: LedJob, command: JobCommand): void {
    const before = job.state;
    job.tell(command);
    const { change } = job.last!;
    if (change === undefined || change.silent) return;
    const { number } = job.record;
    const after = change.gone ? undefined : change.state;
    const { index = {}, counters = {} } = indexesOf(job.record, before, after);
    this.#ledger.take(number, { index, counters: withoutUsage(counters) });
    this.seen.add(after === undefined ? 'gone' : after.removed ? 'removed' : after.status);
    const jobs = this.#jobs.flatMap(({ record, state }) => (state === undefined ? [] : [{ record, state }]));
    expect(this.#ledger.books, `after ${command.type} to job ${number}`).to.deep.equal(recount(jobs));
  }
}

function commandsOf(job: LedJob, event: Exclude<Event, { type: 'finish' }>): readonly JobCommand[] {
  const [row] = job.outstanding;
  switch (event.type) {
    case 'accept': {
      const { admitted, found } = event;
      const archive = found ? MATCH : 'later';
      return [{ type: 'accept', record: job.record, admitted, objectId: 'object', archive }];
    }
    case 'work':
      if (row === undefined) return [];
      if (event.fate === 'failed') return [failedWith(row)];
      return [
        event.fate === 'lost' ? lose(row) : doneWith(job.given, row, { warning: event.fate === 'warning' }),
      ];
    case 'drop':
      return [{ type: 'workDropped', keys: job.outstanding.map(({ key }) => key) }];
    case 'check':
      return [CHECKED];
    case 'sent':
      return [{ type: 'noticeSent', id: `${job.record.jobId}.1.callback` }];
    case 'resubmit':
      return [{ ...event, objectId: 'again' }];
    case 'change':
    case 'admit':
    case 'cancel':
    case 'shutdown':
    case 'resume':
    case 'remove':
    case 'forget':
      return [event];
  }
}

/** States that the random runs must reach. */
const STATES = [
  'INITIALIZED',
  'IN_PROGRESS',
  'COMPLETE',
  'COMPLETE_WITH_WARNINGS',
  'CANCELLED',
  'CANCELLED_BY_SHUTDOWN',
  'ERROR',
  'removed',
  'gone',
];

describe('The books of batch jobs', () => {
  it(`are the same as a recount of all jobs, whatever happened to them ${seeded}`, () => {
    const seen = new Set<string>();
    runUntil(
      () => STATES.every((state) => seen.has(state)),
      fc.property(fc.array(fc.tuple(fc.nat(JOBS - 1), event), { maxLength: 150, size: 'max' }), (way) => {
        const jobs = new BookedJobs();
        for (const [pick, next] of way) jobs.take(pick, next);
        for (const state of jobs.seen) seen.add(state);
      }),
      300,
    );
    expect([...seen], 'what was seen').to.include.members(STATES);
  });

  const job = LedJob.accept();
  it('change nothing when nothing changes', () =>
    expect(indexesOf(job.record, job.state, job.state)).to.deep.equal({ index: {}, counters: {} }));

  it('name only what changes', () =>
    expect(indexesOf(job.record, job.state, { ...job.state!, status: 'IN_PROGRESS_ERRORS' })).to.deep.equal({
      index: { 'jobs-of-status/IN_PROGRESS': null, 'jobs-of-status/IN_PROGRESS_ERRORS': 7 },
      counters: {
        'jobs/PIPELINE/IN_PROGRESS': -1,
        'jobs/PIPELINE/IN_PROGRESS_ERRORS': 1,
        '@user:somebody//PIPELINE/IN_PROGRESS': -1,
        '@user:somebody//PIPELINE/IN_PROGRESS_ERRORS': 1,
      },
    }));
});
