/** kill -9 of the server while a camera is recorded. */
import { copyFile, truncate, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { fragmentName, fragmentOf } from '../../../protocol/stream-fragments.ts';
import { rtsp } from '../../media/live/live-watching.ts';
import { accessUnits, type CodedClip } from '../../support/media/coded-media.ts';
import { Service } from '../../support/processes/service.ts';
import { until } from '../../support/until.ts';
import { serviceWithCameras, WAIT } from '../cameras-support.ts';
import { codeClip, fileStarts, picturesOf, recordedFiles } from './recordings-support.ts';

interface Stretch {
  readonly startTime: string;
  readonly stopTime: string;
  readonly startFrame: number | null;
  readonly stopFrame: number | null;
}

/** In frames. */
const SEGMENT = 20;
/** Gaps of a recording that are longer than this are listed. */
const PAUSE_MS = 2_200;
const CAMERA: CodedClip = codeClip(300);
const STARTS = fileStarts(CAMERA);

describe('a recording during kill -9', function () {
  this.timeout(120_000);
  const { service, submit, becomes, clear } = serviceWithCameras((env) => Service.start(env));
  afterEach(clear);

  const folderOf = (id: number) => join(service().dataDir, 'recordings', String(id));
  const stretchesOf = async (id: number) => {
    const { body } = await service().ask('GET', `/rest/streaming/jobs/${id}/recordings`);
    return (body as { stretches: readonly Stretch[] }).stretches;
  };
  const hasStretches = (id: number, count: number) =>
    until(
      `${count} stretches are recorded`,
      () => stretchesOf(id),
      ({ length }) => length >= count,
      WAIT,
    );

  async function clipOf(id: number, query: string): Promise<CodedClip> {
    const { url, token } = service();
    const answer = await fetch(`${url}/rest/streaming/jobs/${id}/recordings/clip.mp4?${query}`, {
      headers: { authorization: `Bearer ${token}` },
    });
    expect(answer.status).to.equal(200);
    const path = join(service().dataDir, `clip-${id}.mp4`);
    await writeFile(path, Buffer.from(await answer.arrayBuffer()));
    return accessUnits(path);
  }

  /** Simulates the files of a server that died while it received the next file. */
  async function leaveUnfinished(id: number): Promise<void> {
    const [last = ''] = (await filesOf(id)).toReversed();
    const fragment = fragmentOf(last.slice(last.lastIndexOf('/') + 1, -'.mp4'.length))!;
    const { at, position, durationMs } = fragment;
    const next = { ...fragment, at: at + durationMs, position: position * 2 + 1 };
    const part = join(dirname(last), `${fragmentName(next)}.mp4.part`);
    await copyFile(last, part);
    await truncate(part, 3_000);
  }

  const filesOf = (id: number) => recordedFiles(folderOf(id));

  it('resumes after the restart, and gives clips across the gap without unfinished files', async () => {
    const { url } = await rtsp(CAMERA, () => ({ speed: 1, after: 'stall' }));
    const id = await submit(url, { stallTimeout: -1, stream: { streamUri: url, segmentSize: SEGMENT, recording: {} } }); // oxfmt-ignore
    await hasStretches(id, 1);
    await service().kill9();
    const before = await filesOf(id);
    await leaveUnfinished(id);
    await pause(PAUSE_MS);
    await service().start();
    const [first, second] = await hasStretches(id, 2);
    const lost = STARTS[before.length]!;
    expect(first!.stopFrame).to.equal(lost - 1);
    // The next attempt begins with the segment that was not reported.
    expect(second!.startFrame).to.be.greaterThan(0);
    expect(second!.startFrame! % SEGMENT).to.equal(0);
    await service().ask('POST', `/rest/streaming/jobs/${id}/cancel`);
    await becomes(id, 'CANCELLED');

    const stretches = await stretchesOf(id);
    expect(stretches).to.have.lengthOf(2);
    const [from, to] = [stretches[0]!.startTime, stretches[1]!.stopTime].map(encodeURIComponent);
    const clip = await clipOf(id, `start=${from}&stop=${to}`);
    const sent = picturesOf(CAMERA);
    const again = clip.units.length - lost;
    expect(again).to.be.at.least(STARTS[1]!);
    expect(picturesOf(clip)).to.deep.equal([...sent.slice(0, lost), ...sent.slice(0, again)]);
    const gapMs = clip.units[lost]!.ptsMs - clip.units[0]!.ptsMs;
    const listedMs = Date.parse(stretches[1]!.startTime) - Date.parse(stretches[0]!.startTime);
    // Times within one connection follow the clock of the camera, not that of the server.
    expect(gapMs).to.be.within(listedMs - 500, listedMs + 500);
  });
});
