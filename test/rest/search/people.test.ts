/** Named people and their faces in real pictures, with the whole service. */
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { expect } from 'chai';
import { sampleUri, Service } from '../../support/processes/service.ts';
import { story } from '../../support/story.ts';
import { Agent } from '../../mcp/agent.ts';
import { ownToken } from '../../support/tokens.ts';
import { until } from '../../support/until.ts';

interface Person {
  readonly id: string;
  readonly name: string | null;
  readonly tracks: number;
  readonly face: Occurrence;
}
interface Occurrence {
  readonly jobId: string;
  readonly mediaId: number;
  readonly mediaUri: string;
  readonly trackId: string;
  readonly frameUrl: string;
}
interface People {
  readonly people: readonly Person[];
  readonly total: number;
  readonly grouping: boolean;
  readonly complete: boolean;
}

const PIPELINE = { pipelineName: 'FACE EMBEDDING PIPELINE', jobProperties: { FACES_PER_TRACK: '2' } };
const ASTRONAUT = [sampleUri('astronaut.png'), sampleUri('face_move.mp4')];
const STREAM = { enableOutputToDisk: false, stallTimeout: -1, pipelineName: PIPELINE.pipelineName };
const HOPPER = sampleUri('grace_hopper_512x512.jpg');

/** The fields that identify the track of a hit. */
function namesOf(hit: object): object {
  const { jobId, mediaId, trackId } = hit as Occurrence;
  return { jobId, mediaId, trackId };
}

story('People in the media of jobs', 'each test changes the same few people', function () {
  this.timeout(120_000);
  let service: Service;
  let first: string;
  before(async () => {
    service = new Service();
    await service.start({ FACE_EMBEDDING: 'true' });
    first = await service.submit({ ...PIPELINE, media: [...ASTRONAUT, HOPPER] });
  });
  after(() => service.close());

  const ask = (method: string, path: string, body?: unknown) => service.ask(method, path, body);
  const personOf = async (method: string, path: string, body: unknown) => {
    const answer = await ask(method, path, body);
    return { status: answer.status, body: answer.body as Person };
  };
  const list = async (query = '') => (await ask('GET', `/rest/people${query}`)).body as People;
  const seen = (what: string, isSo: (found: People) => boolean) => until(what, () => list(), isSo);
  const tracksOf = async (id: string) =>
    ((await ask('GET', `/rest/people/${id}`)).body as { tracks: readonly Occurrence[] }).tracks;

  it('are two in a picture and a video of an astronaut and a portrait of Grace Hopper', async () => {
    await service.terminal(first);
    const { people, grouping } = await seen('three faces are in groups', ({ people: found }) =>
      found.some(({ tracks }) => tracks === 2),
    );
    expect(grouping).to.equal(true);
    expect((await list(`?job=${first}`)).complete).to.equal(true);
    expect(people.map(({ tracks }) => tracks)).to.deep.equal([2, 1]);
    const [astronaut, hopper] = people;
    expect((await tracksOf(astronaut!.id)).map(({ mediaUri }) => mediaUri).toSorted()).to.deep.equal(
      ASTRONAUT,
    );
    expect(hopper!.face.mediaUri).to.equal(HOPPER);
    const { media } = (await ask('GET', `/rest/jobs/${first}/media`)).body as {
      media: readonly { people: number | null }[];
    };
    expect(media.map(({ people: found }) => found)).to.deep.equal([1, 1, 1]);
    const { text } = await ask('GET', '/metrics');
    expect(text).to.match(/^troupe_people 2$/m).and.match(/^troupe_people_faces 3$/m); // oxfmt-ignore
    expect(text).to.match(/^troupe_people_faces_waiting 0$/m);
    const picture = await service.ask('GET', hopper!.face.frameUrl);
    expect([picture.status, picture.headers.get('content-type')]).to.deep.equal([200, 'image/jpeg']);
  });

  it('keep their names after kill -9, and another job adds to them', async () => {
    const [astronaut] = (await list()).people;
    const named = await personOf('PATCH', `/rest/people/${astronaut!.id}`, { name: ' Eileen ' });
    expect([named.status, named.body.name]).to.deep.equal([200, 'Eileen']);
    const second = await service.submit({ ...PIPELINE, media: ASTRONAUT });
    await service.terminal(second);
    await service.kill9();
    await service.start();
    const found = await seen('the faces of the second job are in groups', ({ people }) =>
      people.some(({ tracks }) => tracks === 4),
    );
    expect(found.people.map(({ name, tracks }) => [name, tracks])).to.deep.equal([
      ['Eileen', 4],
      [null, 1],
    ]);
    expect((await list('?name=eile')).total).to.equal(1);
    expect((await list(`?job=${second}`)).people.map(({ id }) => id)).to.deep.equal([astronaut!.id]);
    await service.ask('DELETE', `/rest/jobs/${second}`);
    await seen('the second job has left', ({ people }) => people[0]?.tracks === 2);
  });

  it('are named in hits of the search, also to agents', async () => {
    const [named, other] = (await list()).people;
    const { body } = await ask('GET', `/rest/search?type=FACE&job=${first}`);
    const { hits } = body as { hits: readonly { mediaUri: string; person: object | null }[] };
    const shown = new Map(hits.map(({ mediaUri, person }) => [mediaUri, person]));
    const eileen = { id: named!.id, name: 'Eileen' };
    for (const uri of ASTRONAUT) expect(shown.get(uri)).to.deep.equal(eileen);
    expect(shown.get(HOPPER)).to.deep.equal({ id: other!.id, name: null });
    const like = hits.find(({ mediaUri }) => mediaUri === ASTRONAUT[0]);
    const found = await ask('POST', '/rest/search/similar', namesOf(like!));
    const similar = found.body as { like: object; hits: readonly { person: object | null }[] };
    expect(similar.like).to.deep.include({ person: eileen });
    expect(similar.hits[0]!.person).to.deep.equal(eileen);
    const agent = await Agent.overHttp(service.url, await ownToken(service.url, service.dataDir));
    const { text } = await agent.call('search', { type: 'FACE', medium: 'astronaut' });
    await agent.close();
    expect(text).to.match(/^1\. "astronaut\.png": FACE of "Eileen", /m);
  });

  it('are split and merged, and an id of before answers the person of now', async () => {
    const [astronaut, hopper] = (await list()).people;
    const { jobId, mediaId, trackId } = (await tracksOf(astronaut!.id))[1]!;
    const tracks = [{ jobId, mediaId, trackId }];
    const split = await personOf('POST', `/rest/people/${astronaut!.id}/split`, { tracks });
    expect([split.status, split.body.tracks, split.body.name]).to.deep.equal([200, 1, null]);
    expect((await list()).total).to.equal(3);
    const merged = await personOf('POST', `/rest/people/${astronaut!.id}/merge`, {
      person: split.body.id,
    });
    expect([merged.status, merged.body.tracks]).to.deep.equal([200, 2]);
    const alias = await ask('GET', `/rest/people/${split.body.id}`);
    expect((alias.body as { person: Person }).person).to.deep.include({ id: astronaut!.id, name: 'Eileen' });
    for (const [body, status, code] of [
      [{ person: split.body.id }, 400, 'person-merged-with-itself'],
      [{ person: '0123456789abcdef' }, 404, 'person-not-found'],
      [{ person: 'x' }, 400, 'invalid-body'],
    ] as const) {
      const refused = await ask('POST', `/rest/people/${astronaut!.id}/merge`, body);
      expect([refused.status, (refused.body as { code: string }).code]).to.deep.equal([status, code]);
    }
    const alone = {
      tracks: [{ jobId: first, mediaId: hopper!.face.mediaId, trackId: hopper!.face.trackId }],
    };
    expect((await ask('POST', `/rest/people/${hopper!.id}/split`, alone)).status).to.equal(409);
    expect((await ask('POST', `/rest/people/${astronaut!.id}/split`, alone)).status).to.equal(404);
  });

  it('refuse a name of 10 kB, an empty one and one with control characters', async () => {
    const [{ id } = { id: '' }] = (await list()).people;
    for (const name of ['x'.repeat(10_240), '  ', 'a\u0000b', 7])
      expect((await ask('PATCH', `/rest/people/${id}`, { name })).status, String(name).slice(0, 9)).to.equal(
        400,
      );
    expect((await personOf('PATCH', `/rest/people/${id}`, { name: null })).body.name).to.equal(null);
  });

  it('are forgotten while a stream runs, and go with their job', async () => {
    // A camera that accepts the connection and never answers, so that the stream goes on.
    const camera = createServer().listen(0, '127.0.0.1');
    await once(camera, 'listening');
    const streamUri = `rtsp://127.0.0.1:${(camera.address() as AddressInfo).port}/`;
    const started = await ask('POST', '/rest/streaming/jobs', {
      ...STREAM,
      stream: { streamUri, segmentSize: 100 },
    });
    expect(started.status, started.text).to.equal(201);
    const { jobId } = started.body as { jobId: number };
    const [astronaut] = (await list()).people;
    expect((await ask('DELETE', `/rest/people/${astronaut!.id}`)).status).to.equal(204);
    const { body } = await ask('GET', `/rest/streaming/jobs/${jobId}`);
    expect((body as { jobStatus: string }).jobStatus).to.match(/^(INITIALIZING|IN_PROGRESS)/);
    expect((await ask('POST', `/rest/streaming/jobs/${jobId}/cancel`)).status).to.equal(200);
    expect((await ask('DELETE', `/rest/people/${astronaut!.id}`)).status).to.equal(404);
    camera.close();
    expect((await list()).total).to.equal(1);
    await service.ask('DELETE', `/rest/jobs/${first}`);
    await seen('nobody is left', ({ total }) => total === 0);
  });
});
