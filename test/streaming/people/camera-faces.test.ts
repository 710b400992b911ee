/** FACE EMBEDDING on cameras: real camera protocols, networks and processes, from the picture to the search. */
import { expect } from 'chai';
import { sharp } from '../../../media/picture/sharp.ts';
import { sample } from '../../components/models/recorded-media.ts';
import { rtsp } from '../../media/live/live-watching.ts';
import { accessUnits, jpegOf } from '../../support/media/coded-media.ts';
import { jpegOver } from '../../support/media/rtp-pictures.ts';
import { sampleUri, Service } from '../../support/processes/service.ts';
import { until } from '../../support/until.ts';
import { serviceWithCameras, WAIT } from '../cameras-support.ts';

const PIPELINE = 'FACE EMBEDDING PIPELINE';
const SEGMENT = 10;
const FRAME_MS = 500;
/** Frames with the face, and without it, so that it comes again as another track. */
const [SHOWN, HIDDEN] = [14, 6];
const FRAMES = 400;

interface Hit {
  readonly jobId: string;
  readonly mediaId: number;
  readonly trackId: string;
  readonly vectorModel: string | null;
  readonly similarity?: number;
  readonly person: { readonly id: string; readonly name: string | null } | null;
  readonly stream: { readonly streamUri: string } | null;
}
interface Person {
  readonly id: string;
  readonly name: string | null;
  readonly tracks: number;
}
interface Seen {
  readonly jobId: string;
  readonly mediaId: number;
  readonly trackId: string;
  readonly stream: { readonly streamUri: string; readonly startDate: string } | null;
  readonly frameUrl: string;
}

/** A photo of the astronaut, and grey pictures between. */
async function comingAndGoing() {
  const { data, info } = await sharp(sample('astronaut.png')).removeAlpha().toColourspace('srgb').raw().toBuffer({ resolveWithObject: true }); // oxfmt-ignore
  const { width, height } = info;
  const photo = jpegOf(data, width, height);
  const grey = jpegOf(Buffer.alloc(width * height * 3, 0x70), width, height);
  const isShown = (n: number) => n % (SHOWN + HIDDEN) < SHOWN;
  const frames = Array.from({ length: FRAMES }, (_, n) => ({ dueMs: n * FRAME_MS, data: isShown(n) ? photo : grey })); // oxfmt-ignore
  return jpegOver(frames);
}

describe('Faces of a camera with FACE EMBEDDING', function () {
  this.timeout(300_000);
  const { service, clear, submit, info, moreSegments, becomes } = serviceWithCameras((env) =>
    Service.start({ ...env, FACE_EMBEDDING: 'true' }),
  );
  afterEach(() => clear());

  const ask = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const answer = await service().ask(method, path, body);
    expect(answer.status, answer.text).to.be.within(200, 204);
    return answer.body as T;
  };
  const watch = async () => {
    const pictures = await comingAndGoing();
    const { url } = await rtsp(accessUnits(sample('face_move.mp4')), () => ({ ...pictures, speed: 1, after: 'stall' })); // oxfmt-ignore
    const stream = { streamUri: url, segmentSize: SEGMENT };
    const id = await submit(url, { pipelineName: PIPELINE, stallTimeout: -1, jobProperties: {}, stream });
    return { id, url };
  };
  const people = async (query = '') => (await ask<{ people: readonly Person[] }>('GET', `/rest/people${query}`)).people; // oxfmt-ignore
  const seenIn = async (id: string) => (await ask<{ tracks: readonly Seen[] }>('GET', `/rest/people/${id}`)).tracks; // oxfmt-ignore
  const hitsOf = async (query: string) => (await ask<{ hits: readonly Hit[] }>('GET', `/rest/search?${query}`)).hits; // oxfmt-ignore
  const similar = async (like: object) => (await ask<{ hits: readonly Hit[] }>('POST', '/rest/search/similar', like)).hits; // oxfmt-ignore
  const photograph = async () => {
    const job = await service().submit({ pipelineName: PIPELINE, media: [sampleUri('astronaut.png')] });
    await service().terminal(job);
    const [person] = await until(
      'the face of the photograph is in a group',
      () => people(`?job=${job}`),
      (found) => found.length > 0,
    );
    return { job, person: person! };
  };

  it('are found by a photograph, and belong to the person of the photograph', async () => {
    const { job, person } = await photograph();
    await ask('PATCH', `/rest/people/${person.id}`, { name: 'Eileen' });
    const { id, url } = await watch();
    const [camera] = await until(
      'a track of the camera has a vector',
      () => hitsOf(`camera=${id}&type=FACE`),
      (hits) => hits.some(({ vectorModel }) => vectorModel !== null),
      WAIT,
    );
    expect(camera!.stream?.streamUri).to.equal(url);
    const byBox = { mediaUri: sampleUri('astronaut.png'), box: { x: 100, y: 0, width: 300, height: 300 } };
    for (const like of [byBox, { jobId: job, ...(await placeIn(job)) }]) {
      const hits = await similar({ ...like, filter: { camera: String(id) } });
      expect(hits[0], JSON.stringify(like)).to.include({
        jobId: String(id),
        vectorModel: 'face-recognition@1',
      });
      expect(hits[0]!.similarity).to.be.above(0.9);
    }
    const { trackId } = camera!;
    const back = await similar({ jobId: String(id), mediaId: 0, trackId, filter: { job } });
    expect(back[0]).to.include({ jobId: job });
    const tracks = await until(
      'two tracks of the camera belong to the person',
      () => seenIn(person.id),
      (seen) => seen.filter(({ stream }) => stream !== null).length > 1,
      WAIT,
    );
    expect(new Set(tracks.map(({ jobId }) => jobId))).to.deep.equal(new Set([job, String(id)]));
    const ofCamera = tracks.find(({ stream }) => stream !== null)!;
    expect(ofCamera.stream?.streamUri).to.equal(url);
    expect(ofCamera.frameUrl).to.match(new RegExp(`^/rest/streaming/jobs/${id}/recordings/snapshot`));
    const [named] = await hitsOf(`person=eileen&camera=${id}`);
    expect(named!.person).to.deep.equal({ id: person.id, name: 'Eileen' });
  });

  it('do not bring back the name of a person who is forgotten while the stream runs', async () => {
    const { id } = await watch();
    const [person] = await until(
      'the camera has shown a person',
      () => people(`?job=${id}`),
      (found) => found.length > 0,
      WAIT,
    );
    await ask('PATCH', `/rest/people/${person!.id}`, { name: 'Mae' });
    const forgotten = (await seenIn(person!.id)).map(({ jobId, mediaId, trackId }) => ({ jobId, mediaId, trackId })); // oxfmt-ignore
    await ask('DELETE', `/rest/people/${person!.id}`);
    expect((await service().ask('GET', `/rest/people/${person!.id}`)).status).to.equal(404);
    expect(await hitsOf('person=mae')).to.deep.equal([]);
    const { segments } = await info(id);
    await moreSegments(id, segments + 3);
    const [next] = await until(
      'later faces are a new person',
      () => people(`?job=${id}`),
      (found) => found.length > 0,
      WAIT,
    );
    expect([next!.name, next!.id === person!.id]).to.deep.equal([null, false]);
    const tracks = (await seenIn(next!.id)).map(({ trackId }) => trackId);
    for (const { trackId } of forgotten) expect(tracks).to.not.include(trackId);
    expect(await people('?name=mae')).to.deep.equal([]);
    const alike = await similar({ jobId: String(id), mediaId: 0, trackId: tracks[0]!, limit: 100 });
    for (const like of forgotten) {
      expect(alike.map(({ trackId }) => trackId)).to.not.include(like.trackId);
      expect((await service().ask('POST', '/rest/search/similar', like)).status).to.equal(409);
    }
    for (const { trackId, person: of } of await hitsOf(`camera=${id}&type=FACE`))
      expect(of?.name ?? null, trackId).to.equal(null);
    // The restart adds no segment again, and a new index adds all of them.
    await service().kill9();
    await service().start();
    expect((await service().ask('POST', '/rest/search/rebuild')).status).to.equal(202);
    await until('the new index has the camera', async () => {
      const { status, body } = await service().ask('GET', `/rest/search?camera=${id}`);
      return status === 200 && (body as { hits: readonly Hit[] }).hits.length > 0;
    }, Boolean, WAIT); // oxfmt-ignore
    expect(await people('?name=mae')).to.deep.equal([]);
    const after = (await seenIn(next!.id)).map(({ trackId }) => trackId);
    for (const { trackId } of forgotten) expect(after).to.not.include(trackId);
    await ask('POST', `/rest/streaming/jobs/${id}/cancel`);
    await becomes(id, 'CANCELLED');
    await ask('DELETE', `/rest/streaming/jobs/${id}`);
    await until('its faces are gone', () => people(`?job=${id}`), (found) => found.length === 0, WAIT); // oxfmt-ignore
  });

  it('have no vectors in a stream without FACE_EMBEDDING', async () => {
    await service().stop();
    await service().start({ FACE_EMBEDDING: 'false' });
    const { status, text } = await service().ask('POST', '/rest/streaming/jobs', {
      ...{ enableOutputToDisk: false, stallTimeout: 0, pipelineName: PIPELINE },
      stream: { streamUri: 'rtsp://camera.example/live', segmentSize: SEGMENT },
    });
    expect([status, text.includes('FACE EMBEDDING')]).to.deep.equal([400, true]);
    await service().stop();
    await service().start({ FACE_EMBEDDING: 'true' });
  });

  async function placeIn(job: string) {
    const [hit] = await hitsOf(`job=${job}&type=FACE`);
    return { mediaId: hit!.mediaId, trackId: hit!.trackId };
  }
});
