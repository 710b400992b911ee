import { existsSync, rmSync } from 'node:fs';
import { truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { openVideo } from '../../../media/video/video-frames.ts';
import { readImage } from '../../../media/picture/image-frame.ts';
import { sample } from '../../components/models/recorded-media.ts';
import { rtsp, smallClip } from '../../media/live/live-watching.ts';
import { scratchFolder } from '../../media/support/samples.ts';
import { accessUnits, type CodedClip } from '../../support/media/coded-media.ts';
import { Place } from '../../cli/support/support.ts';
import { Service } from '../../support/processes/service.ts';
import { until } from '../../support/until.ts';
import { CLIP, serviceWithCameras, WAIT } from '../cameras-support.ts';
import { codeClip, fileStarts, picturesOf, recordedFiles } from './recordings-support.ts';

interface Listed {
  readonly bytes: number;
  readonly stretches: readonly {
    readonly startTime: string;
    readonly stopTime: string;
    readonly startFrame: number | null;
    readonly stopFrame: number | null;
  }[];
}

const times = ({ units }: CodedClip) => units.map(({ ptsMs }) => Math.round(ptsMs - units[0]!.ptsMs));

/** Eight seconds, which the recorder splits into two files. */
const LONG: CodedClip = codeClip(200);

/** Decoded frames of the clip that the cameras send. */
async function sentFrames(): Promise<readonly Uint8Array[]> {
  const folder = scratchFolder();
  try {
    const frames: Uint8Array[] = [];
    for await (const { data } of (await openVideo(smallClip(folder))).frames())
      frames.push(Uint8Array.from(data));
    return frames;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Sum of the differences of all samples. */
function differenceOf(one: Uint8Array, other: Uint8Array): number {
  expect(one.length).to.equal(other.length);
  let sum = 0;
  for (let n = 0; n < one.length; n++) sum += Math.abs(one[n]! - other[n]!);
  return sum;
}

describe('recordings of live streams', function () {
  this.timeout(120_000);
  const cameras = serviceWithCameras((env) => Service.here(env));
  const { submit, info, becomes, clear } = cameras;
  afterEach(clear);

  const list = async (id: number) =>
    (await cameras.service().ask('GET', `/rest/streaming/jobs/${id}/recordings`)).body as Listed;
  const get = async (path: string, headers: Record<string, string> = {}) => {
    const { url, token } = cameras.service();
    const answer = await fetch(`${url}${path}`, {
      headers: { authorization: `Bearer ${token}`, ...headers },
    });
    return { status: answer.status, bytes: Buffer.from(await answer.arrayBuffer()) };
  };
  const folderOf = (id: number) => join(cameras.service().dataDir, 'recordings', String(id));

  /** A recorded job that has ended. Its camera sent the clip once. */
  async function recordedJob(clip = CLIP): Promise<number> {
    const { url } = await rtsp(clip, () => ({ speed: 2 }));
    const stream = { streamUri: url, segmentSize: 20, recording: { days: 1 } };
    const id = await submit(url, { stream });
    await becomes(id, 'TERMINATED');
    return id;
  }

  async function clipOf(id: number, query: string): Promise<CodedClip> {
    const { status, bytes } = await get(`/rest/streaming/jobs/${id}/recordings/clip.mp4?${query}`);
    expect(status).to.equal(200);
    const path = join(cameras.service().dataDir, `clip-${id}.mp4`);
    await writeFile(path, bytes);
    return accessUnits(path);
  }

  const filesOf = (id: number) => recordedFiles(folderOf(id));

  /** The number of the sent frame that a snapshot shows. */
  async function shownFrame(id: number, query: string, sent: readonly Uint8Array[]): Promise<number> {
    const { status, bytes } = await get(`/rest/streaming/jobs/${id}/recordings/snapshot.jpg?${query}`);
    expect(status, query).to.equal(200);
    const path = join(cameras.service().dataDir, `snapshot-${id}.jpg`);
    await writeFile(path, bytes);
    const { data } = await readImage(path);
    const differences = sent.map((frame) => differenceOf(frame, data));
    return differences.indexOf(Math.min(...differences));
  }

  it('gives clips that equal what the camera has sent, picture by picture', async () => {
    const id = await recordedJob();
    const { stretches, bytes } = await list(id);
    expect(stretches).to.have.lengthOf(1);
    expect(stretches[0]).to.include({ startFrame: 0, stopFrame: 99 });
    expect(bytes).to.be.greaterThan(1_000);
    expect((await info(id))['recording']).to.deep.equal({ days: 1, bytes: 20_000_000_000 });
    const [{ startTime, stopTime } = { startTime: '', stopTime: '' }] = stretches;
    const query = `start=${encodeURIComponent(startTime)}&stop=${encodeURIComponent(stopTime)}`;
    const whole = await clipOf(id, query);
    expect(picturesOf(whole)).to.deep.equal(picturesOf(CLIP));
    expect(times(whole)).to.deep.equal(times(CLIP));
  });

  it('waits for the end of a clip that is not recorded yet', async () => {
    const { url } = await rtsp(LONG, () => ({ speed: 1 }));
    const id = await submit(url, { stream: { streamUri: url, segmentSize: 20, recording: {} } });
    await until('some frames are decoded', async () => (await info(id)).frames.read, (read) => read >= 10, WAIT); // oxfmt-ignore
    const [start, stop] = [-60_000, 2_500].map((ms) => new Date(Date.now() + ms).toISOString());
    const clip = await clipOf(id, `start=${start}&stop=${stop}`);
    // The camera had sent less than that when the clip was requested.
    expect(times(clip).at(-1)).to.be.at.least(2_500);
    await becomes(id, 'TERMINATED');
  });

  it('keeps what came last when the job is cancelled', async () => {
    const { url } = await rtsp(CLIP, () => ({ speed: 2, after: 'stall' }));
    const stream = { streamUri: url, segmentSize: 20, recording: {} };
    const id = await submit(url, { stream, stallTimeout: -1 });
    const decoded = async () => (await info(id)).frames.read;
    await until('most frames are decoded', decoded, (read) => read >= 90, WAIT);
    await cameras.service().ask('POST', `/rest/streaming/jobs/${id}/cancel`);
    await becomes(id, 'CANCELLED');
    expect((await list(id)).stretches[0]!.stopFrame).to.be.greaterThan(85);
  });

  it('begins a clip of some frames with the key picture before them', async () => {
    const id = await recordedJob();
    const some = await clipOf(id, 'startFrame=30&stopFrame=40');
    const all = picturesOf(CLIP);
    const found = picturesOf(some);
    const first = all.findIndex((picture) => picture[0] === found[0]?.[0]);
    const isKey = ({ nals }: CodedClip['units'][number]) => nals.some((nal) => (nal[0]! & 0x1f) === 5);
    expect(first).to.equal(CLIP.units.slice(0, 31).findLastIndex(isKey));
    expect(found).to.deep.equal(all.slice(first, first + found.length));
    expect(first + found.length).to.be.within(39, 46);
  });

  it('answers parts of a clip, pictures of a moment, and what is not recorded', async () => {
    const id = await recordedJob();
    const path = `/rest/streaming/jobs/${id}/recordings`;
    const whole = await get(`${path}/clip.mp4?startFrame=0&stopFrame=99`);
    const part = await get(`${path}/clip.mp4?startFrame=0&stopFrame=99`, { range: 'bytes=100-5000' });
    expect(part.status).to.equal(206);
    expect(part.bytes.equals(whole.bytes.subarray(100, 5_001))).to.equal(true);
    const jpeg = await get(`${path}/snapshot.jpg?frame=50`);
    expect(jpeg.status).to.equal(200);
    expect(jpeg.bytes.subarray(0, 2).toString('hex')).to.equal('ffd8');
    expect((await get(`${path}/snapshot.jpg?at=2001-01-01T00:00:00Z`)).status).to.equal(404);
    expect((await get(`${path}/clip.mp4`)).status).to.equal(400);
    expect((await get(`/rest/streaming/jobs/999999/recordings`)).status).to.equal(400);
  });

  it('gives the picture of a frame or of a time, and no other', async () => {
    const id = await recordedJob();
    const sent = await sentFrames();
    const [{ startTime } = { startTime: '' }] = (await list(id)).stretches;
    const timeOf = (frame: number) => new Date(Date.parse(startTime) + frame * 40).toISOString();
    for (const frame of [0, 33, 50, 99])
      for (const query of [`frame=${frame}`, `at=${timeOf(frame)}`])
        expect(await shownFrame(id, query, sent), query).to.equal(frame);
  });

  it('skips a file that is cut off, and gives what is whole before or after it', async () => {
    const [, second] = fileStarts(LONG);
    for (const [cutOff, left] of [
      [0, [second, 200]],
      [1, [0, second]],
    ] as const) {
      const id = await recordedJob(LONG);
      const files = await filesOf(id);
      expect(files).to.have.lengthOf(2);
      await truncate(files[cutOff]!, 3_000);
      const found = picturesOf(await clipOf(id, 'startFrame=0&stopFrame=199'));
      expect(found, `without file ${cutOff}`).to.deep.equal(picturesOf(LONG).slice(...left));
    }
  });

  it('has no clip when its only file is cut off, and removes all files with the job', async () => {
    const id = await recordedJob();
    const files = await filesOf(id);
    expect(files).to.have.lengthOf(1);
    await truncate(files[0]!, 3_000);
    const { status } = await get(`/rest/streaming/jobs/${id}/recordings/clip.mp4?startFrame=0&stopFrame=99`);
    expect(status).to.equal(404);
    await cameras.service().ask('DELETE', `/rest/streaming/jobs/${id}`);
    await until(
      'the files are gone',
      async () => existsSync(folderOf(id)),
      (there) => !there,
      WAIT,
    );
  });

  it('links each event to a clip that shows it', async () => {
    const sent = accessUnits(sample('face_move.mp4'));
    const { url } = await rtsp(sent, () => ({ speed: 0.5 }));
    const zones = [{ name: 'all', points: [[0, 0], [1, 0], [1, 1], [0, 1]] }]; // oxfmt-ignore
    const id = await submit(url, {
      stream: { streamUri: url, segmentSize: 20, recording: {} },
      ...{ zones, events: { kinds: ['TRACK'] } },
      ...{ pipelineName: 'FACE DETECTION PIPELINE', jobProperties: { FRAME_INTERVAL: '3' } },
    });
    await becomes(id, 'TERMINATED');
    const { body } = await cameras.service().ask('GET', `/rest/streaming/jobs/${id}/zone-events`);
    const { events } = body as { events: readonly { event: string; clip: string }[] };
    const began = events.filter(({ event }) => event === 'trackBegan');
    expect(began.length).to.be.greaterThan(0);
    // The stream is shorter than the recorded time around an event.
    for (const { clip } of began)
      expect(picturesOf(await clipOf(id, clip.slice(clip.indexOf('?') + 1)))).to.deep.equal(picturesOf(sent));
  });

  it('saves a clip with troupe streams clip, and says why there is none', async () => {
    const id = await recordedJob();
    const [{ startTime, stopTime } = { startTime: '', stopTime: '' }] = (await list(id)).stretches;
    const { url, token } = cameras.service();
    const place = new Place({ warm: true });
    const clip = (from: string, to: string) =>
      place.troupe(['streams', 'clip', String(id), '--from', from, '--to', to, '--output', 'clip.mp4'], {
        TROUPE_URL: url,
        TROUPE_TOKEN: token,
      });
    try {
      const { code, stderr } = await clip(startTime, stopTime);
      expect(code, stderr).to.equal(0);
      expect(picturesOf(accessUnits(join(place.folder, 'clip.mp4')))).to.deep.equal(picturesOf(CLIP));
      const none = await clip('2001-01-01T00:00Z', '2001-01-01T00:01Z');
      expect([none.code, none.stderr]).to.deep.equal([2, 'Nothing is recorded of that time. GET .../recordings lists what there is.\n']); // oxfmt-ignore
    } finally {
      await place.leave();
    }
  });

  it('leaves the answers about a stream without a recording as they are', async () => {
    const { url } = await rtsp(CLIP, () => ({ speed: 8 }));
    const id = await submit(url);
    await becomes(id, 'TERMINATED');
    expect(await info(id)).not.to.have.property('recording');
    expect(await list(id)).to.deep.equal({ bytes: 0, stretches: [] });
    expect((await get(`/rest/streaming/jobs/${id}/recordings/clip.mp4?startFrame=0`)).status).to.equal(404);
  });
});
