/** Uploads with servers that share a folder: one server deletes old uploads, and all know the total size. */
import { Readable } from 'node:stream';
import { expect } from 'chai';
import { existsSync, mkdirSync, readdirSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { VirtualClock } from '../../support/virtual-clock.ts';
import { UploadLocks } from '../../../actors/uploads/upload-locks.ts';
import { UploadStore, type Upload } from '../../../actors/uploads/upload-store.ts';
import { SqliteStore } from '../../../store/sqlite/sqlite-store.ts';
import { until } from '../../support/until.ts';
import { temporaryFolder } from '../../store/folder.ts';

const KEEP_MS = 1_000;
const HOUR_MS = 3_600_000;
const BY = { user: 'somebody', isLimited: false };
const silent = { debug() {}, info() {}, warn() {}, error() {} };

describe('Uploads of servers that share a folder', () => {
  const path = temporaryFolder();
  let store: SqliteStore;
  let clock: VirtualClock;
  before(() => (store = new SqliteStore(path('uploads.db'))));
  after(() => store.close());
  beforeEach(() => {
    clock = new VirtualClock(1_000_000);
  });

  const server = (folder: string, name = 'one', read: SqliteStore = store, keepMs = KEEP_MS) => {
    mkdirSync(path(folder), { recursive: true });
    const uploadLocks = new UploadLocks({ store, clock, owner: { server: name, epoch: 1 } });
    const limits = { maxBytes: 100, maxTotalBytes: 100, maxCount: 2, minFreeBytes: 0 };
    const settings = { ...limits, keepMs, paceMs: 60_000 };
    return UploadStore.open({
      store: read,
      clock,
      logger: silent,
      folder: path(folder),
      settings,
      uploadLocks,
    });
  };
  const upload = async (to: UploadStore, name: string): Promise<Upload> => {
    const outcome = await to.receive(Readable.from([Buffer.from('a medium')]), undefined, name, BY);
    if (outcome.kind !== 'stored') throw new Error(outcome.message);
    return outcome.upload;
  };
  const isThere = ({ uri }: Upload) => existsSync(fileURLToPath(uri));

  it('go when they are old, whichever server has taken them in, and make room on every server', async () => {
    const [one, other] = [await server('shared'), await server('shared')];
    const first = await upload(one, 'first.png');
    clock.correct(KEEP_MS / 2);
    const second = await upload(one, 'second.png');
    await other.lookAgain();
    expect(await other.receive(Readable.from([Buffer.from('x')]), undefined, 'x.png', BY)).to.include({
      kind: 'full',
    });
    clock.correct(KEEP_MS / 2);
    await other.removeExpired();
    expect([isThere(first), isThere(second)]).to.deep.equal([false, true]);
    expect(await one.receive(Readable.from([Buffer.from('x')]), undefined, 'x.png', BY)).to.include({
      kind: 'full',
    });
    await one.lookAgain();
    expect(isThere(await upload(one, 'third.png'))).to.equal(true);
  });

  it('in progress count for the server that receives them, and for others when they are complete', async () => {
    const [one, other] = [await server('coming'), await server('coming')];
    const body = new Readable({ read() {} });
    const coming = one.receive(body, undefined, 'slow.png', BY);
    body.push('half of a ');
    await one.lookAgain();
    await other.lookAgain();
    await upload(other, 'quick.png');
    body.push('medium');
    body.push(null);
    expect((await coming).kind).to.equal('stored');
    for (const each of [one, other]) {
      await each.lookAgain();
      expect((await each.receive(Readable.from(['x']), undefined, 'x.png', BY)).kind).to.equal('full');
    }
  });

  it('are removed by no server while a job with them arrives at another, and by any afterwards', async () => {
    const [one, other] = [await server('used', 'one'), await server('used', 'other')];
    const { id, uri } = await upload(one, 'a.png');
    const twice = () => one.keepDuring([uri], () => one.keepDuring([uri], () => other.remove(id)));
    expect(await Promise.all([twice(), twice()])).to.deep.equal(['inUse', 'inUse']);
    expect(await other.remove(id)).to.equal('removed');
    expect(await one.remove(id)).to.equal('unknown');
  });

  it('that one is removing are gone before a job with them is looked at by another', async () => {
    const [one, other] = [await server('going', 'one'), await server('going', 'other')];
    const { id, uri } = await upload(one, 'a.png');
    const removal = other.remove(id);
    let seen: boolean | undefined;
    const keeping = one.keepDuring([uri], () => Promise.resolve((seen = existsSync(fileURLToPath(uri)))));
    await until('it has looked', async () => {
      await clock.advance(100);
      return seen !== undefined;
    });
    await keeping;
    // In either order, an upload that a job has found is kept.
    expect(await removal).to.equal(seen ? 'inUse' : 'removed');
  });

  it('stay when their removal took so long that a job with them came in meanwhile', async () => {
    const one = await server('slow', 'one');
    const { id, uri } = await upload(one, 'a.png');
    let isSlow = true;
    const slowly = async () => {
      isSlow = false;
      clock.correct(120_000);
      await one.keepDuring([uri], () => Promise.resolve());
    };
    const slow = new Proxy(store, {
      get(target, name) {
        const value = Reflect.get(target, name) as unknown;
        if (typeof value !== 'function') return value;
        return async (...args: unknown[]) => {
          const answer: unknown = await (value as (...args: unknown[]) => unknown).apply(target, args);
          // Delays the result of the list of live jobs, so that it lacks newer jobs.
          if (name === 'list' && isSlow) await slowly();
          return answer;
        };
      },
    });
    const other = await server('slow', 'other', slow);
    expect(await other.remove(id)).to.equal('inUse');
    expect(isThere({ uri } as Upload)).to.equal(true);
    expect(await other.remove(id)).to.equal('removed');
  });

  it('that a server is receiving are let be by one that starts, unless nothing has come for long', async () => {
    clock = new VirtualClock(Date.now());
    const one = await server('started', 'one');
    const body = new Readable({ read() {} });
    const coming = one.receive(body, undefined, 'slow.png', BY);
    body.push('half of a ');
    const [id] = await until(
      'it has a folder',
      () => readdirSync(path('started')),
      ([name]) => name !== undefined && readdirSync(join(path('started'), name)).length > 0,
    );
    await server('started', 'other');
    expect(readdirSync(path('started'))).to.deep.equal([id]);
    const folder = join(path('started'), id!);
    for (const name of [join(folder, readdirSync(folder)[0]!), folder]) utimesSync(name, 1, 1);
    await server('started', 'third');
    expect(readdirSync(path('started'))).to.deep.equal([]);
    body.destroy();
    await coming.catch(() => undefined);
  });

  it('in pieces count with all their bytes for every server, and go a day after their last piece', async () => {
    clock = new VirtualClock(Date.now());
    const [one, other] = [
      await server('pieces', 'one', store, 7 * 24 * HOUR_MS),
      await server('pieces', 'other', store, 7 * 24 * HOUR_MS),
    ];
    const begun = await one.pieces.begin('a.bin', 90, BY);
    if (begun.kind !== 'pieces') throw new Error(begun.message);
    await other.lookAgain();
    const refused = await other.receive(Readable.from(['x'.repeat(11)]), undefined, 'x', BY);
    expect(refused.kind).to.equal('full');
    const piece = (offset: number) =>
      other.pieces.receive(begun.id, offset, Readable.from(['a piece']), undefined);
    expect(await piece(0)).to.deep.include({ received: 7, uri: undefined });
    clock.correct(23 * HOUR_MS);
    await other.removeExpired();
    expect(await other.pieces.look(begun.id)).to.include({ received: 7 });
    clock.correct(2 * HOUR_MS);
    await other.removeExpired();
    expect((await other.pieces.look(begun.id)).kind).to.equal('unknown');
  });
});
