/** Two users who must not see each other's jobs: what similarity, duplicates, people and counts of the search tell each of them. */
import { expect } from 'chai';
import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import sharp from 'sharp';
import { TestProvider } from '../../access/support/provider.ts';
import { writeModelPair } from '../../support/media/model-pair.ts';
import { sampleUri, Service } from '../../support/processes/service.ts';
import { settingsOf } from '../../support/roles.ts';
import { until } from '../../support/until.ts';

const USERS = {
  anna: { sub: 'anna', groups: ['media-users'] },
  carl: { sub: 'carl', groups: ['media-users'] },
  dora: { sub: 'dora', groups: ['media-users'] },
  admin: { sub: 'root', groups: ['media-admins'] },
} as const;
type Name = keyof typeof USERS;

/** In the name of each medium of Anna, and the name that she gives a person. */
const SECRET = 'confidential';
const PERSON = 'Eileen';
const COLOURS = { red: '#e01010', green: '#10e010' } as const;
const UNKNOWN_JOB = 'host-987654';
const UNKNOWN_PERSON = '0123456789abcdef';
const FACE_MODEL = 'face-recognition@1';

interface Hit {
  readonly jobId: string;
  readonly mediaId: number;
  readonly mediaUri: string;
  readonly trackId: string;
  readonly type: string;
  readonly vectorModel: string | null;
  readonly person: { readonly id: string; readonly name: string | null } | null;
}
interface Body {
  readonly hits: readonly Hit[];
  readonly like: Hit | null;
  readonly groups: readonly { readonly hits: readonly Hit[] }[];
  readonly people: readonly { readonly id: string; readonly name: string | null; readonly face: { readonly frameUrl: string } }[]; // oxfmt-ignore
  readonly total: number;
  readonly tracks: number;
  readonly jobId: string;
}

/** Jobs of one user over the same pictures: faces, vectors with a text half, and hashes of two copies. */
interface Jobs {
  readonly faces: string;
  readonly colours: string;
  readonly copies: string;
}

describe('Two users with JOB_VISIBILITY=own', function () {
  this.timeout(180_000);
  let provider: TestProvider;
  let service: Service;
  let annas: Jobs;
  const tokens = new Map<Name, Promise<string>>();
  const tokenOf = (user: Name) => {
    const token = tokens.get(user) ?? provider.forge({ claims: USERS[user] });
    tokens.set(user, token);
    return token;
  };

  before(async () => {
    provider = await TestProvider.start();
    const settings = { ...settingsOf(provider), JOB_VISIBILITY: 'own', FACE_EMBEDDING: 'true' };
    service = await Service.here(settings, () => tokenOf('admin'));
    const models = join(service.dataDir, 'models');
    mkdirSync(models, { recursive: true });
    writeModelPair(models);
    annas = await analyze('anna', SECRET);
    const [person] = (await asked('anna', 'GET', '/rest/people')).people;
    await asked('anna', 'PATCH', `/rest/people/${person!.id}`, { name: PERSON });
  });
  after(async () => {
    await service.close();
    await provider.close();
  });

  const ask = async (user: Name, method: string, path: string, body?: unknown) => {
    const headers = { authorization: `Bearer ${await tokenOf(user)}` };
    const { status, text, body: answer } = await service.ask(method, path, body, headers);
    return { status, text: text.replaceAll(service.url, ''), body: answer as Body };
  };
  const asked = async (user: Name, method: string, path: string, body?: unknown) => {
    const { status, text, body: answer } = await ask(user, method, path, body);
    expect(status, text).to.be.within(200, 204);
    return answer;
  };
  const similar = (user: Name, body: object) => ask(user, 'POST', '/rest/search/similar', body);

  async function analyze(user: Name, prefix: string): Promise<Jobs> {
    const file = (name: string) => join(service.mediaDir, `${prefix}-${name}`);
    const uriOf = (name: string) => ({ mediaUri: pathToFileURL(file(name)).href });
    copyFileSync(fileURLToPath(sampleUri('astronaut.png')), file('face.png'));
    for (const copy of ['one.png', 'two.png'])
      copyFileSync(fileURLToPath(sampleUri('hello-world.png')), file(copy));
    for (const [name, background] of Object.entries(COLOURS))
      await sharp({ create: { width: 16, height: 16, channels: 3, background } }).png().toFile(file(`${name}.png`)); // oxfmt-ignore
    const run = async (pipelineName: string, names: readonly string[], jobProperties: object = {}) => {
      const request = { media: names.map(uriOf), pipelineName, jobProperties };
      const { jobId } = await asked(user, 'POST', '/rest/jobs', request);
      await service.terminal(jobId);
      return jobId;
    };
    const colours = Object.keys(COLOURS).map((name) => `${name}.png`);
    const jobs = {
      colours: await run('ONNX DETECTION PIPELINE', colours, { MODEL_NAME: 'colours/image' }),
      copies: await run('IMAGE PROPERTIES DETECTION PIPELINE', ['one.png', 'two.png']),
      faces: await run('FACE EMBEDDING PIPELINE', ['face.png']),
    };
    for (const job of Object.values(jobs))
      await until(`the search has job ${job}`, async () => (await hitsOf(user, `job=${job}`)).length > 0);
    await until(`${user} has a person`, async () => (await asked(user, 'GET', '/rest/people')).total > 0);
    return jobs;
  }
  const hitsOf = async (user: Name, query: string) => (await asked(user, 'GET', `/rest/search?limit=100&${query}`)).hits; // oxfmt-ignore
  const trackOf = async (user: Name, job: string) =>
    (await hitsOf(user, `job=${job}`)).find(({ vectorModel }) => vectorModel !== null)!;
  const placeOf = ({ jobId, mediaId, trackId }: Hit) => ({ jobId, mediaId, trackId });
  const face = () => ({ mediaUri: sampleUri('astronaut.png'), box: { x: 100, y: 0, width: 300, height: 300 } }); // oxfmt-ignore
  const vector = (length: number) => Array.from({ length }, (_, n) => Math.sin(n + 1));

  /** Fails if the answer names a medium, a job or the person of Anna. */
  const expectNothingOfAnna = (text: string, of: string) => {
    for (const secret of [SECRET, PERSON, ...Object.values(annas)]) expect(text, of).to.not.include(secret);
  };

  describe('of whom one has no jobs', () => {
    it('compare with a hidden track as with one that does not exist', async () => {
      for (const job of [annas.faces, annas.colours]) {
        const like = placeOf(await trackOf('anna', job));
        expect((await similar('anna', like)).status).to.equal(200);
        const hidden = await similar('dora', like);
        expect(hidden.status).to.equal(404);
        expect(hidden).to.deep.equal(await similar('dora', { ...like, jobId: UNKNOWN_JOB }));
      }
    });

    it('do not learn of the models, or of their dimension, by a vector', async () => {
      const { vectorModel: colours } = await trackOf('anna', annas.colours);
      for (const model of [FACE_MODEL, colours!])
        for (const length of [2, 128]) {
          const hidden = await similar('dora', { vector: vector(length), model });
          const unknown = await similar('dora', { vector: vector(length), model: 'unknown@1' });
          expect(hidden.status, model).to.equal(404);
          expect(hidden.text.replaceAll(model, '')).to.equal(unknown.text.replaceAll('unknown@1', ''));
        }
      expect((await similar('anna', { vector: vector(2), model: FACE_MODEL })).status).to.equal(400);
      expect((await similar('anna', { vector: vector(128), model: FACE_MODEL })).status).to.equal(200);
    });

    it('do not use the models of hidden jobs for a picture or for words', async () => {
      const { vectorModel: colours } = await trackOf('anna', annas.colours);
      for (const like of [
        face(),
        { ...face(), model: FACE_MODEL },
        { text: 'red' },
        { text: 'red', model: colours! },
      ]) {
        // oxfmt-ignore
        const { status, text } = await similar('dora', like);
        expect([status, text.includes('vectors-not-found')], JSON.stringify(like)).to.deep.equal([404, true]);
      }
    });

    it('see no groups, no people, no tracks and no counts', async () => {
      const job = (name: keyof Jobs) => encodeURIComponent(annas[name]);
      for (const path of [
        '/rest/search/duplicates',
        '/rest/people',
        `/rest/people?job=${job('faces')}`,
        `/rest/people?name=${PERSON}`,
        '/rest/search',
        `/rest/search?person=${PERSON}`,
        `/rest/search?job=${job('faces')}`,
        '/rest/search/counts',
        `/rest/search/counts?person=${PERSON}`,
        `/rest/search/counts?job=${job('colours')}`,
        '/rest/library',
        '/rest/library/counts',
      ]) {
        const { status, text, body } = await ask('dora', 'GET', path);
        expect(status, text).to.equal(200);
        expectNothingOfAnna(text, path);
        const { hits = [], groups = [], people = [], total = 0, tracks = 0 } = body as Partial<Body>;
        expect([...hits, ...groups, ...people], path).to.deep.equal([]);
        expect([total, tracks], path).to.deep.equal([0, 0]);
      }
      const ofHidden = await ask('dora', 'GET', `/rest/people?job=${job('faces')}`);
      expect(ofHidden).to.deep.equal(await ask('dora', 'GET', `/rest/people?job=${UNKNOWN_JOB}`));
    });
  });

  describe('who both analyzed the same pictures', () => {
    let carls: Jobs;
    before(async () => {
      carls = await analyze('carl', 'public');
    });

    it('get hits of their own jobs, whatever they compare with', async () => {
      const [ofFace, ofColour] = [await trackOf('carl', carls.faces), await trackOf('carl', carls.colours)];
      const forms = [
        placeOf(ofFace),
        placeOf(ofColour),
        { vector: vector(128), model: FACE_MODEL },
        face(),
        { ...face(), model: FACE_MODEL },
        { text: 'red' },
        { text: 'red', model: ofColour.vectorModel! },
      ];
      for (const like of forms) {
        const { status, text, body } = await similar('carl', { ...like, minSimilarity: -1 });
        expect(status, text).to.equal(200);
        expectNothingOfAnna(text, JSON.stringify(like));
        const jobs = new Set(body.hits.map(({ jobId }) => jobId));
        for (const job of jobs) expect(Object.values(carls)).to.include(job);
        expect(body.hits.every(({ person }) => person === null || person.name === null)).to.equal(true);
        const toAdmin = await similar('admin', { ...like, minSimilarity: -1 });
        expect(toAdmin.text, JSON.stringify(like)).to.include(SECRET);
      }
      for (const filter of [{ person: PERSON }, { medium: SECRET }, { job: annas.faces }]) {
        const { status, body } = await similar('carl', { ...placeOf(ofFace), filter });
        expect([status, body.hits], JSON.stringify(filter)).to.deep.equal([200, []]);
      }
    });

    it('get groups of duplicates of their own pictures', async () => {
      const { text, body } = await ask('carl', 'GET', '/rest/search/duplicates');
      expectNothingOfAnna(text, 'duplicates');
      expect(body.groups.map(({ hits }) => hits.length)).to.deep.equal([2]);
      const toAdmin = await asked('admin', 'GET', '/rest/search/duplicates');
      expect(toAdmin.groups.map(({ hits }) => hits.length)).to.deep.equal([4]);
    });

    it('have people of their own, and neither see nor change those of the other', async () => {
      const { text, body } = await ask('carl', 'GET', '/rest/people');
      expectNothingOfAnna(text, 'people');
      expect(body.people.map(({ name }) => name)).to.deep.equal([null]);
      const [own] = body.people;
      const [hidden] = (await asked('anna', 'GET', '/rest/people')).people;
      expect(hidden!.id).to.not.equal(own!.id);
      const changes: readonly (readonly [method: string, path: string, body?: object])[] = [
        ['GET', ''],
        ['PATCH', '', { name: 'Carl' }],
        ['POST', '/merge', { person: own!.id }],
        ['POST', '/split', { tracks: [placeOf(await trackOf('carl', carls.faces))] }],
        ['DELETE', ''],
      ];
      for (const [method, path, sent] of changes) {
        const [answer, unknown] = await Promise.all(
          [hidden!.id, UNKNOWN_PERSON].map((id) => ask('carl', method, `/rest/people/${id}${path}`, sent)),
        );
        expect(answer!.status, `${method} ${path}`).to.equal(404);
        expect(answer!.text.replaceAll(hidden!.id, '')).to.equal(
          unknown!.text.replaceAll(UNKNOWN_PERSON, ''),
        );
      }
      const merged = await ask('carl', 'POST', `/rest/people/${own!.id}/merge`, { person: hidden!.id });
      expect(merged.status).to.equal(404);
      const details = await ask('carl', 'GET', `/rest/people/${own!.id}`);
      expectNothingOfAnna(details.text, 'details');
      expect((await ask('carl', 'GET', own!.face.frameUrl)).status).to.equal(200);
      expect((await ask('carl', 'GET', hidden!.face.frameUrl)).status).to.equal(404);
      expect((await asked('anna', 'GET', '/rest/people')).people.map(({ name }) => name)).to.deep.equal([
        PERSON,
      ]);
    });

    it('count and find only their own tracks and media', async () => {
      const own = await hitsOf('carl', '');
      expect(new Set(own.map(({ jobId }) => jobId))).to.deep.equal(new Set(Object.values(carls)));
      const counts = await ask('carl', 'GET', '/rest/search/counts');
      expectNothingOfAnna(counts.text, 'counts');
      expect(counts.body.tracks).to.equal(own.length);
      expect((await asked('admin', 'GET', '/rest/search/counts')).tracks).to.equal(2 * own.length);
      for (const query of ['distinct=true', 'type=FACE', 'sort=best', 'anything=red']) {
        const found = await ask('carl', 'GET', `/rest/search?${query}`);
        expectNothingOfAnna(found.text, query);
        const counted = await ask('carl', 'GET', `/rest/search/counts?${query.replace('sort=best', '')}`);
        expectNothingOfAnna(counted.text, query);
      }
      // Anna's equal tracks of the later job of Carl do not hide hers.
      expect((await hitsOf('anna', 'distinct=true')).length).to.equal((await hitsOf('anna', '')).length);
      const library = await ask('carl', 'GET', '/rest/library/counts');
      expect(library.body.total).to.equal(5);
    });
  });
});
