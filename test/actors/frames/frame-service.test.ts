import { writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { expect } from 'chai';
import { FrameService, type FrameSettings, type Made } from '../../../actors/frames/frame-service.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';
import type { FrameWork } from '../../../protocol/media-work.ts';
import { MEDIA_QUEUES } from '../../../protocol/worker-protocol.ts';
import { pathOf } from '../../../results/file-keys.ts';
import type { Lease } from '../../../store/ledger.ts';
import { SqliteStore } from '../../../store/sqlite/sqlite-store.ts';
import { temporaryFolder } from '../../store/folder.ts';
import { within } from '../../support/until.ts';

const WAIT_MS = 20_000;
const WORK = { frame: null } as Omit<FrameWork, 'to'>;
const TABLE = 'frames/j.1/0.json';

describe('A frame that a client waits for', () => {
  const folder = temporaryFolder();
  let store: SqliteStore;
  let clock: VirtualClock;
  let files = 0;

  beforeEach(() => {
    clock = new VirtualClock();
    store = new SqliteStore(folder(`${++files}.db`));
  });
  afterEach(() => store.close());

  const dataDir = () => folder(`data ${files}`);
  const serviceWith = (settings: Partial<FrameSettings> = {}) =>
    new FrameService({
      serverId: 'here',
      alone: true,
      ...{ store, clock, dataDir: dataDir(), heartbeatMs: 1_000 },
      settings: { atOnce: 2, waitMs: WAIT_MS, cacheBytes: 100, ...settings },
    });
  /** Requests a file and resolves when the request waits for a component. */
  async function askForFile(service: FrameService, key = TABLE) {
    const made = service.makeFile(key, WORK);
    const [lease] = await claimWork();
    return { made, lease: lease! };
  }
  /** Another client that requests the same file, and whose timeout has started. */
  async function waitForFile(service: FrameService) {
    const made = service.makeFile(TABLE, WORK);
    await clock.advance(0);
    return { made };
  }
  async function claimWork(): Promise<readonly Lease[]> {
    let leases: readonly Lease[] = [];
    while (leases.length === 0) {
      await new Promise((resolve) => setImmediate(resolve));
      leases = await store.work.claim({ queues: [MEDIA_QUEUES.FRAME], max: 1, worker: 'media' });
    }
    return leases;
  }
  /** Completes the work like the component does. */
  async function finish(service: FrameService, lease: Lease, content = '{}') {
    await writeFile(service.assignment(lease)!.work.to, content);
    return service.acceptAnswer(lease);
  }
  const soon = (made: Promise<Made>) => within(10_000, 'the client is answered', made);

  it('and takes longer than that is made all the same, for whoever asks again and waits anew', async () => {
    const service = serviceWith();
    const { made, lease } = await askForFile(service);
    await clock.advance(WAIT_MS);
    expect(await soon(made)).to.include({ kind: 'busy' });
    expect(await store.work.beat(lease.token, 'media', 1, 2)).to.equal('on');

    const second = await waitForFile(service);
    await clock.advance(WAIT_MS - 1);
    const third = await waitForFile(service);
    await clock.advance(1);
    expect(await soon(second.made)).to.include({ kind: 'busy' });
    expect(await finish(service, lease)).to.deep.equal({ kind: 'accepted' });
    expect(await soon(third.made)).to.deep.equal({ kind: 'made', path: pathOf(dataDir(), TABLE) });
  });

  it('is kept and counted in the cache although nobody waits for it any more', async () => {
    const service = serviceWith({ cacheBytes: 10 });
    const { made, lease } = await askForFile(service);
    await clock.advance(WAIT_MS);
    expect(await soon(made)).to.include({ kind: 'busy' });
    await finish(service, lease, '12345678');
    expect(await soon(service.makeFile(TABLE, WORK))).to.include({ kind: 'made' });

    const next = await askForFile(service, 'frames/j.1/1.json');
    await finish(service, next.lease, '12345678');
    expect(await soon(next.made)).to.include({ kind: 'made' });
    expect(existsSync(pathOf(dataDir(), TABLE))).to.equal(false);
  });

  it('counts among those that are made at a time until it is made or has failed', async () => {
    const service = serviceWith({ atOnce: 1 });
    const { made, lease } = await askForFile(service);
    await clock.advance(WAIT_MS);
    await soon(made);
    const other = await soon(service.makeFile('frames/j.1/1.json', WORK));
    expect(other).to.include({ kind: 'busy' });
    expect((other as { message: string }).message).to.include(
      'frames are being made already, which is the limit',
    );
    await service.acceptAnswer(lease, { code: 'COULD_NOT_READ_MEDIA', message: 'It is damaged.' });
    const third = await askForFile(service, 'frames/j.1/1.json');
    await finish(service, third.lease);
    expect(await soon(third.made)).to.include({ kind: 'made' });
  });

  it('and is gone before it was counted, for its job was removed, leaves nobody waiting', async () => {
    const service = serviceWith({ atOnce: 1 });
    const { made, lease } = await askForFile(service);
    expect(await service.acceptAnswer(lease)).to.deep.equal({ kind: 'accepted' });
    expect(await soon(made)).to.include({ kind: 'busy' });
    const again = await askForFile(service);
    await finish(service, again.lease);
    expect(await soon(again.made)).to.include({ kind: 'made' });
  });

  it('is left to the server that has offered it, when this one hears of it first', async () => {
    const here = serviceWith();
    const { made, lease } = await askForFile(here);
    await store.work.reject(lease.token, 'garbage');
    const news = await store.work.news(9);
    const other = new FrameService({
      ...{ serverId: 'there', alone: false, store, clock, dataDir: dataDir(), heartbeatMs: 1_000 },
      settings: { atOnce: 2, waitMs: WAIT_MS, cacheBytes: 100 },
    });
    await other.tell(news);
    expect(await store.work.news(9)).to.deep.equal(news);
    await here.tell(news);
    expect((await made).kind).to.equal('failed');
    expect(await store.work.news(9)).to.deep.equal([]);
  });

  it('leaves its place when the ledger has lost it', async () => {
    const service = serviceWith({ atOnce: 1 });
    const { made, lease } = await askForFile(service);
    await store.work.forget(lease.token);
    await clock.advance(WAIT_MS);
    expect((await made).kind).to.equal('busy');
    const { lease: next } = await askForFile(service, 'frames/j.1/1.json');
    expect(next.item.id).not.to.equal(lease.item.id);
  });
});
