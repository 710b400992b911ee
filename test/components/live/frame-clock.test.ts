import { expect } from 'chai';
import { FrameClock } from '../../../components/host/live/segments/frame-clock.ts';

const AT = Date.UTC(2026, 10, 22, 12);
const HOUR_MS = 3_600_000;

describe('The clock of frames', () => {
  it('lets no frame come earlier when the clock is set back by a second', () => {
    const clock = new FrameClock();
    clock.noteFrame(1, AT);
    clock.noteFrame(2, AT - 1_000);
    expect([clock.at(1), clock.at(2)]).to.deep.equal([AT, AT]);
  });

  it('follows a clock that is set back by an hour, so that time passes', () => {
    const clock = new FrameClock();
    for (let frame = 0; frame < 5; frame++) clock.noteFrame(frame, AT + 200 * frame);
    for (let frame = 5; frame < 10; frame++) clock.noteFrame(frame, AT + 200 * frame - HOUR_MS);
    expect([5, 7, 9].map((frame) => clock.at(frame) - AT + HOUR_MS)).to.deep.equal([1_000, 1_400, 1_800]);
    expect(clock.at(0)).to.be.at.most(clock.at(9));
  });
});
