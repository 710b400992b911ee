import { expect } from 'chai';
import { dispatcherKind, startTicking } from '../../../actors/dispatcher/actor.ts';
import type { DispatcherCommand } from '../../../actors/dispatcher/model.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';
import { MemoryLedger } from '../../../store/memory-ledger.ts';
import { actor, item } from '../../store/ledger-contract.ts';

const silent = { debug() {}, info() {}, warn() {}, error() {} };

describe('The dispatcher', () => {
  let at: number;
  let ledger: MemoryLedger;
  let killed: string[];
  let told: string[];
  let tell: (command: DispatcherCommand) => Promise<unknown>;
  beforeEach(async () => {
    at = 0;
    killed = [];
    told = [];
    ledger = new MemoryLedger({ now: () => at });
    const dispatcher = await dispatcherKind({
      ledger,
      logger: silent,
      mailbox: 10,
      tell: (news) => told.push(...news.map(({ what, item: { id } }) => `${what} ${id}`)),
      kill: (worker, reason) => killed.push(`${worker}: ${reason}`),
    }).load('');
    tell = (command) => dispatcher.handle({ id: '', command, at });
  });
  const takeItem = async (id: string, worker = 'worker') => {
    ledger.apply(actor('job'), { offer: [item(id)] });
    return (await ledger.claim({ queues: ['FACE'], max: 1, worker }))[0]!;
  };
  const countWaiting = async () => (await ledger.queues()).get('FACE')?.waiting ?? 0;

  it('has a component ended that does not beat', async () => {
    await takeItem('a');
    at = 15_000;
    await tell({ type: 'tick' });
    expect(killed).to.deep.equal(['worker: no heartbeat for 15000 ms']);
  });

  it('counts what hung, and not what else a component held that was ended for it', async () => {
    await takeItem('hanging');
    at = 10_000;
    const { token } = await takeItem('healthy');
    at = 15_000;
    await tell({ type: 'tick' });
    expect(await ledger.beat(token, 'worker', 1, 2), 'until the process is gone').to.equal('on');
    await tell({ type: 'workerGone', worker: 'worker', counted: true, reason: 'ended by SIGKILL' });
    expect((await ledger.news(9)).map((news) => news.item.id)).to.deep.equal(['hanging']);
    expect(await countWaiting()).to.equal(1);
    const again = await takeItem('another');
    await tell({ type: 'workerGone', worker: 'worker', counted: true, reason: 'died by itself' });
    expect(await ledger.look(again.token, 'worker'), 'the next time it is to blame').to.equal('lost');
  });

  it('counts what a component held that died, and nothing of one that was stopped', async () => {
    await takeItem('died', 'one');
    await takeItem('stopped', 'other');
    await tell({ type: 'workerGone', worker: 'one', counted: true, reason: 'died' });
    await tell({ type: 'workerGone', worker: 'other', counted: false, reason: 'stopped' });
    expect((await ledger.news(9)).map((news) => news.item.id)).to.deep.equal(['died']);
    expect(await countWaiting()).to.equal(1);
  });

  it('gives up what nobody can serve', async () => {
    ledger.apply(actor('job'), { offer: [item('a')] });
    await tell({ type: 'unavailable', queue: 'FACE', reason: 'it cannot be started' });
    expect(await countWaiting()).to.equal(0);
    expect((await ledger.news(9)).map((news) => news.what)).to.deep.equal(['lost']);
  });

  it('tells again every ten seconds what an actor has not taken in', async () => {
    const { token } = await takeItem('a');
    await ledger.reject(token, 'garbage');
    for (let tick = 0; tick < 80; tick++) await tell({ type: 'tick' });
    expect(told).to.deep.equal(['lost a', 'lost a']);
  });

  it('is ticked four times a second, until that is ended', async () => {
    const clock = new VirtualClock();
    let ticks = 0;
    const end = startTicking(clock, () => ticks++);
    await clock.advance(1_000);
    expect(ticks).to.equal(4);
    end();
    await clock.advance(1_000);
    expect(ticks).to.equal(4);
  });
});
