/** Components that clients register: specification 3.5 and 4.6. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { expect } from 'chai';
import * as fc from 'fast-check';
import {
  action,
  descriptorBody,
  OTHER_KIND,
  pipeline,
  realDescriptors,
} from '../../actors/catalog/descriptors.ts';
import { runs, seed, seeded } from '../../support/seed.ts';
import { RawComponent, trackNamed } from '../../support/processes/raw-component.ts';
import { sampleUri, Service, tracksOf, type Answer } from '../../support/processes/service.ts';

const REGISTER = '/rest/components/registerUnmanaged';
const messageOf = ({ body }: Answer) => (body as { message?: string } | undefined)?.message;
const path = (name: string) => `/rest/components/${encodeURIComponent(name)}`;

describe('Components (specification 4.6)', () => {
  let service: Service;
  before(async () => {
    service = await Service.here();
  });
  after(() => service.close());

  const register = (body: unknown) => service.ask('POST', REGISTER, body);
  const remove = (name: string) => service.ask('DELETE', path(name));
  const messageTo = async (answer: Promise<Answer>) => {
    const given = await answer;
    expect(given.headers.get('content-type')).to.match(/^application\/json/);
    return [given.status, messageOf(given)];
  };
  const namesOf = async (kind: string) =>
    ((await service.ask('GET', `/rest/${kind}`)).body as { name: string }[]).map(({ name }) => name);
  const has = async (kind: string, name: string) =>
    (await service.ask('GET', `/rest/${kind}/${encodeURIComponent(name)}`)).status === 200;
  const refusal = async (pipelineName: string) => {
    const answer = await service.create({ media: [sampleUri('astronaut.png')], pipelineName });
    expect(answer.status).to.equal(400);
    return (answer.body as { coreResponse: { message: string } }).coreResponse.message;
  };

  describe('that a client registers', () => {
    afterEach(() => remove('ONE'));

    it('are answered 201 when new, 200 when the same and 200 when changed', async () => {
      const body = descriptorBody('ONE');
      expect(await messageTo(register(body))).to.deep.equal([201, 'New component registered.']);
      expect(await messageTo(register(body))).to.deep.equal([200, 'Component already registered.']);
      expect(await messageTo(register({ ...body, componentVersion: '2.0' }))).to.deep.equal([
        200,
        'Modified existing component.',
      ]);
    });

    it('bring their algorithm with an action, a task and a pipeline, which are usable at once', async () => {
      await register(descriptorBody('ONE', {}, { name: 'sees things' }));
      expect(await has('algorithms', 'SEES THINGS')).to.equal(true);
      expect(
        (await service.ask('GET', '/rest/pipelines/SEES%20THINGS%20DETECTION%20PIPELINE')).body,
      ).to.deep.equal({
        name: 'SEES THINGS DETECTION PIPELINE',
        description: 'Default pipeline for the SEES THINGS DETECTION TASK task.',
        tasks: ['SEES THINGS DETECTION TASK'],
      });
      const id = await service.submit({
        media: [sampleUri('astronaut.png')],
        pipelineName: 'sees things detection pipeline',
      });
      const component = new RawComponent(service);
      const work = await component.claimOf(id, 'SEES THINGS');
      await component.result(work.token, [trackNamed('mine')]);
      expect((await service.terminal(id)).jobStatus).to.equal('COMPLETE');
      const [medium] = (await service.document(id)).media;
      expect(tracksOf(medium, 'THING')).to.have.lengthOf(1);
    });

    it('finish a job that an earlier version failed on when it is retried', async () => {
      const body = descriptorBody('ONE', {}, { name: 'SEES THINGS' });
      await register(body);
      const pipelineName = 'SEES THINGS DETECTION PIPELINE';
      const id = await service.submit({ media: [sampleUri('astronaut.png')], pipelineName });
      const component = new RawComponent(service);
      const { token } = await component.claimOf(id, 'SEES THINGS');
      await component.failure(token, 'DETECTION_FAILED', 'It is broken.');
      expect((await service.terminal(id)).jobStatus).to.equal('ERROR');
      await register({ ...body, componentVersion: '2.0' });
      const retried = await service.ask('POST', `/rest/jobs/${id}/retry`, { what: 'FAILED_SUB_JOBS' });
      expect(retried.status, retried.text).to.equal(200);
      const again = await component.claimOf(id, 'SEES THINGS');
      await component.result(again.token, [trackNamed('mine')]);
      expect((await service.terminal(id)).jobStatus).to.equal('COMPLETE');
    });

    it('may come as text with comments and trailing commas', async () => {
      const text = JSON.stringify(descriptorBody('ONE')).replace('{', '{ // by hand\n').replace(/\}$/, ',}');
      expect(await messageTo(register(text))).to.deep.equal([201, 'New component registered.']);
    });

    it('are refused with 409 when a managed component has the name, which stays as it was', async () => {
      const before = (await service.ask('GET', '/rest/components')).body;
      expect(await messageTo(register(descriptorBody('TroupeFaceDetection')))).to.deep.equal([
        409,
        'Cannot register component: "TroupeFaceDetection": Unable to register TroupeFaceDetection because there is an existing managed component with the same name.',
      ]);
      expect((await service.ask('GET', '/rest/components')).body).to.deep.equal(before);
    });

    it('are refused with 409 when an element of theirs has a name that is taken', async () => {
      await register(descriptorBody('HOLDER'));
      expect(
        await messageTo(register(descriptorBody('ONE', {}, { name: 'Holder algorithm' }))),
      ).to.deep.equal([
        409,
        'Cannot register component: "ONE": Could not add the "HOLDER ALGORITHM" algorithm because it belongs to the component "HOLDER".',
      ]);
      await remove('HOLDER');
      const actions = [action('LIGHT ACTION', 'ONE ALGORITHM')];
      const clash = await register(descriptorBody('ONE', { actions }));
      expect([clash.status, messageOf(clash)?.split(' because ')[0]]).to.deep.equal([
        409,
        'Cannot register component: "ONE": Could not add the LIGHT ACTION action',
      ]);
      expect(await has('algorithms', 'ONE ALGORITHM'), 'nothing of it is left').to.equal(false);
    });

    it('stay as they were when their replacement fails', async () => {
      await register(descriptorBody('ONE'));
      const before = await Promise.all(
        ['components', 'algorithms', 'pipelines'].map((kind) => service.ask('GET', `/rest/${kind}`)),
      );
      const pipelines = [pipeline('LIGHT PIPELINE', 'ONE TASK')];
      for (const wrong of [
        descriptorBody('ONE', { pipelines }),
        descriptorBody('ONE', { environmentVariables: null }),
        descriptorBody('ONE', {}, { name: 'OUTPUT_OBJECT' }),
      ])
        expect((await register(wrong)).status).to.be.oneOf([400, 409]);
      const after = await Promise.all(
        ['components', 'algorithms', 'pipelines'].map((kind) => service.ask('GET', `/rest/${kind}`)),
      );
      expect(after.map(({ body }) => body)).to.deep.equal(before.map(({ body }) => body));
    });

    it('are refused with 400 and every problem, a sorted line each', async () => {
      expect(await messageTo(register({ componentName: ' ONE ', sourceLanguage: 'cobol' }))).to.deep.equal([
        400,
        [
          'Cannot register component: "ONE": The following fields have errors:',
          'algorithm: must not be null',
          'componentVersion: must not be null',
          'environmentVariables: must not be null',
          'middlewareVersion: must not be null',
          'must contain batchLibrary, streamLibrary, or both',
          'sourceLanguage: must be java, c++, python, javascript, or typescript',
        ].join('\n'),
      ]);
      for (const body of ['[]', 'null', '7', '"x"', '{}', '{"componentName": {}}'])
        expect((await messageTo(register(body)))[0]).to.equal(400);
    });

    it('are refused with 400 if the body is no JSON, too deep or missing, with 413 if too large', async () => {
      for (const body of ['{', '{"a": 1 /* open', '\u0000', '[,]', `${'['.repeat(100)}${']'.repeat(100)}`]) {
        const [status, message] = await messageTo(register(body));
        expect([status, typeof message]).to.deep.equal([400, 'string']);
      }
      expect((await messageTo(register(undefined)))[0]).to.equal(400);
      const large = descriptorBody('ONE', {}, { description: 'x'.repeat(1024 ** 2) });
      const [status, message] = await messageTo(register(large));
      expect([status, message]).to.deep.equal([413, 'The body is larger than 1048576 bytes.']);
    });

    it('at the same time as another client are taken one after the other', async () => {
      const same = await Promise.all(Array.from({ length: 10 }, () => register(descriptorBody('ONE'))));
      expect(same.map(({ status }) => status).sort((a, b) => a - b)).to.deep.equal([
        ...Array.from({ length: 9 }, () => 200),
        201,
      ]);
      await remove('ONE');
      const versions = Array.from({ length: 6 }, (_, i) => `${i}.0`);
      const answers = await Promise.all(
        versions.map((componentVersion) => register(descriptorBody('ONE', { componentVersion }))),
      );
      expect(answers.filter(({ status }) => status === 201)).to.have.lengthOf(1);
      expect(await namesOf('algorithms')).to.include('ONE ALGORITHM');
    });
  });

  it('are listed with what they are and who registered them', async () => {
    await register(descriptorBody('LISTED', { streamLibrary: 's' }));
    const all = (await service.ask('GET', '/rest/components')).body as { componentName: string }[];
    expect(all.map(({ componentName }) => componentName)).to.include.members([
      'LISTED',
      'TroupeTextDetection',
      'TestLight',
    ]);
    expect(all.find(({ componentName }) => componentName === 'LISTED')).to.deep.equal({
      componentName: 'LISTED',
      componentVersion: '1.0',
      managed: false,
      registeredBy: 'troupe-cli',
      algorithm: 'LISTED ALGORITHM',
      replacedBy: null,
      supportsBatchProcessing: true,
      supportsStreamProcessing: true,
    });
    expect(all.find(({ componentName }) => componentName === 'TestLight')).to.include({
      managed: true,
      registeredBy: null,
      supportsStreamProcessing: false,
    });
    await remove('LISTED');
  });

  describe('that a client removes', () => {
    it('are answered 204 without content, then 404; names are taken exactly', async () => {
      await register(descriptorBody('Gone'));
      for (const name of ['GONE', 'gone', 'Gone ', 'no such'])
        expect([name, (await messageTo(remove(name)))[0]]).to.deep.equal([name, 404]);
      const { status, text } = await remove('Gone');
      expect([status, text]).to.deep.equal([204, '']);
      expect(await messageTo(remove('Gone'))).to.deep.equal([404, 'There is no component named "Gone".']);
    });

    it('take what they registered; what others made stays, and a job on it says what is missing', async () => {
      await register(descriptorBody('GOES'));
      await service.ask('POST', '/rest/tasks', {
        name: 'my task',
        description: 'Mine.',
        actions: ['goes algorithm detection action'],
      });
      await service.ask('POST', '/rest/pipelines', pipeline('MY PIPELINE', 'MY TASK', 'NO TASK'));
      await service.ask('POST', '/rest/actions', action('MY ACTION', 'GOES ALGORITHM'));
      await service.ask('POST', '/rest/tasks', {
        name: 'OTHER TASK',
        description: 'd',
        actions: ['MY ACTION'],
      });
      await service.ask('POST', '/rest/pipelines', pipeline('OTHER PIPELINE', 'OTHER TASK'));
      expect((await remove('GOES')).status).to.equal(204);
      for (const kind of ['algorithms', 'actions', 'tasks', 'pipelines'])
        expect((await namesOf(kind)).filter((name) => name.startsWith('GOES'))).to.deep.equal([]);
      expect(await refusal('my pipeline')).to.include(
        'Cannot run pipeline MY PIPELINE due to the following issues: The following tasks are missing: NO TASK. The following actions are missing: GOES ALGORITHM DETECTION ACTION.',
      );
      expect(await refusal('OTHER PIPELINE')).to.include(
        'The following algorithms are missing: GOES ALGORITHM.',
      );
      await register(descriptorBody('GOES'));
      await service.ask('DELETE', '/rest/pipelines/MY%20PIPELINE');
      await service.ask('POST', '/rest/pipelines', pipeline('MY PIPELINE', 'MY TASK'));
      const id = await service.submit({ media: [sampleUri('astronaut.png')], pipelineName: 'MY PIPELINE' });
      await service.cancel(id);
      await service.terminal(id);
      await remove('GOES');
    });

    it('leave the jobs that run their plan: these end as they began', async () => {
      await register(descriptorBody('RUNS'));
      const id = await service.submit({
        media: [sampleUri('astronaut.png')],
        pipelineName: 'RUNS ALGORITHM DETECTION PIPELINE',
      });
      expect((await remove('RUNS')).status).to.equal(204);
      const component = new RawComponent(service);
      const work = await component.claimOf(id, 'RUNS ALGORITHM');
      expect((await component.result(work.token, [trackNamed('still')])).status).to.equal(200);
      const { jobStatus } = await service.terminal(id);
      const [medium] = (await service.document(id)).media;
      expect([jobStatus, tracksOf(medium, 'THING').length]).to.deep.equal(['COMPLETE', 1]);
      expect(await refusal('RUNS ALGORITHM DETECTION PIPELINE')).to.include(
        'No pipeline named: RUNS ALGORITHM',
      );
    });

    it('are refused with 409 when managed: they would come back at the next start', async () => {
      expect(await messageTo(remove('TroupeFaceDetection'))).to.deep.equal([
        409,
        'Cannot remove component: "TroupeFaceDetection": It is a managed component and would come back at the next start of the server.',
      ]);
      expect(await has('algorithms', 'FACE')).to.equal(true);
    });
  });

  it('answer every request with a ResponseMessage, also without a token or with another method', async () => {
    const without = async (method: string, url: string, token?: string) => {
      const response = await fetch(`${service.url}${url}`, {
        method,
        headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
      });
      return [response.status, typeof ((await response.json()) as { message: unknown }).message];
    };
    for (const [method, url] of [
      ['POST', REGISTER],
      ['GET', '/rest/components'],
      ['DELETE', path('x')],
      ['DELETE', '/REST/Components/x'],
    ] as const) {
      expect(await without(method, url)).to.deep.equal([401, 'string']);
      expect(await without(method, url, 'nonsense')).to.deep.equal([401, 'string']);
    }
    expect(await without('PUT', '/rest/components', service.token)).to.deep.equal([405, 'string']);
    expect(await without('GET', '/rest/components/a/b', service.token)).to.deep.equal([404, 'string']);
    const other = await fetch(`${service.url}/rest/pipelines`);
    expect([other.status, typeof ((await other.json()) as { message: unknown }).message]).to.deep.equal([401, 'string']); // oxfmt-ignore
  });

  it('take strange names without harm', async () => {
    const names = [
      '__proto__',
      'constructor',
      'toString',
      '你好 мир 🎭',
      'a%2Fb',
      'per%cent',
      '.hidden',
      'a\\b',
      "x' or 1=1 --",
      '?#&=+',
    ];
    for (const name of names) {
      expect([name, (await register(descriptorBody(name))).status]).to.deep.equal([name, 201]);
      expect(await has('algorithms', `${name} algorithm`)).to.equal(true);
      expect([name, (await remove(name)).status]).to.deep.equal([name, 204]);
    }
    for (const name of ['a/b', 'a;b', '..', '.', ' ', '\u0000', 'x'.repeat(257)])
      expect([name, (await register(descriptorBody(name, {}, { name: 'OK' }))).status]).to.deep.equal([
        name,
        400,
      ]);
    for (const name of ['%2F', '..%2F..', '%', '%zz', '%C0%AF', '%00', 'x'.repeat(5_000), '__proto__'])
      expect([name, await rawStatus('DELETE', `/rest/components/${name}`)]).to.deep.equal([name, 404]);
    expect(await rawStatus('DELETE', '/rest/components/..')).to.equal(404);
    expect(await rawStatus('DELETE', '/rest/components/../pipelines/LIGHT%20PIPELINE')).to.be.oneOf([
      404, 405,
    ]);
    expect(await has('pipelines', 'LIGHT PIPELINE')).to.equal(true);
  });

  /** Sends a request without the path normalisation of client libraries. */
  async function rawStatus(method: string, url: string): Promise<number> {
    const { hostname, port } = new URL(service.url);
    const socket = connect(Number(port), hostname);
    socket.write(
      `${method} ${url} HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: Bearer ${service.token}\r\nConnection: close\r\n\r\n`,
    );
    let text = '';
    socket.setEncoding('utf8').on('data', (data: string) => (text += data));
    await once(socket, 'close');
    return Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1]);
  }

  it(`of the real world register and go again in any order ${seeded}`, async () => {
    const real = [...realDescriptors()].filter(([name]) => name !== OTHER_KIND);
    expect(real).to.have.lengthOf(36);
    const [order = []] = fc.sample(fc.shuffledSubarray(real, { minLength: real.length }), {
      ...runs(1),
      seed,
    });
    const before = await Promise.all(['algorithms', 'actions', 'tasks', 'pipelines'].map(namesOf));
    for (const [name, text] of order)
      expect([name, ...(await messageTo(register(text)))]).to.deep.equal([
        name,
        201,
        'New component registered.',
      ]);
    expect(await namesOf('pipelines')).to.include.members([
      'JAVAHELLOWORLD DETECTION PIPELINE',
      'FACE DETECTION PIPELINE',
    ]);
    for (const [name] of order.toReversed())
      expect([name, (await remove(name)).status]).to.deep.equal([name, 204]);
    expect(await Promise.all(['algorithms', 'actions', 'tasks', 'pipelines'].map(namesOf))).to.deep.equal(
      before,
    );
    const [status, message] = await messageTo(register(realDescriptors().get(OTHER_KIND)));
    expect([status, message]).to.deep.equal([
      400,
      'Cannot register component: "OrToolsSubjectComponent": The following fields have errors:\nalgorithm: must not be null\nenvironmentVariables: must not be null\nmiddlewareVersion: must not be null\nmust contain batchLibrary, streamLibrary, or both',
    ]);
  });
});

describe('A catalog that is full', () => {
  it('refuses more with 400 and says what can be done', async () => {
    const service = await Service.here({ MAX_CATALOG_ELEMENTS: '1' });
    try {
      const refused = await service.ask('POST', '/rest/pipelines', pipeline('ONE MORE', 'T'));
      expect([refused.status, messageOf(refused)]).to.deep.equal([
        400,
        'The catalog can hold 1 components, algorithms, actions, tasks and pipelines. Remove some that are not needed.',
      ]);
      expect((await service.ask('POST', REGISTER, descriptorBody('ONE'))).status).to.equal(400);
      expect((await service.ask('GET', '/rest/pipelines/FACE%20DETECTION%20PIPELINE')).status).to.equal(200);
    } finally {
      await service.close();
    }
  });
});
