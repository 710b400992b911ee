import { expect } from 'chai';
import { StreamCounters } from '../../../../actors/worker-gateway/streams/stream-counters.ts';
import type { StreamCounts } from '../../../../protocol/streams.ts';

const counts = (read: number): StreamCounts => ({ read, processed: read, dropped: 0, skipped: 0, reconnects: 0 }); // oxfmt-ignore

describe('What components count of a live stream', () => {
  it('grows over successive components, and over a takeover in the same attempt', () => {
    const counters = new StreamCounters();
    counters.begins(1, 1);
    counters.addCounts(1, 1, counts(10));
    counters.begins(1, 1);
    counters.addCounts(1, 1, counts(12));
    expect(counters.of(1).read).to.equal(12);
    counters.begins(1, 2);
    counters.addCounts(1, 2, counts(20));
    expect(counters.of(1).read).to.equal(32);
    counters.addCounts(1, 2, counts(3));
    expect(counters.of(1).read, 'it was given back and begins anew').to.equal(35);
  });

  it('starts from what a component tells first that began under an earlier server', () => {
    const counters = new StreamCounters();
    counters.addCounts(1, 4, counts(1_000));
    counters.addCounts(1, 4, counts(1_006));
    expect(counters.of(1).read).to.equal(6);
  });

  it('goes with the job', () => {
    const counters = new StreamCounters();
    counters.begins(1, 1);
    counters.addCounts(1, 1, counts(10));
    counters.over(1);
    expect(counters.of(1).read).to.equal(0);
  });
});
