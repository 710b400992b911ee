import { expect } from 'chai';
import * as fc from 'fast-check';
import type { Range } from '../../../pipeline/types.ts';
import { runs, seeded } from '../seed.ts';
import type { GivenMedium } from './jobs.ts';
import { SimulatedJob, type Fate, type Shape, type Step } from './simulated-job.ts';

const aRange = fc
  .tuple(fc.nat(50), fc.nat(30))
  .map(([start, length]): Range => ({ start, stop: start + length }));
/** Ranges that touch neither each other nor the end, in order, as a finishing piece answers them. */
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

const aMedium: fc.Arbitrary<GivenMedium> = fc.record({
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
});

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
  })
  .filter(({ media }) => media.some(({ problem }) => problem !== true))
  .map(({ earlierTasks, lastActions, segment, gap, ...shape }) => ({
    ...shape,
    tasks: [...Array.from({ length: earlierTasks }, () => 1), lastActions],
    properties: {
      TARGET_SEGMENT_LENGTH: String(segment),
      MIN_SEGMENT_LENGTH: '2',
      MIN_GAP_BETWEEN_SEGMENTS: String(gap),
    },
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
  fc.record({ type: fc.constantFrom('reload' as const, 'resume' as const, 'admit' as const) }),
);
const interruption = fc.oneof(
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constantFrom('cancel' as const, 'cancel' as const, 'shutdown' as const),
    }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('resubmit' as const), admitted: fc.boolean() }) },
);
const anyStep: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 40,
    arbitrary: work('done', 'done', 'done', 'done', 'warning', 'nothing found', 'failed', 'lost'),
  },
  { weight: 10, arbitrary: other },
  { weight: 1, arbitrary: interruption },
);
const steps = (step: fc.Arbitrary<Step>) => fc.array(step, { maxLength: 120 });

/** What a walk saw, so that a test that saw too little fails. */
function walk(job: SimulatedJob, way: readonly Step[]): SimulatedJob {
  for (const step of way) job.take(step);
  job.drive();
  return job;
}

describe('The life of a batch job', () => {
  it(`keeps all its promises, whatever happens to it, and ends ${seeded}`, () => {
    const ends = new Set<string>();
    fc.assert(
      fc.property(aShape, steps(anyStep), (shape, way) => {
        ends.add(walk(new SimulatedJob(shape), way).state.status);
      }),
      runs(300),
    );
    expect([...ends], 'ends that were seen').to.have.members([
      'COMPLETE',
      'COMPLETE_WITH_WARNINGS',
      'ERROR',
      'CANCELLED',
      'CANCELLED_BY_SHUTDOWN',
    ]);
  });

  it(`ends COMPLETE, every frame looked at, when nothing goes wrong ${seeded}`, () => {
    const shape = aShape.filter(({ media }) => media?.every(({ problem }) => problem === false) === true);
    fc.assert(
      fc.property(shape, steps(work('done', 'nothing found')), (given, way) => {
        expect(walk(new SimulatedJob(given), way).state.status).to.equal('COMPLETE');
      }),
      runs(100),
    );
  });

  for (const stage of ['WAITING', 'PREPARE', 'TASK 0', 'TASK 1', 'TASK 2', 'DOCUMENT'])
    it(`ends CANCELLED when it is cancelled in the stage ${stage} ${seeded}`, () => {
      const shape = aShape.map((given) => ({
        ...given,
        tasks: [1, 1, given.tasks?.at(-1) ?? 1],
        buildOutput: true,
        admitted: stage !== 'WAITING',
      }));
      let reached = 0;
      fc.assert(
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
        runs(60),
      );
      expect(reached, `jobs that were in ${stage}`).to.be.greaterThan(5);
    });

  it(`goes on as if nothing had been, when its state is restored from the store after every command ${seeded}`, () => {
    fc.assert(
      fc.property(
        aShape,
        steps(
          fc.oneof(
            { weight: 40, arbitrary: work('done', 'warning', 'nothing found', 'failed', 'lost') },
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
