/** Random runs of streaming jobs, checked against specification 3.2 and their transition table. */
import { expect } from 'chai';
import * as fc from 'fast-check';
import { decide } from '../../../actors/runtime/machine.ts';
import type { StreamingJobCommand } from '../../../actors/streaming-job/commands.ts';
import { INITIAL, isEnded, NO_COUNTS, type StreamingJobState } from '../../../actors/streaming-job/state.ts';
import { recoverStreamingJob, STREAMING_JOB_MACHINE } from '../../../actors/streaming-job/transitions.ts';
import { targetsOf } from '../../docs/state-diagrams.ts';
import { seed, seeded } from '../../support/seed.ts';
import { STREAM } from './stream.ts';

const RULES = { attempts: 5, firstPauseMs: 1_000, longestPauseMs: 4_000 };
const COUNTS = { ...NO_COUNTS, read: 10 };

/** A current or outdated command. `attempt` counts backwards from the current component. */
type Step = (state: StreamingJobState) => StreamingJobCommand;
const late = fc.constantFrom(0, 0, 0, 0, 1);
const from = (make: (attempt: number) => StreamingJobCommand): fc.Arbitrary<Step> =>
  late.map((back) => (state) => make(state.attempt - back));
const step: fc.Arbitrary<Step> = fc.oneof(
  from((attempt) => ({ type: 'opened', width: 1, height: 1, fps: 5, attempt })),
  from((attempt) => ({ type: 'claimed', attempt })),
  from((attempt) => ({ type: 'stalled', cause: 'silence', attempt })),
  from((attempt) => ({ type: 'running', attempt })),
  fc.nat(40).chain((n) => from((attempt) => ({ type: 'warned', message: `Warning ${n}.`, attempt }))),
  fc.nat(200).chain((frame) => from((attempt) => ({ type: 'activity', frame, frameAt: frame, attempt }))),
  fc.integer({ min: -1, max: 2 }).chain((ahead) =>
    fc.tuple(late, fc.option(fc.nat(STREAM.segmentSize - 1))).map<Step>(([back, offset]) => (state) => {
      const segment = Math.max(0, state.lastSegment + ahead);
      const frame = segment * STREAM.segmentSize + (offset ?? 0);
      const firstTrack = offset === null ? null : { frame, at: frame };
      return { type: 'segment', segment, counts: COUNTS, firstTrack, attempt: state.attempt - back };
    }),
  ),
  fc
    .constantFrom('ended' as const, 'stalled' as const, 'cancelled' as const)
    .chain((reason) => from((attempt) => ({ type: 'ended', reason, detail: 'BYE', attempt }))),
  fc.boolean().chain((final) => from((attempt) => ({ type: 'failed', message: 'broken', final, attempt }))),
  from((attempt) => ({ type: 'workLost', reason: 'it died', attempt })),
  from((attempt) => ({ type: 'workDropped', attempt })),
  from((attempt) => ({ type: 'retry', attempt })),
  fc.boolean().map<Step>((doCleanup) => () => ({ type: 'cancel', doCleanup })),
  fc.constant<Step>(() => ({ type: 'shutdown' })),
  fc.constant<Step>(() => ({ type: 'resume' })),
  fc.constant<Step>(() => ({ type: 'create', record: STREAM })),
);

describe('The life of a streaming job', () => {
  const create = () =>
    decide(STREAMING_JOB_MACHINE, undefined, { type: 'create', record: STREAM }, context(0));
  const context = (at: number) => ({ at, record: STREAM, rules: RULES });
  const after = (state: StreamingJobState, command: StreamingJobCommand, at: number) =>
    decide(STREAMING_JOB_MACHINE, state, command, context(at));

  it('begins with a component that is asked for, and exists once', () => {
    const { state, work, record, synced } = create();
    expect([state?.status, work?.offer?.length, record, synced]).to.deep.equal([
      'INITIALIZING',
      1,
      STREAM,
      true,
    ]);
    expect(after(state!, { type: 'create', record: STREAM }, 1).reply).to.deep.include({ reason: 'EXISTS' });
    expect(
      decide(STREAMING_JOB_MACHINE, undefined, { type: 'cancel', doCleanup: false }, context(0)).reply,
    ).to.deep.include({ kind: 'refused', reason: 'NO_SUCH_JOB' });
  });

  it(`keeps the rules: an end is final, segments advance, one component works at a time ${seeded}`, () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        let state = { ...INITIAL };
        let wanted = new Set(['stream.7.1']);
        for (const [at, make] of steps.entries()) {
          const before = state;
          const command = make(before);
          const { reply, state: next = before, work = {} } = after(before, command, at * 1_000);
          state = next;
          if (reply.kind === 'refused') {
            expect(next).to.equal(before);
            continue;
          }
          const { to } = STREAMING_JOB_MACHINE.on[command.type];
          expect(targetsOf(to, before.status), `${command.type} in ${before.status}`).to.include(next.status);
          if (isEnded(before.status))
            expect([next.status, next.detail]).to.deep.equal([before.status, before.detail]);
          expect(next.lastSegment).to.be.at.least(before.lastSegment);
          if (command.type === 'segment') expect(next.lastSegment).to.be.greaterThan(before.lastSegment);
          for (const { id } of work.offer ?? []) wanted.add(id);
          for (const id of work.settle ?? []) wanted.delete(id);
          if (work.clear === true) wanted = new Set();
          const held = isEnded(next.status) || next.retryAt !== null ? 0 : 1;
          expect(wanted.size, `${command.type}: components that are asked for`).to.equal(held);
          expect(next.endedAt !== null).to.equal(isEnded(next.status));
          expect(next.fruitless).to.be.lessThan(RULES.attempts + 1);
        }
      }),
      { seed, numRuns: 300 },
    );
  });

  it(`ends whatever it does, once it is cancelled and its component is gone ${seeded}`, () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        let state = { ...INITIAL };
        for (const [at, make] of steps.entries())
          state = after(state, make(state), at * 1_000).state ?? state;
        state = after(state, { type: 'cancel', doCleanup: false }, 99_000).state ?? state;
        state = after(state, { type: 'workDropped', attempt: state.attempt }, 99_001).state ?? state;
        expect(isEnded(state.status)).to.equal(true);
      }),
      { seed, numRuns: 300 },
    );
  });

  it('waits longer with each component that came to nothing, and no longer than it may', () => {
    let state = { ...INITIAL };
    const pauses: number[] = [];
    for (let n = 0; n < 4; n++) {
      state = after(state, { type: 'workLost', reason: 'it died', attempt: state.attempt }, 0).state!;
      pauses.push(state.retryAt!);
      state = after(state, { type: 'retry', attempt: state.attempt }, state.retryAt!).state!;
    }
    expect(pauses).to.deep.equal([1_000, 2_000, 4_000, 4_000]);
    state = after(
      state,
      { type: 'segment', segment: 0, counts: COUNTS, firstTrack: null, attempt: state.attempt },
      0,
    ).state!;
    expect(state.fruitless).to.equal(0);
  });

  it('knows since when frames may have been missed, once another component has begun', () => {
    const opened = { type: 'opened', width: 1, height: 1, fps: 5, attempt: 1 } as const;
    const claimed = { type: 'claimed', attempt: 1 } as const;
    expect(after({ ...INITIAL }, claimed, 1).state, 'the first one').to.equal(undefined);
    let state = after({ ...INITIAL }, opened, 1_000).state!;
    state = after(
      state,
      { type: 'segment', segment: 0, counts: COUNTS, firstTrack: null, attempt: 1 },
      2_000,
    ).state!;
    state = after(state, claimed, 9_000).state!;
    expect(state.gapSince).to.equal(2_000);
    expect([state.earlier, state.counts], 'frames of both are counted').to.deep.equal([COUNTS, NO_COUNTS]);
    state = after(
      state,
      { type: 'segment', segment: 1, counts: COUNTS, firstTrack: null, attempt: 1 },
      10_000,
    ).state!;
    expect(state.gapSince).to.equal(null);
  });

  describe('knows where the first track of the current segment starts', () => {
    const size = STREAM.segmentSize;
    const activity = (frame: number): StreamingJobCommand => ({
      ...{ type: 'activity', frame, frameAt: frame * 40, attempt: 1 },
    });
    const segment = (number: number, frame?: number): StreamingJobCommand => ({
      ...{ type: 'segment', segment: number, counts: COUNTS, attempt: 1 },
      firstTrack: frame === undefined ? null : { frame, at: frame * 40 },
    });
    const last = (first: Partial<StreamingJobState>, ...commands: readonly StreamingJobCommand[]) => {
      let state: StreamingJobState = { ...INITIAL, ...first };
      let health = 0;
      for (const command of commands) {
        const outcome = after(state, command, 0);
        state = outcome.state ?? state;
        health += (outcome.effects ?? []).filter(({ type }) => type === 'health').length;
      }
      expect(state.activity?.at).to.equal(state.activity === null ? undefined : state.activity.frame * 40);
      return [state.activity?.frame ?? null, health];
    };

    it('by the report of the segment, which corrects what its component said at first', () => {
      expect(last({}, activity(5))).to.deep.equal([5, 1]);
      expect(last({}, activity(5), segment(0, 3))).to.deep.equal([3, 1]);
    });
    it('when its component said nothing before the report', () => {
      expect(last({}, segment(0, 3), segment(1, size + 2))).to.deep.equal([size + 2, 2]);
    });
    it('as that of the last segment that had tracks, when the current one has none', () => {
      expect(last({}, segment(0, 3), segment(1))).to.deep.equal([3, 1]);
      expect(last({}, segment(0, 3), activity(size + 4), segment(1))).to.deep.equal([3, 2]);
      expect(last({}, activity(5), segment(0))).to.deep.equal([null, 1]);
    });
    it('when that of the next segment is told before the report of this one', () => {
      expect(last({}, activity(5), activity(size + 1), segment(0, 3))).to.deep.equal([size + 1, 2]);
      expect(last({}, activity(size + 1), segment(0, 3), segment(1))).to.deep.equal([3, 1]);
    });
  });

  it('asks again, when it is loaded, for what it waits for', () => {
    const types = (state: Partial<StreamingJobState>) =>
      recoverStreamingJob({ ...INITIAL, ...state }).map(({ type }) => type);
    expect(types({})).to.deep.equal(['offer']);
    expect(types({ retryAt: 5, lastSegment: 3 })).to.deep.equal(['publish', 'retryAt']);
    expect(types({ status: 'CANCELLING' })).to.deep.equal(['withdraw']);
    expect(types({ status: 'TERMINATED', lastSegment: 3 })).to.deep.equal(['publish']);
    expect(types({ status: 'CANCELLED', doCleanup: true })).to.deep.equal(['removeFiles']);
    expect(types({ status: 'ERROR', removed: true })).to.deep.equal(['removeFiles', 'forget']);
  });
});
