/** A clip whose end is about to be recorded. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import type { FrameService } from '../../../actors/frames/frame-service.ts';
import { StreamRecordings } from '../../../actors/frames/stream-recordings.ts';
import type { StreamingStatus } from '../../../actors/streaming-job/state.ts';
import { recordingFolder } from '../../../results/layout.ts';
import { fragmentPath } from '../../../results/recording/fragment-files.ts';
import type { Store } from '../../../store/store.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';
import { until } from '../../support/until.ts';
import { STREAM } from '../streaming-job/stream.ts';

const NOW = Date.UTC(2026, 10, 22, 12, 30);
/** After this time without the end, the answer has what there is. */
const MOST_WAIT_MS = 16_000;

describe('A clip whose end is about to be recorded', () => {
  let dataDir: string;
  let clock: VirtualClock;
  let status: StreamingStatus;
  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'clips-'));
    clock = new VirtualClock(NOW);
    status = 'IN_PROGRESS';
  });
  afterEach(() => rm(dataDir, { recursive: true }));

  /** Requests the clip that ends at this time from now. Returns the time of its answer. */
  async function answeredAfter(
    stopMs: number,
    { gone = new AbortController().signal, onLook = async (_ms: number) => {} } = {},
  ): Promise<number> {
    const record = { ...STREAM, recording: { days: 1, bytes: 1 } };
    const load = () => Promise.resolve({ record, snapshot: { body: { state: { status } } } });
    const recordings = new StreamRecordings({
      ...{ store: { load } as unknown as Store, frames: {} as FrameService, dataDir, clock },
      recordings: { bytesOf: () => Promise.resolve(0) },
    });
    let answeredAt: number | undefined;
    const range = [{ at: NOW - 5_000 }, { at: NOW + stopMs }] as const;
    const answer = recordings
      .clip(STREAM.number, range, { before: 0, after: 0 }, gone)
      .finally(() => (answeredAt = clock.now()));
    await until('it answers', async () => {
      await onLook(clock.now() - NOW);
      // The folder is read outside the clock of the test.
      if (answeredAt === undefined) await clock.advance(50);
      return answeredAt !== undefined;
    });
    expect(await answer).to.have.property('missing');
    return answeredAt! - NOW;
  }

  it('is waited for until it is recorded', async () => {
    const fragment = { at: NOW, run: 'a', position: 0, isKey: true, firstFrame: 0, frames: 150 };
    const path = fragmentPath(recordingFolder(dataDir, STREAM.number), { ...fragment, durationMs: 6_000 });
    await mkdir(dirname(path), { recursive: true });
    const onLook = async (ms: number) => {
      if (ms >= 6_000) await writeFile(path, 'no MP4');
    };
    expect(await answeredAfter(5_000, { onLook })).to.be.within(6_000, MOST_WAIT_MS - 1_000);
  });

  it('is waited for no longer than 16 seconds', async () => {
    expect(await answeredAfter(5_000)).to.be.at.least(MOST_WAIT_MS);
    // The event happened ten seconds ago.
    expect(await answeredAfter(-10_000)).to.be.at.least(MOST_WAIT_MS - 10_000);
  });

  it('is waited for only while the stream runs and the client is there', async () => {
    const gone = new AbortController();
    const onLook = async (ms: number) => {
      if (ms >= 1_000) gone.abort();
    };
    expect(await answeredAfter(5_000, { gone: gone.signal, onLook })).to.be.below(MOST_WAIT_MS - 1_000);
    status = 'TERMINATED';
    expect(await answeredAfter(clock.now() - NOW + 5_000)).to.equal(clock.now() - NOW);
  });

  it('is not waited for when it ended long ago or lies far ahead', async () => {
    expect(await answeredAfter(-MOST_WAIT_MS)).to.be.below(1_000);
    expect(await answeredAfter(MOST_WAIT_MS + 60_000)).to.be.below(1_000);
  });
});
