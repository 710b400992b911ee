/** Frames that the server decodes for components that cannot decode video. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { expect } from 'chai';
import sharp from 'sharp';
import type { FrameTable } from '../../domain/frames/frame-runs.ts';
import { timesOfRuns } from '../support/frame-times.ts';
import { makeVideo } from '../media/support/make-video.ts';
import { paintedNumber } from '../media/support/painted-number.ts';
import { RawComponent, type Detect } from '../support/processes/raw-component.ts';
import { sampleUri, Service } from '../support/processes/service.ts';

const FRAMES = 45;

describe('The frames of the medium of a sub-job', () => {
  let service: Service;
  let component: RawComponent;
  const jobs: string[] = [];
  before(async () => {
    service = await Service.here({ CANCEL_GRACE_MS: '100', MAX_LEASE_FRAMES: '2' });
    component = new RawComponent(service);
  });
  afterEach(async () => {
    for (const id of jobs.splice(0)) {
      await service.cancel(id);
      await service.terminal(id);
    }
  });
  after(() => service.close());

  async function claimWork(medium: string): Promise<Detect> {
    const id = await service.submit({ media: [medium], pipelineName: 'ABSENT PIPELINE' });
    jobs.push(id);
    return component.claimOf(id, 'ABSENT');
  }
  const video = () => {
    const path = join(service.mediaDir, 'video.mp4');
    makeVideo(path, { frames: FRAMES, gop: 30, bFrames: 2 });
    return pathToFileURL(path).href;
  };
  const get = async (token: string, rest: string, headers: Readonly<Record<string, string>> = {}) => {
    const answer = await fetch(
      `${service.url}/worker/v1/leases/${token}/frames${rest === '' ? '' : `/${rest}`}`,
      {
        headers: { authorization: `Bearer ${service.token}`, ...headers },
      },
    );
    const body = Buffer.from(await answer.arrayBuffer());
    return { status: answer.status, type: answer.headers.get('content-type'), body };
  };
  const table = (token: string, headers = {}) => get(token, '', headers);
  const describeAnswer = ({ status, body }: { status: number; body: Buffer }) =>
    `${status} ${body.toString()}`;

  it('are exactly those of these numbers, as JPEG or PNG', async () => {
    const { token } = await claimWork(video());
    for (const frame of [17, 0, 44, 29]) {
      const { status, type, body } = await get(token, String(frame));
      expect([status, type, await paintedNumber(body, FRAMES)]).to.deep.equal([200, 'image/jpeg', frame]);
    }
    const { status, type, body } = await get(token, '17?format=png');
    expect([status, type, (await sharp(body).metadata()).format]).to.deep.equal([200, 'image/png', 'png']);
    expect(await paintedNumber(body, FRAMES)).to.equal(17);
  });

  it('are shown at the times that the table tells', async () => {
    const at = (frame: number) => frame * 40 + (frame > 20 ? 700 : 0);
    const path = join(service.mediaDir, 'uneven.mkv');
    makeVideo(path, { frames: FRAMES, bFrames: 2, at });
    const { token } = await claimWork(pathToFileURL(path).href);
    const { status, type, body } = await table(token);
    expect([status, type]).to.deep.equal([200, 'application/json; charset=utf-8']);
    const { frames, constantRate, runs } = JSON.parse(body.toString()) as FrameTable;
    const times = timesOfRuns(runs);
    expect([frames, constantRate]).to.deep.equal([FRAMES, false]);
    expect(times).to.deep.equal(Array.from({ length: FRAMES }, (_, frame) => at(frame)));
    expect((await table(token, { 'troupe-instance': 'another' })).status).to.equal(409);
  });

  it('lie as in the medium: one that is turned is not made upright', async () => {
    const turned = join(service.mediaDir, 'turned.jpg');
    const picture = sharp(fileURLToPath(sampleUri('red-car.jpg')));
    const { width, height } = await picture.metadata();
    await picture.withMetadata({ orientation: 6 }).toFile(turned);
    const { token } = await claimWork(pathToFileURL(turned).href);
    const shown = await sharp((await get(token, '0?format=png')).body).metadata();
    expect([shown.width, shown.height]).to.deep.equal([width, height]);
  });

  it('are there for whoever holds the sub-job, up to the last, and of media that have some', async () => {
    const { token } = await claimWork(video());
    expect(describeAnswer(await get(token, '45'))).to.match(/^404 .*45 frame/);
    for (const wrong of ['-1', 'x', '1.5', '0?format=gif'])
      expect(describeAnswer(await get(token, wrong))).to.match(/^400 /);
    expect(describeAnswer(await get(token, '0', { 'troupe-instance': 'another' }))).to.match(/^409 /);
    const path = join(service.mediaDir, 'document.txt');
    await writeFile(path, 'a document');
    const document = await claimWork(pathToFileURL(path).href);
    expect(describeAnswer(await get(document.token, '0'))).to.match(/^404 .*no frames/);
    expect(describeAnswer(await table(document.token))).to.match(/^404 .*no frames/);
    await component.result(token, []);
    expect(describeAnswer(await get(token, '0'))).to.match(/^409 /);
  });

  it('are made for one sub-job two at a time, and the others are told to ask again', async () => {
    const { token } = await claimWork(video());
    const answers = await Promise.all([1, 2, 3, 4, 5, 6].map((frame) => get(token, String(frame))));
    const statuses = new Set(answers.map(({ status }) => status));
    expect([...statuses]).to.have.members([200, 503]);
    expect(describeAnswer(answers.find(({ status }) => status === 503)!)).to.include(
      'one sub-job may ask for 2 at a time',
    );
    expect((await get(token, '6')).status).to.equal(200);
  });
});
