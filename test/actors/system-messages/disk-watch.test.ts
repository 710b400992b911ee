import { expect } from 'chai';
import { startDiskWatch } from '../../../actors/system-messages/disk-watch.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

describe('The free disk', () => {
  it('is told in the log and by a system message once when it is low, and once when it is not', async () => {
    const clock = new VirtualClock();
    const log: string[] = [];
    const messages = new Map<number, string>();
    let free = 1_000;
    let posted = 0;
    const line = (_: object, message: string) => void log.push(message);
    const stop = startDiskWatch({
      clock,
      logger: { debug: line, info: line, warn: line, error: line },
      messages: {
        announce: ({ msg }) => {
          messages.set(++posted, msg);
          return Promise.resolve(posted);
        },
        remove: (id) => {
          messages.delete(id);
          return Promise.resolve();
        },
      },
      minFreeBytes: 100,
      everyMs: 10,
      free: () => (free < 0 ? Promise.reject(new Error('no disk')) : Promise.resolve(free)),
    });
    const after = async (bytes: number) => {
      free = bytes;
      await clock.advance(30);
      return [log.length, messages.size];
    };
    expect(await after(1_000)).to.deep.equal([0, 0]);
    expect(await after(99)).to.deep.equal([1, 1]);
    expect(await after(50)).to.deep.equal([1, 1]);
    expect([...messages.values()][0]).to.include('nearly full');
    expect(await after(105), 'little more than the limit').to.deep.equal([1, 1]);
    expect(await after(110)).to.deep.equal([2, 0]);
    expect(log).to.deep.equal([
      'the disk is nearly full: new jobs and uploads are refused',
      'the disk has space again: new jobs and uploads are accepted',
    ]);
    expect(await after(-1), 'each look that fails').to.deep.equal([5, 0]);
    expect(await after(90), 'it goes on').to.deep.equal([6, 1]);
    stop();
    expect(await after(200)).to.deep.equal([6, 1]);
  });

  it('is told as soon as a message can be posted: on a full disk that may fail at first', async () => {
    const clock = new VirtualClock();
    const messages = new Set<number>();
    let free = 50;
    let writes = false;
    const line = () => undefined;
    const write = async <T>(work: () => T): Promise<T> => {
      if (!writes) throw new Error('The state could not be stored.');
      return work();
    };
    const stop = startDiskWatch({
      clock,
      logger: { debug: line, info: line, warn: line, error: line },
      messages: {
        announce: () => write(() => messages.add(1).size),
        remove: (id) => write(() => void messages.delete(id)),
      },
      minFreeBytes: 100,
      everyMs: 10,
      free: () => Promise.resolve(free),
    });
    const after = async (bytes: number, canWrite: boolean) => {
      [free, writes] = [bytes, canWrite];
      await clock.advance(30);
      return messages.size;
    };
    expect(await after(50, false)).to.equal(0);
    expect(await after(50, true), 'told late').to.equal(1);
    expect(await after(200, false)).to.equal(1);
    expect(await after(200, true), 'taken back late').to.equal(0);
    stop();
  });
});
