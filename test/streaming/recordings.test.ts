import { existsSync } from 'node:fs';
import { readdir, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { rtsp } from '../media/live/live-watching.ts';
import { accessUnits, type CodedClip } from '../support/media/coded-media.ts';
import { Service } from '../support/processes/service.ts';
import { until } from '../support/until.ts';
import { CLIP, serviceWithCameras, WAIT } from './cameras-support.ts';

interface Listed {
  readonly bytes: number;
  readonly stretches: readonly {
    readonly startTime: string;
    readonly stopTime: string;
    readonly startFrame: number | null;
    readonly stopFrame: number | null;
  }[];
}

const pictures = ({ units }: CodedClip) =>
  units.map(({ nals }) =>
    nals.filter((nal) => ![6, 7, 8, 9].includes(nal[0]! & 0x1f)).map((nal) => nal.toString('base64')),
  );
const times = ({ units }: CodedClip) => units.map(({ ptsMs }) => Math.round(ptsMs - units[0]!.ptsMs));

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

  /** A job whose camera sends the clip once; it has ended, and is recorded. */
  async function recordedJob(): Promise<number> {
    const { url } = await rtsp(CLIP, () => ({ speed: 2 }));
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
    expect(pictures(whole)).to.deep.equal(pictures(CLIP));
    expect(times(whole)).to.deep.equal(times(CLIP));
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
    const all = pictures(CLIP);
    const found = pictures(some);
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

  it('skips a file that is cut off, and removes all files with the job', async () => {
    const id = await recordedJob();
    const [hour = ''] = await readdir(folderOf(id));
    const files = (await readdir(join(folderOf(id), hour))).toSorted();
    expect(files.length).to.be.greaterThan(0);
    await truncate(join(folderOf(id), hour, files[0]!), 3_000);
    const { status } = await get(`/rest/streaming/jobs/${id}/recordings/clip.mp4?startFrame=0&stopFrame=99`);
    expect(status).to.equal(files.length === 1 ? 404 : 200);
    await cameras.service().ask('DELETE', `/rest/streaming/jobs/${id}`);
    await until(
      'the files are gone',
      async () => existsSync(folderOf(id)),
      (there) => !there,
      WAIT,
    );
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
