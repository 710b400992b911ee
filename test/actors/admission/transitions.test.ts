import { expect } from 'chai';
import * as fc from 'fast-check';
import type { AdmissionCommand, AdmissionState } from '../../../actors/admission/model.ts';
import { ADMISSION_MACHINE, admissionOf } from '../../../actors/admission/transitions.ts';
import { waitingScore } from '../../../actors/batch-job/state/indexes.ts';
import { decide } from '../../../actors/runtime/machine.ts';
import { runs, seeded } from '../../support/seed.ts';

/** Drives an admission with two places and a waiting room of three, step by step. */
class Led {
  state: AdmissionState = ADMISSION_MACHINE.initial;
  at = 0;
  reply = '';
  admitted: readonly number[] = [];

  tell(command: AdmissionCommand): this {
    const context = { at: this.at, maxLive: 2, maxWaiting: 3 };
    const { reply, state, effects = [] } = decide(ADMISSION_MACHINE, this.state, command, context);
    this.state = state ?? this.state;
    this.reply = reply.kind === 'refused' ? reply.reason : reply.kind;
    this.admitted = effects.flatMap((effect) => (effect.type === 'admit' ? [effect.jobNumber] : []));
    return this;
  }

  enter = (jobNumber: number, priority = 4) => this.tell({ type: 'enter', jobNumber, priority });
  leave = (jobNumber: number) => this.tell({ type: 'leave', jobNumber });
  compare(live: readonly number[], waiting: readonly number[] = []): this {
    const scores = new Map(waiting.map((number) => [number, waitingScore(4, number)]));
    return this.tell({ type: 'looked', stored: { live: new Set(live), waiting: scores } });
  }
}

describe('The admission of jobs', () => {
  it('lets in as many as may be live, has as many wait as may, and refuses the rest', () => {
    const led = new Led();
    expect([1, 2, 3, 4, 5, 6].map((number) => led.enter(number).reply)).to.deep.equal([
      'live',
      'live',
      'waiting',
      'waiting',
      'waiting',
      'FULL',
    ]);
    expect([led.enter(1).reply, led.enter(3).reply], 'asked again').to.deep.equal(['live', 'waiting']);
  });

  it('lets in who waits, the highest priority first, then the lowest number', () => {
    const led = new Led().enter(1).enter(2).enter(3, 1).enter(4, 9).enter(5, 9);
    expect(led.leave(1).admitted).to.deep.equal([4]);
    expect(led.leave(2).admitted).to.deep.equal([5]);
    expect(led.leave(4).admitted).to.deep.equal([3]);
    expect(led.leave(4).admitted).to.deep.equal([]);
  });

  it('compares itself with the store when it is opened', () => {
    const { effects } = decide(
      ADMISSION_MACHINE,
      undefined,
      { type: 'open' },
      { at: 0, maxLive: 1, maxWaiting: 1 },
    );
    expect(effects).to.deep.equal([{ type: 'look' }]);
  });

  it('gives back places that nobody holds, but not of those who came a moment ago', () => {
    const led = new Led().enter(1);
    led.at = 60_000;
    led.enter(2).enter(3).compare([]);
    expect(led.state.live.toArray(), 'job 1 may not be in the index yet').to.deep.equal([1, 2]);
    led.at = 60_001;
    expect(led.compare([]).admitted).to.deep.equal([3]);
    expect(led.state.live.toArray()).to.have.members([2, 3]);
  });

  it('tells those again who have a place and still wait', () => {
    const led = new Led().enter(1).compare([], [1]);
    expect(led.admitted).to.deep.equal([1]);
  });

  it('takes over who is live and who waits after a restart', () => {
    const led = new Led();
    led.state = admissionOf({
      live: new Set([7]),
      waiting: new Map([
        [8, 1],
        [9, 2],
      ]),
    });
    expect(led.compare([7], [8, 9]).admitted).to.deep.equal([8]);
    expect(led.enter(10).reply).to.equal('waiting');
  });

  it('passes over who has left meanwhile, and takes who came back with another priority by that', () => {
    const led = new Led().enter(1).enter(2).enter(3, 9).enter(4, 1).enter(5, 2);
    led.leave(3).leave(4).enter(4, 9);
    expect(led.leave(1).admitted).to.deep.equal([4]);
    expect(led.leave(2).admitted).to.deep.equal([5]);
    expect(led.leave(4).admitted).to.deep.equal([]);
  });

  it('moves who waits to another priority with its turn', () => {
    const led = new Led().enter(1).enter(2);
    for (const [jobNumber, turn] of [
      [3, 7],
      [4, 2],
      [5, 3],
    ] as const)
      led.tell({ type: 'enter', jobNumber, priority: 4, turn });
    for (const jobNumber of [3, 5, 1, 99]) led.tell({ type: 'prioritize', jobNumber, priority: 8 });
    expect([1, 2, 5].map((jobNumber) => led.leave(jobNumber).admitted)).to.deep.equal([[5], [3], [4]]);
  });

  it(`never has more live or waiting than may be, and nobody in both ${seeded}`, () => {
    const step = fc.record({
      what: fc.constantFrom('enter', 'leave', 'looked'),
      number: fc.integer({ min: 1, max: 12 }),
      ms: fc.nat(40_000),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 100 }), (steps) => {
        const led = new Led();
        for (const { what, number, ms } of steps) {
          led.at += ms;
          if (what === 'looked') led.compare(led.state.live.toArray().filter((one) => one !== number));
          else if (what === 'enter') led.enter(number);
          else led.leave(number);
          const { live, waiting } = led.state;
          expect(live.size).to.be.at.most(2);
          expect(waiting.size).to.be.at.most(3);
          expect(live.toArray().filter((one) => waiting.has(one))).to.deep.equal([]);
          expect(waiting.isEmpty() || live.size === 2, 'nobody waits beside a free place').to.equal(true);
        }
      }),
      runs(300),
    );
  });
});
