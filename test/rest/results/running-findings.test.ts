/** Results of a running job: GET /rest/jobs/{id}/media and the paths below it. */
import { expect } from 'chai';
import type { AnswerTo, MediaPage, Question, ViewedMedium } from '../../../domain/tracks/viewing.ts';
import { paintedNumber } from '../../media/support/painted-number.ts';
import { FRAMES, HELD, heldJob, STAGE, variableAt } from '../../support/held-job.ts';
import { Service } from '../../support/processes/service.ts';
import { until } from '../../support/until.ts';

type Boxes = AnswerTo<Extract<Question, { kind: 'boxes' }>>;
type Tracks = AnswerTo<Extract<Question, { kind: 'tracks' }>>;
type Lanes = AnswerTo<Extract<Question, { kind: 'lanes' }>>;

const get = async <T>(service: Service, path: string): Promise<T> => {
  const answer = await until(
    `an answer to ${path}`,
    () => service.ask('GET', path),
    ({ status }) => status !== 503,
  );
  expect(answer.status, answer.text).to.equal(200);
  return answer.body as T;
};

const firstMedium = async (service: Service, job: string): Promise<ViewedMedium> =>
  (await get<MediaPage>(service, `/rest/jobs/${job}/media`)).media[0]!;

const untilHeld = (service: Service, job: string) =>
  until(
    'the first pieces are done',
    () => firstMedium(service, job),
    ({ partial }) => partial?.actions[0]?.done[0]?.stop === HELD - 1,
  );

describe('What a running job has found so far', () => {
  let service: Service;
  before(async () => {
    service = await Service.openShared();
  });
  after(() => service.close());

  for (const [rate, name, at] of [
    ['constant', 'running.mp4', undefined],
    ['variable', 'running.mkv', variableAt],
  ] as const)
    it(`equals what its document tells of the same frames, at a ${rate} rate`, async () => {
      const { job, release } = await heldJob(service, name, at);
      const medium = await untilHeld(service, job);
      expect(medium).to.include({
        n: 0,
        status: 'IN_PROGRESS',
        mediaType: 'VIDEO',
        length: FRAMES,
        tracks: 3,
      });
      expect(medium.partial).to.deep.equal({
        percent: 60,
        actions: [
          {
            ...{ task: 'STAGED TASK', action: 'STAGED ACTION', state: 'RUNNING', percent: 60 },
            ...{ unit: 'FRAMES', done: [{ start: 0, stop: HELD - 1 }] },
          },
        ],
      });
      const { remaining } = (await service.detailedJob(job))!;
      expect(remaining?.atLeast).to.equal(false);
      expect(remaining?.seconds).to.be.within(1, 600);
      const path = `/rest/jobs/${job}/${await service.placeOf(job)}`;
      const boxes = await get<Boxes>(service, `${path}/boxes`);
      const tracks = await get<Tracks>(service, `${path}/tracks`);
      const lanes = await get<Lanes>(service, `${path}/lanes`);
      expect(boxes.partial).to.deep.equal(medium.partial);
      expect(tracks.partial).to.deep.equal(medium.partial);
      expect(lanes[0]?.partial).to.deep.equal(medium.partial?.actions[0]);
      const page = await get<Boxes>(service, `${path}/boxes?limit=5`);
      expect(page.boxes).to.deep.equal(boxes.boxes.slice(0, 5));

      release();
      await service.terminal(job);
      const final = await get<Boxes>(service, `${path}/boxes?toFrame=${HELD - 1}`);
      expect(final).not.to.have.property('partial');
      expect(boxes.boxes).to.have.length(24).and.deep.equal(final.boxes);
      const all = await get<Tracks>(service, `${path}/tracks`);
      // Artifacts are extracted at the end of the action.
      const done = all.tracks.filter(({ stopFrame }) => stopFrame < HELD);
      expect(tracks.tracks).to.deep.equal(done.map((track) => ({ ...track, artifact: null })));
      // The last track is stored in two parts.
      expect((await firstMedium(service, job)).tracks).to.equal(STAGE.length + 1);
    });

  it('has pictures of exactly the frames that it names', async () => {
    const { job, release } = await heldJob(service, 'pictures.mkv', variableAt);
    try {
      await untilHeld(service, job);
      const { tracks } = await get<Tracks>(service, `/rest/jobs/${job}/${await service.placeOf(job)}/tracks`);
      for (const { exemplarFrame } of tracks) {
        const path = `/rest/jobs/${job}/${await service.placeOf(job)}/frames/${exemplarFrame}.jpg`;
        const response = await fetch(`${service.url}${path}`, {
          headers: { authorization: `Bearer ${service.token}` },
        });
        expect(response.status).to.equal(200);
        const number = await paintedNumber(Buffer.from(await response.arrayBuffer()), FRAMES);
        expect(number).to.equal(exemplarFrame);
      }
    } finally {
      release();
    }
    await service.terminal(job);
  });

  it('is nothing while no part is done, and 404 for a medium that the job does not have', async () => {
    const { job, release } = await heldJob(service, 'later.mp4');
    const place = await service.placeOf(job);
    const { boxes, toFrame } = await get<Boxes>(service, `/rest/jobs/${job}/${place}/boxes?toFrame=9`);
    expect({ boxes, toFrame }).to.deep.equal({ boxes: [], toFrame: 9 });
    const other = await service.ask('GET', `/rest/jobs/${job}/media/0/boxes`);
    expect(other.status).to.equal(404);
    expect(other.text).to.include(`It has ${place.replace('media/', '')}.`);
    const { media, total } = await get<MediaPage>(service, `/rest/jobs/${job}/media?offset=1`);
    expect({ media, total }).to.deep.equal({ media: [], total: 1 });
    release();
    await service.terminal(job);
  });
});

describe('What a running job has found before kill -9', () => {
  let service: Service;
  before(async () => {
    service = await Service.start();
  });
  after(() => service.close());

  it('is there after the restart, and what comes later is added', async () => {
    const { job, release } = await heldJob(service, 'killed.mp4');
    await untilHeld(service, job);
    const path = `/rest/jobs/${job}/${await service.placeOf(job)}/boxes`;
    const before = await get<Boxes>(service, path);
    expect(before.boxes).to.have.length(24);
    await service.kill9();
    await service.start();
    expect(await get<Boxes>(service, path)).to.deep.equal(before);
    release();
    await service.terminal(job);
    const after = await get<Boxes>(service, path);
    expect(after.boxes.slice(0, 24)).to.deep.equal(before.boxes);
    expect(after.boxes).to.have.length(40);
  });
});
