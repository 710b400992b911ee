import { expect } from 'chai';
import { pausesKind } from '../../../actors/pauses/actor.ts';
import { PauseBook } from '../../../actors/pauses/pause-book.ts';
import { Pauses } from '../../../actors/pauses/pauses.ts';
import { ActorSystem } from '../../../actors/runtime/system.ts';
import { SqliteStore } from '../../../store/sqlite/sqlite-store.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';
import { temporaryFolder } from '../../store/folder.ts';
import { PlainTree } from '../runtime/plain-tree.ts';

const OWNER = { server: 's', epoch: 1 };

describe('What operators have paused', () => {
  const path = temporaryFolder();
  let stores = 0;
  let store: SqliteStore;
  let resumed: number;
  beforeEach(() => {
    store = new SqliteStore(path(`${++stores}.db`));
    resumed = 0;
  });
  afterEach(() => store.close());

  function start(): Pauses {
    const book = new PauseBook('here');
    const system = new ActorSystem(new PlainTree(), new VirtualClock());
    const apply: Parameters<typeof pausesKind>[0]['apply'] = (all) => {
      if (book.replace(all)) resumed++;
    };
    return new Pauses(system.register(pausesKind({ store, owner: OWNER, apply })), book, () => undefined);
  }
  const open = ({ book }: Pauses, worker = 'other:Face:1#1') => book.openQueues(['FACE', 'MOTION'], worker);

  it('is kept in the store, and is known again after a restart', async () => {
    const pauses = start();
    await pauses.pause('queue', 'FACE', 'alice');
    expect(open(pauses)).to.deep.equal(['MOTION']);
    expect(pauses.book.reason('FACE')).to.equal('alice has paused the queue');
    const again = start();
    await again.read();
    expect(open(again)).to.deep.equal(['MOTION']);
    await again.resume('queue', 'FACE');
    expect(open(again)).to.deep.equal(['FACE', 'MOTION']);
    expect(resumed).to.equal(1);
    const last = start();
    await last.read();
    expect(open(last)).to.deep.equal(['FACE', 'MOTION']);
  });

  it('leaves the others paused when one of a similar name is resumed', async () => {
    const pauses = start();
    for (const name of ['FACE', 'FACE 2']) await pauses.pause('queue', name, 'alice');
    await pauses.resume('queue', 'FACE');
    const again = start();
    await again.read();
    expect(again.book.all('queue').map(({ name }) => name)).to.deep.equal(['FACE 2']);
  });

  it('keeps who paused first when somebody pauses again', async () => {
    const pauses = start();
    await pauses.pause('queue', 'FACE', 'alice');
    await pauses.pause('queue', 'FACE', 'bob');
    expect(pauses.book.find('queue', 'FACE')).to.include({ by: 'alice' });
  });

  it('gives no work to processes of a service or node that drains, and to all others', async () => {
    const pauses = start();
    await pauses.pause('service', 'host:Face:1', 'alice');
    await pauses.pause('node', 'cellar', 'alice');
    const all = ['FACE', 'MOTION'];
    expect(open(pauses, 'host:Face:1#7')).to.deep.equal([]);
    expect(open(pauses, 'host:Face:12#1')).to.deep.equal(all);
    expect(open(pauses, 'cellar:Face:1#1')).to.deep.equal([]);
    expect(open(pauses, 'cellar2:Face:1#1')).to.deep.equal(all);
    expect(open(pauses, 'a stranger')).to.deep.equal(all);
    expect(pauses.book.drainingFor('Face')).to.equal('cellar, host:Face:1');
    expect(pauses.book.drainingFor('Motion')).to.equal('cellar');
  });

  it('closes a server for new jobs and for work when it drains itself, and no other', async () => {
    const pauses = start();
    await pauses.pause('server', 'there', 'alice');
    expect([pauses.book.isDraining, open(pauses).length]).to.deep.equal([false, 2]);
    await pauses.pause('server', 'here', 'alice');
    expect([pauses.book.isDraining, open(pauses).length]).to.deep.equal([true, 0]);
    expect(pauses.book.reason('FACE')).to.equal('the server here is draining');
  });
});
