import { expect } from 'chai';
import * as fc from 'fast-check';
import type { JobCommand } from '../../../actors/batch-job/state/commands.ts';
import { WORK_KINDS } from '../../../protocol/worker-protocol.ts';
import type { ArchiveFinding, Range } from '../../../domain/types.ts';
import { RETRIES } from '../../../actors/batch-job/state/record.ts';
import { runs, runUntil, seeded } from '../../support/seed.ts';
import { BUCKET, MATCH, noticeFailed, type GivenMedium } from './jobs.ts';
import type { Shape } from './simulation/simulated-checks.ts';
import { SimulatedJob, type Fate, type Step } from './simulation/simulated-job.ts';

const aRange = fc
  .tuple(fc.nat(50), fc.nat(30))
  .map(([start, length]): Range => ({ start, stop: start + length }));
/** Sorted ranges with gaps between them and before the end, as a finishing piece returns them. */
const tracksFound = fc
  .array(fc.tuple(fc.integer({ min: 2, max: 12 }), fc.nat(9)), { maxLength: 4 })
  .map((gaps) =>
    gaps.reduce<Range[]>(
      (ranges, [gap, length]) => [...ranges, after(ranges.at(-1)?.stop ?? -2, gap, length)],
      [],
    ),
  );
const after = (stop: number, gap: number, length: number): Range => ({
  start: stop + gap,
  stop: stop + gap + length,
});

const aMedium: fc.Arbitrary<GivenMedium> = fc
  .record({
    type: fc.constantFrom('VIDEO', 'VIDEO', 'VIDEO', 'IMAGE', 'AUDIO', 'UNKNOWN'),
    frames: fc.integer({ min: 1, max: 60 }),
    frameRanges: fc.oneof(
      { weight: 3, arbitrary: fc.constant([]) },
      { weight: 1, arbitrary: fc.array(aRange, { maxLength: 2 }) },
    ),
    problem: fc.oneof(
      { weight: 9, arbitrary: fc.constant(false) },
      { weight: 1, arbitrary: fc.constant(true) },
    ),
    seconds: fc.integer({ min: 1, max: 40 }),
    remote: fc.boolean(),
    archiveUrl: fc.constantFrom(undefined, 'http://archive.example', 'https://other.example/path'),
  })
  .map(({ archiveUrl, ...medium }) => (archiveUrl === undefined ? medium : { ...medium, archiveUrl }));

const FAILED: ArchiveFinding = { kind: 'failed', reason: 'it hung up' };
const aFinding: fc.Arbitrary<ArchiveFinding> = fc.constantFrom(MATCH, FAILED, { kind: 'none' });

const aShape: fc.Arbitrary<Shape> = fc
  .record({
    media: fc.array(aMedium, { minLength: 1, maxLength: 6 }),
    earlierTasks: fc.nat(2),
    lastActions: fc.integer({ min: 1, max: 2 }),
    buildOutput: fc.boolean(),
    window: fc.integer({ min: 1, max: 6 }),
    attempts: fc.integer({ min: 1, max: 3 }),
    admitted: fc.boolean(),
    segment: fc.integer({ min: 3, max: 15 }),
    gap: fc.integer({ min: 1, max: 15 }),
    archive: fc.constantFrom('notAsked' as const, 'notAsked' as const, 'later' as const, FAILED, MATCH),
    method: fc.constantFrom('none' as const, 'GET' as const, 'POST' as const),
    fed: fc.boolean(),
    annotates: fc.boolean(),
    draws: fc.boolean(),
    derives: fc.boolean(),
    artifacts: fc.constantFrom('NONE', 'VISUAL_TYPES_ONLY'),
    bucket: fc.constantFrom(false, false, true),
  })
  .filter(({ media }) => media.some(({ problem }) => problem !== true))
  .map(({ earlierTasks, lastActions, segment, gap, method, fed, artifacts, bucket, ...shape }) => ({
    ...shape,
    ...(method === 'none' ? {} : { callback: { url: 'http://caller.example', method } }),
    // No task can follow a task with several actions.
    declares: ['AUDIO_TARGET_SEGMENT_LENGTH'],
    tasks: [...Array.from({ length: earlierTasks }, () => 1), shape.draws ? 1 : lastActions],
    properties: {
      TARGET_SEGMENT_LENGTH: String(segment),
      MIN_SEGMENT_LENGTH: '2',
      AUDIO_TARGET_SEGMENT_LENGTH: String(segment),
      MIN_GAP_BETWEEN_SEGMENTS: String(gap),
      ARTIFACT_EXTRACTION_POLICY: artifacts,
      ...(fed ? { FEED_FORWARD_TYPE: 'REGION' } : {}),
      ...(bucket ? BUCKET : {}),
    },
  }));

/**
 * Jobs over documents whose tasks extract media. These media are inspected in an extra stage that other jobs
 * rarely reach.
 */
const ofDocuments: fc.Arbitrary<Shape> = aShape.map((shape) => ({
  ...shape,
  media: shape.media!.map((medium) => ({ ...medium, type: 'UNKNOWN' as const, problem: false })),
  derives: true,
  archive: 'notAsked' as const,
}));

const work = (...fates: readonly Fate[]): fc.Arbitrary<Step> =>
  fc.record({
    type: fc.constant('work' as const),
    pick: fc.nat(50),
    fate: fc.constantFrom(...fates),
    found: tracksFound,
  });
const other = fc.oneof(
  fc.record({
    type: fc.constantFrom('again' as const, 'news' as const, 'late news' as const),
    pick: fc.nat(50),
  }),
  fc.record({
    type: fc.constantFrom('reload' as const, 'resume' as const, 'admit' as const, 'due' as const),
  }),
);
const delivery: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constant('send' as const),
      pick: fc.nat(50),
      fate: fc.constantFrom('arrives' as const, 'fails' as const, 'is given up' as const),
    }),
  },
  { weight: 4, arbitrary: fc.record({ type: fc.constant('report' as const), pick: fc.nat(50) }) },
  {
    weight: 2,
    arbitrary: fc.record({ type: fc.constantFrom('deliverer dies' as const, 'crash' as const) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constant('repost' as const),
      fails: fc.boolean(),
    }),
  },
);
const archiveAnswer: fc.Arbitrary<Step> = fc.record({
  type: fc.constant('archive answers' as const),
  pick: fc.nat(5),
  finding: aFinding,
});
const interruption = fc.oneof(
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constantFrom('cancel' as const, 'shutdown' as const),
    }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('resubmit' as const), admitted: fc.boolean() }) },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant('retry' as const),
      what: fc.constantFrom(...RETRIES),
      admitted: fc.boolean(),
      loses: fc.boolean(),
    }),
  },
);
const anyStep: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 40,
    arbitrary: work('done', 'done', 'done', 'done', 'warning', 'nothing found', 'failed', 'lost', 'busy'),
  },
  { weight: 10, arbitrary: other },
  { weight: 4, arbitrary: archiveAnswer },
  { weight: 6, arbitrary: delivery },
  { weight: 1, arbitrary: interruption },
);
const steps = (step: fc.Arbitrary<Step>) => fc.array(step, { maxLength: 120, size: 'max' });

const AFTER_REMOVAL: JobCommand[] = [
  { type: 'admit' },
  { type: 'cancel' },
  { type: 'shutdown' },
  { type: 'remove' },
  { type: 'resubmit', priority: 4, admitted: true, objectId: 'again' },
  { type: 'workDropped', keys: ['0001/000000/p'] },
  { type: 'archiveChecked', run: 1, answer: { kind: 'none' } },
  { type: 'archiveReposted', arrived: [], failed: [] },
  { type: 'noticeSent', id: 'here-7.1.callback' },
  noticeFailed('here-7.1.archive.0', 'it hung up'),
];

const ENDS = ['COMPLETE', 'COMPLETE_WITH_WARNINGS', 'ERROR', 'CANCELLED', 'CANCELLED_BY_SHUTDOWN'];
/** Stages that a following server must reach with only the written rows. */
const FOLLOWED = ['PREPARE', 'TASK', 'TASK while media are inspected', 'DERIVED'];
const OUTCOMES = ['sent', 'given up', 'withdrawn'];

/** Runs these steps, then completes the job. */
function walk(job: SimulatedJob, way: readonly Step[]): SimulatedJob {
  for (const step of way) job.take(step);
  job.drive();
  return job;
}

describe('The life of a batch job', function () {
  // Simulates hundreds of jobs, which takes minutes on a busy machine.
  this.timeout(300_000);

  it(`keeps all its promises, whatever happens to it, and ends ${seeded}`, () => {
    const ends = new Set<string>();
    const kinds = new Set<string>();
    const allKinds = [...WORK_KINDS, 'DERIVED'];
    runUntil(
      () => ends.size === ENDS.length && kinds.size === allKinds.length,
      fc.property(aShape, steps(anyStep), (shape, way) => {
        const job = walk(new SimulatedJob(shape), way);
        ends.add(job.state.status);
        for (const kind of job.kinds) kinds.add(kind);
      }),
      300,
    );
    expect([...ends], 'ends that were seen').to.have.members(ENDS);
    expect([...kinds], 'kinds of work that were seen').to.have.members(allKinds);
  });

  it(`ends COMPLETE, every frame looked at, when nothing goes wrong ${seeded}`, () => {
    const shape = aShape
      .filter(({ media }) => media?.every(({ problem }) => problem === false) === true)
      .filter(({ archive }) => archive !== FAILED);
    fc.assert(
      fc.property(shape, steps(work('done', 'nothing found')), (given, way) => {
        expect(walk(new SimulatedJob(given), way).state.status).to.equal('COMPLETE');
      }),
      runs(100),
    );
  });

  for (const stage of ['WAITING', 'PREPARE', 'CHECK', 'TASK 0', 'TASK 1', 'TASK 2', 'DOCUMENT'])
    it(`ends CANCELLED when it is cancelled in the stage ${stage} ${seeded}`, () => {
      const shape = aShape.map((given) => ({
        ...given,
        tasks: [1, 1, given.tasks?.at(-1) ?? 1],
        buildOutput: true,
        admitted: stage !== 'WAITING',
        archive: stage === 'CHECK' ? ('later' as const) : ('notAsked' as const),
      }));
      let reached = 0;
      runUntil(
        () => reached > 5,
        fc.property(shape, fc.array(work('done', 'lost', 'failed'), { maxLength: 3 }), (given, more) => {
          const job = new SimulatedJob(given);
          job.drive(stage);
          for (const step of more) job.take(step);
          if (job.stage === stage) reached++;
          job.take({ type: 'cancel' });
          const accepted = job.state.status === 'CANCELLING';
          job.drive();
          if (accepted) expect(job.state.status).to.equal('CANCELLED');
        }),
        60,
      );
      expect(reached, `jobs that were in ${stage}`).to.be.greaterThan(5);
    });

  it(`continues unchanged when its state is restored from the store after every command ${seeded}`, () => {
    fc.assert(
      fc.property(
        aShape,
        steps(
          fc.oneof(
            { weight: 40, arbitrary: work('done', 'warning', 'nothing found', 'failed', 'lost', 'busy') },
            { weight: 3, arbitrary: archiveAnswer },
            { weight: 1, arbitrary: interruption },
          ),
        ),
        (shape, way) => {
          const whole = walk(new SimulatedJob(shape), way);
          const restored = walk(new SimulatedJob(shape, { forgetful: true }), way);
          expect(restored.stored).to.deep.equal(whole.stored);
        },
      ),
      runs(150),
    );
  });

  it(`is the same at a server that was commits behind and reads only what they have written ${seeded}`, () => {
    const stages = new Set<string>();
    runUntil(
      () => FOLLOWED.every((stage) => stages.has(stage)),
      fc.property(
        fc.oneof({ weight: 2, arbitrary: aShape }, { weight: 1, arbitrary: ofDocuments }),
        steps(work('done', 'warning', 'nothing found', 'failed', 'lost', 'busy')),
        (shape, way) => {
          const { follower } = walk(new SimulatedJob(shape), way);
          for (const stage of follower.stages) stages.add(stage);
        },
      ),
      400,
    );
    expect([...stages], 'where it went on without all rows').to.include.members(FOLLOWED);
  });

  it(`owes each notice until it has arrived or was given up, once, whoever dies in between ${seeded}`, () => {
    const outcomes = new Set<unknown>();
    runUntil(
      () => OUTCOMES.every((outcome) => outcomes.has(outcome)),
      fc.property(
        aShape,
        steps(anyStep),
        fc.array(fc.oneof({ weight: 20, arbitrary: delivery }, { weight: 1, arbitrary: interruption }), {
          minLength: 5,
          maxLength: 60,
          size: 'max',
        }),
        (shape, way, after) => {
          const job = walk(new SimulatedJob(shape), way);
          for (const step of after) job.take(step);
          job.drive();
          job.deliverAll();
          for (let run = 1; run <= job.state.run; run++)
            for (const outcome of job.outbox.outcomes('here-7', run)) outcomes.add(outcome);
        },
      ),
      300,
    );
    expect([...outcomes], 'what became of notices').to.have.members(OUTCOMES);
  });

  it(`answers to nothing any more once it is removed, and is gone in the end ${seeded}`, () => {
    fc.assert(
      fc.property(
        aShape,
        steps(anyStep),
        fc.array(delivery, { maxLength: 20 }),
        fc.subarray(AFTER_REMOVAL),
        fc.array(fc.constantFrom('reload' as const, 'resume' as const), { maxLength: 3 }),
        (shape, way, before, commands, restarts) => {
          const job = walk(new SimulatedJob(shape), way);
          for (const step of before) job.take(step);
          job.take({ type: 'remove' });
          for (const type of restarts) job.take({ type });
          job.finishRemoval(commands);
          expect(job.isGone).to.equal(true);
          job.finishRemoval(commands);
        },
      ),
      runs(150),
    );
  });

  it(`has the work of a job without failures when all that failed is retried ${seeded}`, () => {
    const shape = fc
      .oneof({ weight: 3, arbitrary: aShape }, { weight: 1, arbitrary: ofDocuments })
      .filter(({ media }) => media?.every(({ problem }) => problem === false) === true)
      .map((given) => ({
        ...given,
        archive: 'notAsked' as const,
        admitted: true,
        buildOutput: true,
        attempts: 1,
      }));
    const found = fc.constant([{ start: 0, stop: 3 }]);
    const tried = fc.record({
      type: fc.constant('work' as const),
      pick: fc.nat(50),
      fate: fc.constantFrom<Fate>('done', 'done', 'failed', 'lost'),
      found,
    });
    const aRetry = fc.record({
      type: fc.constant('retry' as const),
      what: fc.constantFrom(...RETRIES),
      admitted: fc.boolean(),
      loses: fc.boolean(),
    });
    let retried = 0;
    runUntil(
      () => retried >= 100,
      fc.property(
        shape,
        fc.array(fc.tuple(steps(tried), aRetry), { minLength: 1, maxLength: 3 }),
        (given, ways) => {
          const job = new SimulatedJob(given);
          for (const [way, again] of ways) {
            for (const step of way) job.take(step);
            job.drive();
            if (job.state.status === 'ERROR') job.take(again);
          }
          job.drive('DOCUMENT');
          if (job.isOver || job.state.run === 1) return;
          retried++;
          const whole = new SimulatedJob(given);
          whole.drive('DOCUMENT');
          expect(job.work).to.deep.equal(whole.work);
        },
      ),
      2_000,
    );
    expect(retried, 'jobs that were retried').to.be.at.least(100);
  });

  it(`runs once more, the same way, as often as it is resubmitted ${seeded}`, () => {
    fc.assert(
      fc.property(
        aShape,
        steps(anyStep),
        fc.array(fc.boolean(), { minLength: 1, maxLength: 4 }),
        (shape, way, again) => {
          const job = walk(new SimulatedJob(shape), way);
          const first = job.state.run;
          for (const admitted of again) {
            job.take({ type: 'resubmit', admitted });
            job.drive();
          }
          expect(job.state.run).to.equal(first + again.length);
          expect(job.state.status).to.equal(
            shape.media?.some(({ problem }) => problem === true) === true ? 'ERROR' : 'COMPLETE',
          );
        },
      ),
      runs(60),
    );
  });
});
