/** Pipelines, tasks, actions and algorithms: specification 2.6 and the reading part of 4.7. */
import { expect } from 'chai';
import { Service } from '../support/service.ts';

const NAMES = ['FACE', 'MOTION', 'SCENE CHANGE', 'SPEECH', 'TEXT'];

describe('Pipelines, tasks, actions and algorithms (specification 4.7)', () => {
  let service: Service;
  before(async () => {
    service = await Service.started();
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

  it('answer 404 with an empty body for a name that is not there', async () => {
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
        const { status, text } = await service.ask('GET', `/rest/${kind}/${name}`);
        expect([kind, name, status, text]).to.deep.equal([kind, name, 404, '']);
      }
  });

  it('are only read until their issue lands: other methods are answered 405 and change nothing', async () => {
    const before = await get('pipelines');
    for (const [method, path] of [
      ['POST', 'pipelines'],
      ['DELETE', 'pipelines/LIGHT%20PIPELINE'],
      ['PUT', 'algorithms/LIGHT'],
    ] as const) {
      const { status, headers } = await service.ask(
        method,
        `/rest/${path}`,
        method === 'DELETE' ? undefined : {},
      );
      expect([path, status]).to.deep.equal([path, 405]);
      expect(headers.get('allow')).to.equal('HEAD, GET');
    }
    expect(await get('pipelines')).to.deep.equal(before);
  });
});
