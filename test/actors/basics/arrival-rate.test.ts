import { expect } from 'chai';
import { ArrivalRate } from '../../../actors/basics/arrival-rate.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

describe('A burst of jobs', () => {
  const PAUSE_MS = 100;

  function makeBurst(pauseMs = PAUSE_MS) {
    // The clock starts at 0, as after a boot of the machine.
    const clock = new VirtualClock(0);
    const arrivalRate = new ArrivalRate(clock, pauseMs);
    const noteJob = async (jobs: number, everyMs = 0) => {
      for (let n = 0; n < jobs; n++) {
        arrivalRate.noteJob();
        await clock.advance(everyMs);
      }
    };
    /** How long a new caller waits, in milliseconds. `meanwhile` runs every millisecond. */
    const waits = async (meanwhile = () => {}) => {
      const began = clock.steady();
      const over = arrivalRate.over().then(() => clock.steady() - began);
      for (let ms = 0; ms < 2 * PAUSE_MS; ms++) {
        await clock.advance(ms === 0 ? 0 : 1);
        meanwhile();
      }
      return over;
    };
    return { arrivalRate, noteJob, waits };
  }

  it('is none before jobs come, and with seven of them', async () => {
    const { noteJob, waits } = makeBurst();
    expect(await waits()).to.equal(0);
    await noteJob(7);
    expect(await waits()).to.equal(0);
  });

  it('is over when fewer than eight came within 50 ms', async () => {
    const { noteJob, waits } = makeBurst();
    await noteJob(8, 5);
    expect(await waits()).to.equal(10);
    expect(await waits()).to.equal(0);
    await noteJob(20, 8);
    expect(await waits(), 'one every 8 ms').to.equal(0);
  });

  it('that goes on holds nobody up for longer than the pause', async () => {
    const { arrivalRate, noteJob, waits } = makeBurst();
    await noteJob(8);
    expect(await waits(() => arrivalRate.noteJob())).to.equal(PAUSE_MS);
  });

  it('holds nobody up when the pause is 0', async () => {
    const { noteJob, waits } = makeBurst(0);
    await noteJob(50);
    expect(await waits()).to.equal(0);
  });
});
