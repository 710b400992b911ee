import { expect } from 'chai';
import { Burst } from '../../../actors/basics/burst.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

describe('A burst of jobs', () => {
  const PAUSE_MS = 100;

  function given(pauseMs = PAUSE_MS) {
    // Just started, as after a boot of the machine.
    const clock = new VirtualClock(0);
    const burst = new Burst(clock, pauseMs);
    const arrived = async (jobs: number, everyMs = 0) => {
      for (let n = 0; n < jobs; n++) {
        burst.arrived();
        await clock.advance(everyMs);
      }
    };
    /** Milliseconds for which somebody waits who comes now; `meanwhile`: what comes every millisecond. */
    const waits = async (meanwhile = () => {}) => {
      const began = clock.steady();
      const over = burst.over().then(() => clock.steady() - began);
      for (let ms = 0; ms < 2 * PAUSE_MS; ms++) {
        await clock.advance(ms === 0 ? 0 : 1);
        meanwhile();
      }
      return over;
    };
    return { burst, arrived, waits };
  }

  it('is none before jobs come, and with seven of them', async () => {
    const { arrived, waits } = given();
    expect(await waits()).to.equal(0);
    await arrived(7);
    expect(await waits()).to.equal(0);
  });

  it('is over when fewer than eight came within 50 ms', async () => {
    const { arrived, waits } = given();
    await arrived(8, 5);
    expect(await waits()).to.equal(10);
    expect(await waits()).to.equal(0);
    await arrived(20, 8);
    expect(await waits(), 'one every 8 ms').to.equal(0);
  });

  it('that goes on holds nobody up for longer than the pause', async () => {
    const { burst, arrived, waits } = given();
    await arrived(8);
    expect(await waits(() => burst.arrived())).to.equal(PAUSE_MS);
  });

  it('holds nobody up when the pause is 0', async () => {
    const { arrived, waits } = given(0);
    await arrived(50);
    expect(await waits()).to.equal(0);
  });
});
