import { expect } from 'chai';
import {
  claimTransfers,
  LANE_SLOTS,
  openLanes,
  USER_SLOTS,
} from '../../../actors/worker-gateway/transfer-claims.ts';
import { laneName, queueOf, readLane, withoutLanes } from '../../../protocol/transfers.ts';
import { MEDIA_QUEUES } from '../../../protocol/worker-protocol.ts';
import type { WorkItem } from '../../../store/ledger.ts';
import { MemoryLedger } from '../../../store/memory-ledger.ts';

const { DOWNLOAD, UPLOAD } = MEDIA_QUEUES;
const lane = (user: string, host: string) => laneName(DOWNLOAD, `http://${host}/medium`, user);
let number = 0;
const itemsOf = (queue: string, count: number): readonly WorkItem[] =>
  Array.from({ length: count }, () => {
    const id = String(++number);
    const actor = { kind: 'batch-job', id };
    return { id, actor, key: id, queue, priority: 4, kind: 'PREPARE', attempt: 1, share: 0 };
  });

describe('Transfers', () => {
  let ledger: MemoryLedger;
  beforeEach(() => {
    ledger = new MemoryLedger();
  });
  const claim = async (max: number, queues: readonly string[] = [DOWNLOAD, UPLOAD]) => {
    const { leases, waits } = await claimTransfers(ledger, { queues, max, worker: 'transfers' });
    return { claimed: leases.map(({ item }) => item.queue), leases, waits };
  };

  it('name the user and the host with its port, whatever characters the user has', () => {
    const name = laneName(UPLOAD, 'https://bucket.example:9000/results', 'a/b c@d');
    expect(readLane(name)).to.deep.equal({ queue: UPLOAD, host: 'bucket.example:9000', user: 'a/b c@d' });
    expect([queueOf(name), queueOf(UPLOAD), queueOf('FACE/1/2')]).to.deep.equal([UPLOAD, UPLOAD, 'FACE/1/2']);
    expect(readLane('FACE/1/2')).to.equal(undefined);
  });

  it('of a user from one host get so many slots, and those from other hosts continue', async () => {
    await ledger.offer([...itemsOf(lane('a', 'slow'), 20), ...itemsOf(lane('a', 'quick'), 2)]);
    const { claimed, waits } = await claim(64);
    expect(claimed.filter((queue) => queue === lane('a', 'slow'))).to.have.lengthOf(LANE_SLOTS);
    expect(claimed.filter((queue) => queue === lane('a', 'quick'))).to.have.lengthOf(2);
    expect(waits).to.equal(true);
  });

  it('of a user get so many slots in all, and those of others continue', async () => {
    for (let host = 0; host < 10; host++) await ledger.offer(itemsOf(lane('a', `host-${host}`), 10));
    expect((await claim(64)).claimed).to.have.lengthOf(USER_SLOTS);
    await ledger.offer(itemsOf(lane('b', 'host-0'), 1));
    expect((await claim(64)).claimed).to.deep.equal([lane('b', 'host-0')]);
  });

  it('of the user who has the fewest come first', async () => {
    await ledger.offer(itemsOf(lane('a', 'host'), 6));
    await claim(3);
    await ledger.offer([...itemsOf(lane('b', 'host'), 2), ...itemsOf(lane('c', 'host'), 1)]);
    const users = (await claim(4)).claimed.map((queue) => readLane(queue)?.user);
    expect(users).to.deep.equal(['b', 'c', 'b', 'a']);
  });

  it('get the slots of those that are over', async () => {
    await ledger.offer(itemsOf(lane('a', 'host'), LANE_SLOTS + 1));
    const { leases } = await claim(64);
    expect((await claim(64)).claimed).to.deep.equal([]);
    ledger.apply(leases[0]!.item.actor, { settle: [leases[0]!.item.id] });
    expect(await claim(64)).to.deep.include({ claimed: [lane('a', 'host')], waits: false });
  });

  it('that an older server has offered without a lane are handed out as well', async () => {
    await ledger.offer(itemsOf(UPLOAD, 2));
    expect((await claim(64)).claimed).to.deep.equal([UPLOAD, UPLOAD]);
  });

  it('are found by the name of their lane alone', () => {
    const figures = { waiting: 1, held: 0 };
    expect(openLanes(new Map([[lane('a', 'x'), { waiting: 0, held: 3 }]]))).to.deep.equal([]);
    const both = new Map([lane('a', 'x'), lane('a', 'y')].map((name) => [name, figures]));
    expect(openLanes(both)).to.deep.equal([...both.keys()]);
    expect(withoutLanes(both)).to.deep.equal(new Map([[DOWNLOAD, { waiting: 2, held: 0 }]]));
  });
});
