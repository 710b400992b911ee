/** Who may see and change which job, tested at every endpoint of the OpenAPI document. */
import { copyFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { join } from 'node:path';
import { expect } from 'chai';
import { TestProvider } from '../../access/support/provider.ts';
import { settingsOf } from '../../support/roles.ts';
import type { OpenApiDocument, OperationObject } from '../../support/openapi.ts';
import { sampleUri, Service } from '../../support/processes/service.ts';
import { until } from '../../support/until.ts';

const USERS = {
  anna: { sub: 'anna', team: 'red', groups: ['media-users'] },
  bob: { sub: 'bob', team: 'red', groups: ['media-users'] },
  carl: { sub: 'carl', team: 'blue', groups: ['media-users'] },
  admin: { sub: 'root', team: 'blue', groups: ['media-admins'] },
} as const;
type Name = keyof typeof USERS;

/** Users who may see Anna's jobs. */
const SEES: Readonly<Record<'own' | 'group', readonly Name[]>> = {
  own: ['anna', 'admin'],
  group: ['anna', 'bob', 'admin'],
};
/** Contained in every job of Anna. */
const SECRET = 'confidential';
const UNKNOWN = 987_654;
/** Request bodies, by path. */
const SENT: Readonly<Record<string, object>> = {
  '/rest/jobs/{id}/retry': { what: 'FAILED_SUB_JOBS' },
  'patch /rest/jobs/{id}': { labels: ['seen'] },
  '/rest/streaming/jobs/{id}/restart': { stallTimeout: -1 },
  '/rest/jobs/{id}/media/{mediaId}/zone-runs': {
    zones: [{ name: 'all', points: [[0, 0], [1, 0], [1, 1]] }], // oxfmt-ignore
  },
};
const PLACES: Readonly<Record<string, string>> = {
  picture: 'frame-0.png',
  typeFilter: 'all',
  format: 'ndjson',
};

interface Asked {
  readonly status: number;
  readonly text: string;
}
interface Operation {
  readonly method: string;
  readonly path: string;
  readonly told: OperationObject & {
    readonly 'x-jobs'?: string;
    readonly 'x-reading'?: boolean;
    readonly description?: string;
  };
}

const isReading = ({ method, told }: Operation) => method === 'get' || told['x-reading'] === true;

class Site {
  readonly service: Service;
  readonly provider: TestProvider;
  readonly #tokens = new Map<Name, Promise<string>>();

  private constructor(service: Service, provider: TestProvider) {
    this.service = service;
    this.provider = provider;
  }

  static async start(env: Readonly<Record<string, string>>): Promise<Site> {
    const provider = await TestProvider.start();
    const token = () => provider.forge({ claims: USERS.admin });
    const settings = { ...settingsOf(provider), OIDC_GROUP_CLAIM_NAME: 'team', ...env };
    return new Site(await Service.here(settings, token), provider);
  }

  async close(): Promise<void> {
    await this.service.close();
    await this.provider.close();
  }

  async headers(user: Name) {
    const token = this.#tokens.get(user) ?? this.provider.forge({ claims: USERS[user] });
    this.#tokens.set(user, token);
    return { authorization: `Bearer ${await token}` };
  }

  /** Of an event stream, reads only the first event. */
  async ask(user: Name, method: string, path: string, sent?: object): Promise<Asked> {
    const left = new AbortController();
    const { status, headers, body } = await fetch(this.service.url + path, {
      method: method.toUpperCase(),
      headers: { ...(await this.headers(user)), 'content-type': 'application/json' },
      ...(sent === undefined ? {} : { body: JSON.stringify(sent) }),
      signal: left.signal,
    });
    const isStream = headers.get('content-type')?.startsWith('text/event-stream') === true;
    let text = '';
    for await (const bytes of body ?? []) {
      text += Buffer.from(bytes).toString();
      if (isStream && /^data:/m.test(text)) break;
    }
    left.abort();
    return { status, text: text.replace(/"elapsedTimeMs":\d+/, '') };
  }

  async make(user: Name, path: string, body: object): Promise<{ readonly jobId: string | number }> {
    const { body: answer } = await this.service.ask('POST', path, body, await this.headers(user));
    return answer as { jobId: string };
  }

  /** Operations that are open to users. */
  async operations(): Promise<readonly Operation[]> {
    const { body } = await this.service.ask('GET', '/rest/openapi.json');
    return Object.entries((body as OpenApiDocument).paths)
      .flatMap(([path, of]) =>
        Object.entries(of).map(([method, told]): Operation => ({ method, path, told })),
      )
      .filter(({ path, told: { security } }) => path.startsWith('/rest/') && security.length > 0)
      .filter(({ told: { description = '' } }) => !description.includes('Needs the role ADMIN.'));
  }
}

/** The URL of an operation with all its parameters. */
function addressOf({ path, told }: Operation, id: string | number): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    name === 'id' ? String(id) : (PLACES[name] ?? '0'),
  );
  const query = (told.parameters ?? []).filter((one) => one.in === 'query' && one.required);
  if (path.endsWith('/clip.mp4')) return `${filled}?startFrame=0`;
  if (path.endsWith('/snapshot.jpg')) return `${filled}?frame=0`;
  if (path === '/rest/streaming/jobs') return `${path}?isActive=false`;
  return query.length === 0
    ? filled
    : `${filled}?${query.map(({ name }) => `${name}=${PLACES[name] ?? '0'}`).join('&')}`;
}

const JOB = { media: [] as object[], pipelineName: 'LIGHT PIPELINE', externalId: `${SECRET} case` };
const STREAM = {
  enableOutputToDisk: false,
  stream: { streamUri: `rtsp://127.0.0.1:9/${SECRET}`, segmentSize: 100 },
  stallTimeout: -1,
  pipelineName: 'MOTION DETECTION PIPELINE',
  externalId: SECRET,
};

for (const visibility of ['own', 'group'] as const)
  describe(`With JOB_VISIBILITY=${visibility}`, () => {
    let site: Site;
    let operations: readonly Operation[];
    /** Ids of Anna's jobs. */
    let batch: string;
    let stream: number;
    let operation: string;
    let image: string;
    const hidden = (Object.keys(USERS) as Name[]).filter((name) => !SEES[visibility].includes(name));
    before(async () => {
      site = await Site.start({ JOB_VISIBILITY: visibility, FACE_EMBEDDING: 'true' });
      operations = await site.operations();
      const file = join(site.service.mediaDir, `${SECRET}.png`);
      copyFileSync(fileURLToPath(sampleUri('hello-world.png')), file);
      const empty = join(site.service.mediaDir, `${SECRET}.mp4`);
      writeFileSync(empty, '');
      image = pathToFileURL(file).href;
      const media = [file, empty].map((one) => ({ mediaUri: pathToFileURL(one).href }));
      const callback = { callbackURL: 'http://127.0.0.1:1/done', callbackMethod: 'POST' };
      batch = String((await site.make('anna', '/rest/jobs', { ...JOB, ...callback, media })).jobId);
      stream = Number((await site.make('anna', '/rest/streaming/jobs', STREAM)).jobId);
      await site.service.terminal(batch);
      const copy = join(site.service.mediaDir, `${SECRET}-copy.png`);
      copyFileSync(file, copy);
      const copies = [file, copy].map((one) => ({ mediaUri: pathToFileURL(one).href }));
      const measured = { media: copies, pipelineName: 'IMAGE PROPERTIES DETECTION PIPELINE' };
      await site.service.terminal(String((await site.make('anna', '/rest/jobs', measured)).jobId));
      const face = join(site.service.mediaDir, `${SECRET}-face.png`);
      copyFileSync(fileURLToPath(sampleUri('astronaut.png')), face);
      const seen = {
        media: [{ mediaUri: pathToFileURL(face).href }],
        pipelineName: 'FACE EMBEDDING PIPELINE',
      };
      await site.service.terminal(String((await site.make('anna', '/rest/jobs', seen)).jobId));
      const dryRun = { action: 'label', add: ['seen'], ids: [batch], dryRun: true };
      const started = await site.service.ask('POST', '/rest/operations', dryRun, await site.headers('anna'));
      operation = (started.body as { operationId: string }).operationId;
      for (const path of ['/rest/search/duplicates', '/rest/people'])
        await until(`${path} has the jobs`, async () =>
          (await site.ask('admin', 'GET', path)).text.includes(SECRET),
        );
      await until('the search has the vector', async () =>
        (await site.ask('admin', 'GET', '/rest/search/models')).text.includes('"algorithm":"FACE"'),
      );
    });
    after(() => site.close());

    const reading = (...scopes: readonly string[]) =>
      operations.filter((one) => isReading(one) && scopes.includes(one.told['x-jobs'] ?? ''));
    const jobOf = ({ told }: Operation) => (told['x-jobs'] === 'BATCH_JOB' ? batch : stream);
    const unknownOf = ({ told }: Operation) =>
      told['x-jobs'] === 'BATCH_JOB' ? `test-host-${UNKNOWN}` : UNKNOWN;
    /** Removes the job id from an answer, so that answers about two jobs can be compared. */
    const answerAbout = async (user: Name, operation: Operation, id: string | number): Promise<Asked> => {
      const { method, path } = operation;
      const { status, text } = await site.ask(
        user,
        method,
        addressOf(operation, id),
        SENT[`${method} ${path}`] ?? SENT[path],
      );
      const number = String(id).replace('test-host-', '');
      const named = new RegExp(`(?<!responseCode":)\\b${number}\\b`, 'g');
      const told = text.replaceAll(site.service.url, '');
      return { status, text: told.replaceAll(String(id), 'ID').replaceAll(named, 'ID') };
    };

    it('every endpoint of users declares what it shows of jobs', () => {
      const silent = operations.filter(({ told }) => told['x-jobs'] === undefined);
      expect(silent.map(({ method, path }) => `${method} ${path}`)).to.deep.equal([]);
      expect(reading('BATCH_JOB', 'STREAMING_JOB').length).to.be.greaterThan(14);
      const withId = operations.filter(({ path }) => /^\/rest\/(streaming\/)?jobs\/\{id\}/.test(path));
      expect(withId.every(({ told }) => told['x-jobs']?.endsWith('_JOB') === true)).to.equal(true);
    });

    it('a job that a user must not see is answered as one that does not exist', async () => {
      for (const operation of reading('BATCH_JOB', 'STREAMING_JOB')) {
        const unknown = await answerAbout('admin', operation, unknownOf(operation));
        for (const user of hidden)
          expect(
            await answerAbout(user, operation, jobOf(operation)),
            `${user}: ${operation.path}`,
          ).to.deep.equal(unknown);
      }
    });

    it('a job that a user sees is answered as to an ADMIN', async () => {
      for (const operation of reading('BATCH_JOB', 'STREAMING_JOB')) {
        const unknown = await answerAbout('admin', operation, unknownOf(operation));
        const toAdmin = await answerAbout('admin', operation, jobOf(operation));
        expect(toAdmin, operation.path).to.not.deep.equal(unknown);
        for (const user of SEES[visibility]) {
          const { status } = await answerAbout(user, operation, jobOf(operation));
          expect(status, `${user}: ${operation.path}`).to.equal(toAdmin.status);
        }
      }
    });

    it('an export of a job by its id is 404 for those who do not see the job', async () => {
      const path = `/rest/exports?format=ndjson&ids=${batch}`;
      for (const user of SEES[visibility])
        expect((await site.ask(user, 'GET', path)).text).to.include(SECRET);
      for (const user of hidden) {
        const { status, text } = await site.ask(user, 'GET', path);
        expect(status, user).to.equal(404);
        expect(text).to.not.include(SECRET);
      }
    });

    it('lists, events, failures, statistics and search have only the jobs that the user sees', async () => {
      // Resources with their own id, such as deliveries, are only filtered in their list.
      const lists = reading('LIST').filter(({ path }) => !path.includes('{'));
      expect(lists.map(({ path }) => path)).to.include.members([
        '/rest/jobs',
        '/rest/jobs/stats',
        '/rest/failures',
        '/rest/search',
        '/rest/search/duplicates',
        '/rest/people',
      ]);
      for (const operation of lists) {
        const to = async (user: Name) => (await answerAbout(user, operation, batch)).text;
        const toAdmin = await to('admin');
        for (const user of SEES[visibility])
          expect(await to(user), `${user}: ${operation.path}`).to.equal(toAdmin);
        for (const user of hidden) expect(await to(user), `${user}: ${operation.path}`).to.not.equal(toAdmin);
      }
    });

    it('a delivery or an operation of a hidden job is answered like one that does not exist', async () => {
      const delivery = `${batch}_1_callback`;
      for (const path of [`/rest/deliveries/${delivery}`, `/rest/operations/${operation}`]) {
        expect((await site.ask('anna', 'GET', path)).status, path).to.equal(200);
        for (const user of hidden) expect((await site.ask(user, 'GET', path)).status, path).to.equal(404);
      }
    });

    it('no other endpoint tells anything of a job that the user must not see', async () => {
      for (const operation of operations.filter(({ method }) => method === 'get'))
        for (const user of hidden) {
          const { text } = await site.ask(user, 'GET', addressOf(operation, jobOf(operation)));
          expect(text, `${user}: ${operation.path}`).to.not.include(SECRET);
        }
    });

    it('nobody but the owner and an ADMIN changes a job', async () => {
      const changing = operations.filter(
        (one) => !isReading(one) && one.told['x-jobs']?.endsWith('_JOB') === true,
      );
      expect(changing.map(({ path }) => path)).to.include.members([
        '/rest/jobs/{id}',
        '/rest/jobs/{id}/cancel',
        '/rest/jobs/{id}/retry',
      ]);
      for (const operation of changing) {
        const unknown = await answerAbout('admin', operation, unknownOf(operation));
        for (const user of ['bob', 'carl'] as const) {
          const answer = await answerAbout(user, operation, jobOf(operation));
          if (hidden.includes(user)) expect(answer, `${user}: ${operation.path}`).to.deep.equal(unknown);
          else {
            expect(answer.status, `${user}: ${operation.path}`).to.equal(403);
            expect(answer.text).to.include(
              'belongs to another user. Only its owner and an ADMIN can change it.',
            );
          }
        }
      }
      const reposted = await site.service.ask(
        'POST',
        '/rest/jobs/archiverepost',
        [Number(batch.replace('test-host-', ''))],
        await site.headers('bob'),
      );
      expect([reposted.status, JSON.stringify(reposted.body)]).to.satisfy(
        ([status, text]: [number, string]) =>
          status === 500 && /belongs to another user|Could not find/.test(text),
      );
    });

    it('the owner deletes a batch job, and a streaming job that an ADMIN cancelled', async () => {
      const { jobId: ended } = await site.make('anna', '/rest/jobs', {
        ...JOB,
        media: [{ mediaUri: image }],
      });
      await site.service.terminal(String(ended));
      expect((await site.ask('anna', 'DELETE', `/rest/jobs/${ended}`)).status).to.equal(204);
      const { jobId: cancelled } = await site.make('anna', '/rest/streaming/jobs', STREAM);
      await site.ask('admin', 'POST', `/rest/streaming/jobs/${cancelled}/cancel`);
      await until('the streaming job has ended', async () => {
        const { status } = await site.ask('anna', 'DELETE', `/rest/streaming/jobs/${cancelled}`);
        return status === 204;
      });
    });
  });

describe('With JOB_VISIBILITY=all', () => {
  let site: Site;
  before(async () => {
    site = await Site.start({ OIDC_LENIENT_TOKENS: 'true' });
  });
  after(() => site.close());
  const job = { ...JOB, media: [{ mediaUri: sampleUri('hello-world.png') }] };

  it('every user sees a job, and only its owner and an ADMIN change it', async () => {
    const { jobId } = await site.make('anna', '/rest/jobs', job);
    await site.service.terminal(String(jobId));
    expect((await site.ask('carl', 'GET', `/rest/jobs/${jobId}`)).status).to.equal(200);
    expect((await site.ask('carl', 'POST', `/rest/jobs/${jobId}/resubmit`)).status).to.equal(403);
    expect((await site.ask('carl', 'DELETE', `/rest/jobs/${jobId}`)).status).to.equal(403);
    expect((await site.ask('anna', 'DELETE', `/rest/jobs/${jobId}`)).status).to.equal(204);
  });

  it('every user changes a job without an owner, as before owners were kept', async () => {
    const token = await site.provider.forge({ claims: { ...USERS.anna, sub: undefined } });
    const headers = { authorization: `Bearer ${token}` };
    const { body } = await site.service.ask('POST', '/rest/jobs', job, headers);
    const { jobId } = body as { jobId: string };
    await site.service.terminal(jobId);
    expect((await site.ask('carl', 'DELETE', `/rest/jobs/${jobId}`)).status).to.equal(204);
  });
});

describe('A token that does not say who its user is', () => {
  let site: Site;
  before(async () => {
    site = await Site.start({ OIDC_LENIENT_TOKENS: 'true', JOB_VISIBILITY: 'own' });
  });
  after(() => site.close());

  it('sees no job and creates none unless all jobs are visible', async () => {
    const token = await site.provider.forge({ claims: { ...USERS.anna, sub: undefined } });
    const headers = { authorization: `Bearer ${token}` };
    const job = { ...JOB, media: [{ mediaUri: sampleUri('hello-world.png') }] };
    await site.make('anna', '/rest/jobs', job);
    const { body: list } = await site.service.ask('GET', '/rest/jobs', undefined, headers);
    expect(list).to.deep.equal({ jobs: [], next: null });
    const { status, body } = await site.service.ask('POST', '/rest/jobs', job, headers);
    expect([status, (body as { message: string }).message]).to.deep.equal([
      403,
      'The token does not say who its user is (sub, azp or client_id), so the job would belong to nobody. Use a token with a subject.',
    ]);
  });
});
