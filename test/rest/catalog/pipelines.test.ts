/** Pipelines, tasks, actions and algorithms: specification 2.6 and 4.7. */
import { expect } from 'chai';
import { sampleUri, Service, tracksOf, type Answer } from '../../support/processes/service.ts';

const NAMES = ['BARCODE', 'FACE', 'IMAGE PROPERTIES', 'MOTION', 'OBJECT', 'SCENE CHANGE', 'SPEECH', 'TEXT'];

describe('Pipelines, tasks, actions and algorithms (specification 4.7)', () => {
  let service: Service;
  before(async () => {
    service = await Service.here();
  });
  after(() => service.close());

  const get = async <T>(path: string): Promise<T> => {
    const { status, headers, body } = await service.ask('GET', `/rest/${path}`);
    expect([path, status]).to.deep.equal([path, 200]);
    expect(headers.get('content-type')).to.match(/^application\/json/);
    return body as T;
  };
  type Named = Readonly<Record<string, unknown>> & { readonly name: string };

  it('list the pipeline of every built-in algorithm by its name', async () => {
    const names = (await get<Named[]>('pipelines')).map(({ name }) => name);
    expect(names).to.include.members(NAMES.map((name) => `${name} DETECTION PIPELINE`));
    expect(names, 'in order').to.deep.equal(names.toSorted());
    expect((await get<Named[]>('algorithms')).map(({ name }) => name)).to.include.members(NAMES);
  });

  for (const kind of ['pipelines', 'tasks', 'actions', 'algorithms'])
    it(`answer each of the ${kind} by its name as it stands in the list`, async () => {
      const all = await get<Named[]>(kind);
      expect(all.length).to.be.at.least(NAMES.length);
      for (const entry of all)
        expect(await get<Named>(`${kind}/${encodeURIComponent(entry.name)}`)).to.deep.equal(entry);
    });

  it('have the fields of the specification', async () => {
    expect(await get('pipelines/LIGHT%20PIPELINE')).to.deep.equal({
      name: 'LIGHT PIPELINE',
      description: 'Brightness.',
      tasks: ['LIGHT TASK'],
    });
    expect(await get('tasks/LIGHT%20TASK')).to.deep.equal({
      name: 'LIGHT TASK',
      description: 'Brightness.',
      actions: ['LIGHT ACTION'],
    });
    expect(await get('actions/LABELLED%20LIGHT%20ACTION')).to.deep.equal({
      name: 'LABELLED LIGHT ACTION',
      description: "Brightness, with a label of the action's.",
      algorithm: 'LIGHT',
      properties: [{ name: 'LABEL', value: 'of the action' }],
    });
    const { providesCollection, ...algorithm } = await get<
      Named & { providesCollection: { states: string[]; properties: Named[] } }
    >('algorithms/LIGHT');
    expect(algorithm).to.deep.equal({
      name: 'LIGHT',
      description: 'Mean brightness of every frame; one track a segment.',
      actionType: 'DETECTION',
      supportsBatchProcessing: true,
      supportsStreamProcessing: false,
      requiresCollection: { states: [] },
    });
    expect(providesCollection.states).to.deep.equal(['DETECTION']);
    expect(providesCollection.properties.find(({ name }) => name === 'LABEL')).to.deep.equal({
      name: 'LABEL',
      description: 'Stands in every track.',
      type: 'STRING',
      defaultValue: 'of the algorithm',
      propertiesKey: null,
    });
  });

  it('show an algorithm with the workflow properties that it also takes, and their defaults', async () => {
    const { providesCollection } = await get<Named & { providesCollection: { properties: Named[] } }>(
      'algorithms/FACE',
    );
    const property = (wanted: string) => providesCollection.properties.find(({ name }) => name === wanted);
    expect(property('CONFIDENCE_THRESHOLD')).to.include({ type: 'DOUBLE', defaultValue: '0.8' });
    expect(property('TARGET_SEGMENT_LENGTH')).to.include({ type: 'INT', defaultValue: '200' });
    expect(property('FRAME_INTERVAL')).to.include({
      type: 'INT',
      defaultValue: '1',
      propertiesKey: 'detection.sampling.interval',
    });
    const types = new Set(providesCollection.properties.map(({ type }) => type as string));
    expect(
      [...types].filter((type) => !['BOOLEAN', 'FLOAT', 'DOUBLE', 'INT', 'LONG', 'STRING'].includes(type)),
    ).to.deep.equal([]);
  });

  it('find a name in any case and with blanks around it', async () => {
    for (const [kind, name, found] of [
      ['pipelines', '%20face%20Detection%20pipeline%20', 'FACE DETECTION PIPELINE'],
      ['tasks', 'scene%20change%20detection%20task', 'SCENE CHANGE DETECTION TASK'],
      ['actions', 'Text%20Detection%20Action', 'TEXT DETECTION ACTION'],
      ['algorithms', '%20scene%20change', 'SCENE CHANGE'],
    ] as const)
      expect((await get<Named>(`${kind}/${name}`)).name).to.equal(found);
  });

  it('answer 404 with a sentence for a name that is not there', async () => {
    for (const kind of ['pipelines', 'tasks', 'actions', 'algorithms'])
      for (const name of [
        'NO%20SUCH',
        '__proto__',
        'constructor',
        'a%2Fb',
        '%00',
        '%E4%BD%A0%E5%A5%BD',
        'x'.repeat(2_000),
      ]) {
        const { status, body } = await service.ask('GET', `/rest/${kind}/${name}`);
        expect([kind, name, status]).to.deep.equal([kind, name, 404]);
        const { message } = body as { message: string };
        expect(message).to.include(`GET /rest/${kind} lists all`).and.have.length.below(300);
      }
  });

  it('are not there under other methods: 405, and nothing changes', async () => {
    const before = await get('algorithms');
    for (const [method, path, allowed] of [
      ['PUT', 'pipelines', 'HEAD, GET, POST'],
      ['PATCH', 'tasks/LIGHT%20TASK', 'HEAD, GET, DELETE'],
      ['DELETE', 'algorithms/LIGHT', 'HEAD, GET'],
      ['POST', 'algorithms', 'HEAD, GET'],
      ['GET', 'pipeline/LIGHT%20PIPELINE', 'DELETE'],
    ] as const) {
      const { status, headers } = await service.ask(
        method,
        `/rest/${path}`,
        method === 'GET' ? undefined : {},
      );
      expect([path, status, headers.get('allow')]).to.deep.equal([path, 405, allowed]);
    }
    expect(await get('algorithms')).to.deep.equal(before);
  });

  const post = (kind: string, body: unknown) => service.ask('POST', `/rest/${kind}`, body);
  const remove = (kind: string, name: string) =>
    service.ask('DELETE', `/rest/${kind}/${encodeURIComponent(name)}`);
  const messageOf = ({ body }: Answer) => (body as { message?: string } | undefined)?.message;
  const refusal = async (pipelineName: string) => {
    const answer = await service.create({ media: [sampleUri('hello-world.png')], pipelineName });
    expect(answer.status).to.equal(400);
    return (answer.body as { coreResponse: { message: string } }).coreResponse.message.replace(
      /^Failure creating job\. /,
      '',
    );
  };

  for (const [kind, title, body, stored] of [
    [
      'actions',
      'Action',
      {
        name: ' My action ',
        description: ' Mine. ',
        algorithm: 'light',
        properties: [{ name: 'LABEL', value: 'x' }],
      },
      {
        name: 'MY ACTION',
        description: 'Mine.',
        algorithm: 'LIGHT',
        properties: [{ name: 'LABEL', value: 'x' }],
      },
    ],
    [
      'tasks',
      'Task',
      { name: 'my task', description: 'Mine.', actions: ['my action'] },
      { name: 'MY TASK', description: 'Mine.', actions: ['MY ACTION'] },
    ],
    [
      'pipelines',
      'Pipeline',
      { name: 'my pipeline', description: 'Mine.', tasks: ['my task'] },
      { name: 'MY PIPELINE', description: 'Mine.', tasks: ['MY TASK'] },
    ],
  ] as const)
    describe(`of which a client makes its own (${kind})`, () => {
      afterEach(() => remove(kind, stored.name));

      it('are created with 200 and no content, trimmed and upper-cased; a repeat has the same answer', async () => {
        for (const given of [body, body, stored]) {
          const { status, text } = await post(kind, given);
          expect([status, text]).to.deep.equal([200, '']);
        }
        expect(await get(`${kind}/${encodeURIComponent(body.name)}`)).to.deep.equal(stored);
        expect(await get(kind)).to.deep.include(stored);
      });

      it('are refused with 400 when another content has the name, which keeps it', async () => {
        await post(kind, body);
        const refused = await post(kind, { ...body, description: 'Another.' });
        expect([refused.status, messageOf(refused)]).to.deep.equal([
          400,
          `Failed to add ${title} with name "${stored.name}" because another ${title} with the same name already exists.`,
        ]);
        expect(await get(`${kind}/${encodeURIComponent(body.name)}`)).to.deep.equal(stored);
      });

      it('are removed with 200 and no content in any case of letters, also when they are not there', async () => {
        await post(kind, body);
        for (const name of [
          ` ${body.name.toLowerCase()}`,
          stored.name,
          'NO SUCH',
          '__proto__',
          'a/b',
          '..',
        ]) {
          const { status, text } = await service.ask(
            'DELETE',
            `/rest/${kind}/${name === '..' ? '%252E%252E' : encodeURIComponent(name)}`,
          );
          expect([name, status, text]).to.deep.equal([name, 200, '']);
        }
        expect((await service.ask('GET', `/rest/${kind}/${stored.name}`)).status).to.equal(404);
      });

      it('are refused with 400 and every problem when they are invalid', async () => {
        const list = kind === 'pipelines' ? 'tasks' : kind === 'tasks' ? 'actions' : 'properties';
        const empty = await post(kind, { name: ' ', description: '' });
        const lines = kind === 'actions' ? ['algorithm: must not be null'] : [`${list}: must not be null`];
        expect([empty.status, messageOf(empty)?.split('\n')]).to.deep.equal([
          400,
          [
            `${title} has errors in the following fields:`,
            ...[...lines, 'description: must not be blank', 'name: must not be blank'].toSorted(),
          ],
        ]);
        for (const change of [
          { name: 'a/b' },
          { name: 'a;b' },
          { name: '..' },
          { name: 'x'.repeat(257) },
          { name: '\ud800' },
          { name: null },
          { description: 7 },
          { [list]: kind === 'actions' ? [{ name: 'P' }] : [] },
          { [list]: [7] },
          { [list]: 'text' },
        ]) {
          const refused = await post(kind, { ...body, ...change });
          expect([change, refused.status, typeof messageOf(refused)]).to.deep.equal([change, 400, 'string']);
        }
        for (const text of ['', '{', '[]', 'null', '"x"', `{"name": "x", // comment\n}`]) {
          const refused = await service.ask('POST', `/rest/${kind}`, text === '' ? undefined : text);
          expect([text, refused.status, typeof messageOf(refused)]).to.deep.equal([text, 400, 'string']);
        }
      });

      it('may have any name that a URL can hold', async () => {
        for (const name of ['__PROTO__', 'CONSTRUCTOR', '你好 🎭', 'A%2FB', '50% \\ ?#&', '...']) {
          expect((await post(kind, { ...body, name })).status).to.equal(200);
          expect((await get<Named>(`${kind}/${encodeURIComponent(name)}`)).name).to.equal(name);
          await remove(kind, name);
          expect((await service.ask('GET', `/rest/${kind}/${encodeURIComponent(name)}`)).status).to.equal(
            404,
          );
        }
      });
    });

  it('are removed under the singular path, too', async () => {
    await post('pipelines', { name: 'SINGLE', description: 'd', tasks: ['LIGHT TASK'] });
    const { status, text } = await service.ask('DELETE', '/rest/pipeline/single');
    expect([status, text]).to.deep.equal([200, '']);
    expect((await service.ask('GET', '/rest/pipelines/SINGLE')).status).to.equal(404);
  });

  it('that are too large are refused with 413', async () => {
    const description = 'x'.repeat(1_100_000);
    const { status, body } = await post('pipelines', { name: 'LARGE', description, tasks: ['T'] });
    expect([status, typeof (body as { message: string }).message]).to.deep.equal([413, 'string']);
  });

  it('of a client’s own run like the others, and a running job keeps the plan that it began with', async () => {
    const properties = [{ name: 'LABEL', value: 'own' }];
    await post('actions', { name: 'OWN', description: 'd', algorithm: 'LIGHT', properties });
    await post('tasks', { name: 'OWN', description: 'd', actions: ['OWN'] });
    await post('pipelines', { name: 'OWN', description: 'd', tasks: ['OWN'] });
    const id = await service.submit({ media: [sampleUri('hello-world.png')], pipelineName: 'OWN' });
    for (const kind of ['pipelines', 'tasks', 'actions']) await remove(kind, 'OWN');
    expect((await service.terminal(id)).jobStatus).to.equal('COMPLETE');
    const [medium] = (await service.document(id)).media;
    expect(tracksOf(medium, 'LIGHT').map(({ trackProperties }) => trackProperties['LABEL'])).to.deep.equal([
      'own',
    ]);
    expect((await service.resubmit(id)).status, 'the stored plan').to.equal(200);
    expect((await service.terminal(id)).jobStatus).to.equal('COMPLETE');
    expect(await refusal('OWN')).to.equal('No pipeline named: OWN');
  });

  describe('are checked when a job is created', () => {
    const make = async (name: string, tasks: readonly (readonly object[])[]) => {
      for (const [t, actions] of tasks.entries()) {
        for (const [a, action] of actions.entries())
          await post('actions', { name: `${name} ${t}.${a}`, description: 'd', properties: [], ...action });
        await post('tasks', {
          name: `${name} ${t}`,
          description: 'd',
          actions: actions.map((_, a) => `${name} ${t}.${a}`),
        });
      }
      await post('pipelines', { name, description: 'd', tasks: tasks.map((_, t) => `${name} ${t}`) });
    };
    const algorithm = (name: string, requires: readonly string[], provides: readonly string[]) => ({
      name,
      description: 'd',
      actionType: 'DETECTION',
      trackType: 'X',
      requiresCollection: { states: requires },
      providesCollection: {
        states: provides,
        properties: [{ name: 'N', description: 'd', type: 'INT', defaultValue: '1' }],
      },
    });
    before(async () => {
      for (const [name, change] of [
        ['FIRST', { batchLibrary: 'x', algorithm: algorithm('FIRST', [], ['DETECTION']) }],
        ['NEEDS', { batchLibrary: 'x', algorithm: algorithm('NEEDS', ['DETECTION', 'DETECTION_FACE'], []) }],
        ['LIVE', { streamLibrary: 'x', algorithm: algorithm('LIVE', [], []) }],
      ] as const) {
        const common = { componentVersion: '1', middlewareVersion: '1', sourceLanguage: 'c++' };
        const body = { componentName: name, ...common, environmentVariables: [], ...change };
        expect((await post('components/registerUnmanaged', body)).status).to.equal(201);
      }
    });

    for (const [what, tasks, message] of [
      [
        'all parts exist',
        [[{ algorithm: 'NOWHERE' }]],
        'Cannot run pipeline P due to the following issues: The following algorithms are missing: NOWHERE.',
      ],
      [
        'all algorithms support batch jobs',
        [[{ algorithm: 'LIVE' }]],
        'Expected entire "P" pipeline to support batch processing, but the following algorithms do not: LIVE',
      ],
      [
        'a task provides what the next one requires',
        [[{ algorithm: 'FIRST' }], [{ algorithm: 'NEEDS' }]],
        'P: The states for "P 1" are not satisfied. Provided: [DETECTION]. Required: [DETECTION, DETECTION_FACE].',
      ],
      [
        'properties are those of the algorithm or of workflows',
        [[{ algorithm: 'FIRST', properties: [{ name: 'M', value: '1' }] }]],
        'The "M" property from the "P 0.0" action does not exist in "FIRST" algorithm and is not the name of a workflow property.',
      ],
      [
        'values are of the property’s type',
        [[{ algorithm: 'FIRST', properties: [{ name: 'N', value: 'many' }] }]],
        'The "N" property from the "P 0.0" action has a value of "many", which is not a valid "INT".',
      ],
      [
        'nothing follows a task of several actions',
        [[{ algorithm: 'FIRST' }, { algorithm: 'LIGHT' }], [{ algorithm: 'FIRST' }]],
        'P: No tasks may follow the multi-action task "P 0".',
      ],
    ] as const)
      it(`so that ${what}`, async () => {
        await make('P', tasks);
        try {
          expect(await refusal('P')).to.equal(message);
        } finally {
          await remove('pipelines', 'P');
          for (const [t, actions] of tasks.entries()) {
            await remove('tasks', `P ${t}`);
            for (const a of actions.keys()) await remove('actions', `P ${t}.${a}`);
          }
        }
      });
  });

  it('that are built in can be removed and stay so; a new one of that name is the user’s', async () => {
    expect((await remove('pipelines', 'LIGHT TWICE PIPELINE')).status).to.equal(200);
    await service.stop();
    await service.startHere();
    expect((await service.ask('GET', '/rest/pipelines/LIGHT%20TWICE%20PIPELINE')).status).to.equal(404);
    const own = { name: 'LIGHT TWICE PIPELINE', description: 'Mine.', tasks: ['LIGHT TASK'] };
    expect((await post('pipelines', own)).status).to.equal(200);
    await service.stop();
    await service.startHere();
    expect(await get('pipelines/LIGHT%20TWICE%20PIPELINE')).to.deep.equal(own);
  });
});
