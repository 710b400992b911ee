/** Queues of reports: when a post ends, and that many posts leave no memory behind. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect } from 'chai';
import { systemClock } from '../../../../actors/basics/clock.ts';
import { ReportQueues } from '../../../../actors/streaming-job/reports/report-queues.ts';
import type { Send } from '../../../../egress/request.ts';
import { within } from '../../../support/until.ts';

const silent = { debug() {}, info() {}, warn() {}, error() {} };
const ADDRESS = 'http://receiver.example/reports';

describe('A queue of reports', function () {
  this.timeout(60_000);
  const queuesWith = (send: Send, timeoutMs = 60_000) =>
    new ReportQueues({ send, timeoutMs, maxQueued: 10, clock: systemClock, logger: silent, meter: { reportEnded() {} } }); // oxfmt-ignore
  /** Resolves after the attempt. */
  const post = (queues: ReportQueues, job = 1) =>
    new Promise<void>((resolve) => {
      const done = () => Promise.resolve(resolve());
      queues.add(ADDRESS, { kind: 'health', jobs: [job], text: () => Promise.resolve('{}'), done });
    });
  const hang: Send = (_, signal) =>
    new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason as Error));
    });

  it('gives a post up after its time, and when it is closed', async () => {
    const slow = queuesWith(hang, 20);
    await within(10_000, 'the post is given up', post(slow));
    expect(slow.outcomes(1)?.health?.error).to.equal('no answer came in 20 ms');
    const closed = queuesWith(hang);
    const posted = post(closed);
    await new Promise((resolve) => setImmediate(resolve));
    closed.close();
    await within(10_000, 'the post ends', posted);
    expect(closed.outcomes(1)?.health?.error).to.equal('the server is shutting down');
  });

  it('takes no more memory the more reports it has posted', async () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const queues = queuesWith(() => Promise.resolve({ kind: 'sent' }));
    const used: number[] = [];
    for (let n = 0; n < 30_000; n++) {
      if (n % 10_000 === 0) {
        await new Promise((resolve) => setTimeout(resolve, 50));
        collect();
        used.push(process.memoryUsage().heapUsed);
      }
      await post(queues);
    }
    // AbortSignal.any leaked 48 bytes per post.
    expect(used[2]! - used[1]!, used.join(', ')).to.be.below(200_000);
  });
});
