import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { expect } from 'chai';
import { RecordingStore } from '../../../../actors/streaming-job/recordings/recording-store.ts';
import type { RecordedFragment } from '../../../../protocol/stream-fragments.ts';
import type { Store } from '../../../../store/store.ts';
import { VirtualClock } from '../../../support/virtual-clock.ts';

const SILENT = { debug() {}, info() {}, warn() {}, error() {} };
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const NOW = 1_790_000_000_000;

describe('The store of recordings', () => {
  let dataDir: string;
  let free: number;
  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'recordings-'));
    free = Infinity;
  });
  afterEach(() => rmSync(dataDir, { recursive: true }));

  /** `jobs`: existing jobs, each with a recording of one day. */
  function recordings(jobs: readonly number[] = []): RecordingStore {
    const load = async ({ id }: { readonly id: string }) =>
      jobs.includes(Number(id))
        ? {
            record: { number: Number(id), recording: { days: 1, bytes: 1e9 } },
            snapshot: { body: { state: {} } },
          }
        : undefined;
    return new RecordingStore({
      store: { load } as unknown as Store,
      clock: new VirtualClock(NOW),
      logger: SILENT,
      dataDir,
      minFreeBytes: 1_000,
      freeBytes: async () => free,
    });
  }
  const fragment = (at: number): RecordedFragment => ({
    at,
    run: 'a',
    position: at % 1_000_000,
    durationMs: 4_000,
    firstFrame: 0,
    frames: 100,
    isKey: true,
  });
  const keep = (store: RecordingStore, number: number, at: number, rules = { days: 1, bytes: 1e9 }) =>
    store.accept({ number, recording: rules }, fragment(at), Readable.from([Buffer.alloc(100)]));
  const times = (number: number): readonly number[] => {
    const folder = join(dataDir, 'recordings', String(number));
    if (!existsSync(folder)) return [];
    return readdirSync(folder)
      .flatMap((hour) => readdirSync(join(folder, hour)))
      .map((name) => Number(name.split('-')[0]))
      .toSorted((a, b) => a - b);
  };

  it('removes the oldest of a job when it has too many bytes', async () => {
    const store = recordings();
    for (let n = 0; n < 5; n++) await keep(store, 1, NOW + n * HOUR, { days: 1, bytes: 250 });
    expect(times(1)).to.deep.equal([NOW + 3 * HOUR, NOW + 4 * HOUR]);
    expect(await store.bytesOf(1)).to.equal(200);
  });

  it('removes what is older than its job wants, and what has no job', async () => {
    const store = recordings([1]);
    await keep(store, 1, NOW - 2 * DAY, { days: 10, bytes: 1e9 });
    await keep(store, 1, NOW - HOUR);
    await keep(store, 2, NOW - HOUR);
    await store.removeOld();
    expect(times(1)).to.deep.equal([NOW - HOUR]);
    expect(times(2)).to.deep.equal([]);
  });

  it('removes the oldest of all jobs while the disk is nearly full, and says so at last', async () => {
    const store = recordings();
    await keep(store, 1, NOW - 5 * HOUR);
    await keep(store, 2, NOW - 2 * HOUR);
    free = 0;
    const looks = [0, 2_000];
    const measured = new RecordingStore({
      ...{ store: {} as Store, clock: new VirtualClock(NOW), logger: SILENT, dataDir },
      ...{ minFreeBytes: 1_000, freeBytes: async () => looks.shift() ?? 2_000 },
    });
    expect(await keep(measured, 2, NOW)).to.equal('stored');
    expect(times(1)).to.deep.equal([]);
    expect(times(2)).to.deep.equal([NOW - 2 * HOUR, NOW]);
    expect(await keep(store, 2, NOW + 5_000)).to.equal('noRoom');
    expect(times(2)).to.deep.equal([]);
  });

  it('keeps nothing of a part whose sender hangs up', async () => {
    const store = recordings();
    mkdirSync(join(dataDir, 'recordings'));
    const body = new Readable({ read: () => undefined });
    body.on('error', () => undefined);
    const coming = store.accept({ number: 1, recording: { days: 1, bytes: 1e9 } }, fragment(NOW), body);
    body.push(Buffer.alloc(10));
    setImmediate(() => body.destroy(new Error('gone')));
    expect(await coming).to.equal('broken');
    expect(times(1)).to.deep.equal([]);
  });
});
