/** Validation of component descriptors, and its error messages. */
import { expect } from 'chai';
import { unmanagedDescriptorSchema } from '../../../../actors/catalog/descriptors/descriptor.ts';
import { elementsOf } from '../../../../actors/catalog/descriptors/elements.ts';
import { parseFields } from '../../../../actors/catalog/descriptors/fields.ts';
import { descriptorBody, descriptorOf, OTHER_KIND, realDescriptors } from '../descriptors.ts';

const parse = (body: unknown) => parseFields(unmanagedDescriptorSchema, body);
const problems = (body: unknown): readonly string[] => {
  const parsed = parse(body);
  return 'problems' in parsed ? parsed.problems.split('\n') : [];
};

describe('A component descriptor', () => {
  for (const [name, text] of realDescriptors())
    it(`of ${name} is ${name === OTHER_KIND ? 'refused: it is of another kind of component' : 'accepted'}`, () => {
      expect(problems(JSON.parse(text))).to.deep.equal(
        name === OTHER_KIND
          ? [
              'algorithm: must not be null',
              'environmentVariables: must not be null',
              'middlewareVersion: must not be null',
              'must contain batchLibrary, streamLibrary, or both',
            ]
          : [],
      );
    });

  it('has its names, states and types trimmed and upper-cased, other texts trimmed', () => {
    const descriptor = descriptorOf(
      ' My Component ',
      {
        sourceLanguage: ' C++ ',
        actions: [{ name: ' an action ', description: ' Text. ', algorithm: ' algo ' }],
      },
      {
        name: ' algo ',
        trackType: ' thing ',
        actionType: 'detection',
        requiresCollection: { states: [' detection '] },
      },
    );
    expect(descriptor.componentName).to.equal('My Component');
    expect(descriptor.sourceLanguage).to.equal('c++');
    expect(descriptor.algorithm).to.include({ name: 'ALGO', trackType: 'THING', actionType: 'DETECTION' });
    expect(descriptor.algorithm.requiresCollection.states).to.deep.equal(['DETECTION']);
    expect(descriptor.actions).to.deep.equal([
      { name: 'AN ACTION', description: 'Text.', algorithm: 'ALGO', properties: [] },
    ]);
  });

  it('may have its track type where older descriptors have it', () => {
    const older = descriptorOf(
      'OLD',
      {},
      { trackType: undefined, providesCollection: { states: [], properties: [], trackType: 'face' } },
    );
    expect(older.algorithm.trackType).to.equal('FACE');
    expect(older.algorithm.providesCollection).to.deep.equal({ states: [], properties: [] });
    expect(problems(descriptorBody('NONE', {}, { trackType: null }))).to.deep.equal([
      'algorithm.trackType: must not be null',
    ]);
  });

  it('may tell the types of media that it processes, in any case of letters', () => {
    const { algorithm } = elementsOf(descriptorOf('C', {}, { mediaTypes: ['image', ' Video '] }));
    expect(algorithm.mediaTypes).to.deep.equal(['IMAGE', 'VIDEO']);
    expect(elementsOf(descriptorOf('C')).algorithm.mediaTypes).to.equal(undefined);
    expect(problems(descriptorBody('C', {}, { mediaTypes: ['PICTURE'] }))).to.deep.equal([
      'algorithm.mediaTypes[0]: must be VIDEO, IMAGE, AUDIO, or UNKNOWN',
    ]);
    expect(problems(descriptorBody('C', {}, { mediaTypes: [] }))).to.deep.equal([
      'algorithm.mediaTypes: must not be empty',
    ]);
  });

  it('says by its libraries what its algorithm supports, and needs one of them', () => {
    for (const [libraries, batch, stream] of [
      [{ batchLibrary: 'b' }, true, false],
      [{ batchLibrary: null, streamLibrary: 's' }, false, true],
      [{ batchLibrary: 'b', streamLibrary: 's' }, true, true],
    ] as const) {
      const { algorithm } = elementsOf(descriptorOf('C', libraries));
      expect([algorithm.supportsBatchProcessing, algorithm.supportsStreamProcessing]).to.deep.equal([
        batch,
        stream,
      ]);
    }
    for (const libraries of [{ batchLibrary: undefined }, { batchLibrary: ' ' }, { batchLibrary: null }])
      expect(problems(descriptorBody('C', libraries))).to.deep.equal([
        'must contain batchLibrary, streamLibrary, or both',
      ]);
  });

  it('may have null for what it leaves out, and numbers where texts stand', () => {
    const body = descriptorBody(
      'C',
      { streamLibrary: null, actions: null, setupFile: 'x', componentVersion: 1.5 },
      {
        outputChangedCounter: null,
        providesCollection: {
          states: [],
          properties: [
            { name: 'P', description: 'd', type: 'int', defaultValue: 2, propertiesKey: null },
            { name: 'Q', description: 'd', type: 'Boolean', defaultValue: '' },
            { name: 'R', description: 'd', type: 'STRING', propertiesKey: 'a.key' },
          ],
        },
      },
    );
    const parsed = parse(body);
    const properties = 'ok' in parsed ? parsed.ok.algorithm.providesCollection.properties : [];
    expect(
      properties.map(({ type, defaultValue, propertiesKey }) => [type, defaultValue, propertiesKey]),
    ).to.deep.equal([
      ['INT', '2', undefined],
      ['BOOLEAN', '', undefined],
      ['STRING', undefined, 'a.key'],
    ]);
  });

  it('that is wrong is refused with every problem, a sorted line each', () => {
    const wrong = {
      componentName: 'a/b',
      sourceLanguage: 'rust',
      environmentVariables: [{ name: 'PATH', value: 'x', sep: ';' }],
      algorithm: {
        name: ' ',
        description: '',
        actionType: 'GUESSING',
        trackType: ' ',
        providesCollection: {
          states: [],
          properties: [
            { name: 'NONE', type: 'INT' },
            { name: 'BOTH', type: 'INT', defaultValue: '1', propertiesKey: 'k' },
            { name: 'KIND', type: 'DATE', defaultValue: '1' },
          ],
        },
      },
      tasks: [{ name: 'T', description: 'd', actions: [] }],
      pipelines: {},
    };
    expect(problems(wrong)).to.deep.equal([
      'algorithm.actionType: must be DETECTION or MARKUP',
      'algorithm.description: must not be blank',
      'algorithm.name: must not be blank',
      'algorithm.providesCollection.properties[0]: must provide either a defaultValue or propertiesKey, but not both.',
      'algorithm.providesCollection.properties[1]: must provide either a defaultValue or propertiesKey, but not both.',
      'algorithm.providesCollection.properties[2].type: must be BOOLEAN, FLOAT, DOUBLE, INT, LONG, or STRING',
      'algorithm.requiresCollection: must not be null',
      'algorithm.trackType: must not be blank',
      'componentName: must not contain "/" or ";"',
      'componentVersion: must not be null',
      'environmentVariables[0].sep: must be ":" or null',
      'middlewareVersion: must not be null',
      'must contain batchLibrary, streamLibrary, or both',
      'pipelines: must be a list',
      'sourceLanguage: must be java, c++, python, javascript, or typescript',
      'tasks[0].actions: must not be empty',
    ]);
    for (const nothing of [null, undefined, 'text', 7, [], [[]]])
      expect(problems(nothing)).not.to.have.lengthOf(0);
  });

  it('cannot draw into media: that algorithm is the service’s own', () => {
    expect(problems(descriptorBody('C', {}, { actionType: 'MARKUP' }))).to.deep.equal([
      'algorithm.actionType: must be DETECTION',
    ]);
  });

  for (const [name, problem] of [
    ['', 'must not be blank'],
    ['a;b', 'must not contain "/" or ";"'],
    ['a\u0000b', 'must not contain control characters or halves of characters'],
    ['\ud800', 'must not contain control characters or halves of characters'],
    ['..', 'must not be "." or ".."'],
    ['x'.repeat(257), 'must have at most 256 characters'],
    ['ß'.repeat(129), 'must have at most 256 characters'],
  ] as const)
    it(`refuses the name ${JSON.stringify(name.slice(0, 8))} (${name.length} characters)`, () => {
      expect(problems(descriptorBody('C', {}, { name }))).to.deep.equal([`algorithm.name: ${problem}`]);
      expect(problems(descriptorBody('C', { componentName: name }))).to.deep.equal([
        `componentName: ${problem}`,
      ]);
    });

  describe('without lists of its own', () => {
    it('brings an action, a task and a pipeline of its algorithm', () => {
      const { action, task, pipeline } = elementsOf(descriptorOf('C', {}, { name: 'ALGO' }));
      expect({ action, task, pipeline }).to.deep.equal({
        action: [
          {
            name: 'ALGO DETECTION ACTION',
            description: 'Default action for the ALGO algorithm.',
            algorithm: 'ALGO',
            properties: [],
          },
        ],
        task: [
          {
            name: 'ALGO DETECTION TASK',
            description: 'Default task for the ALGO DETECTION ACTION action.',
            actions: ['ALGO DETECTION ACTION'],
          },
        ],
        pipeline: [
          {
            name: 'ALGO DETECTION PIPELINE',
            description: 'Default pipeline for the ALGO DETECTION TASK task.',
            tasks: ['ALGO DETECTION TASK'],
          },
        ],
      });
    });

    it('brings no pipeline when its algorithm needs the results of another', () => {
      const { task, pipeline } = elementsOf(
        descriptorOf('C', {}, { requiresCollection: { states: ['DETECTION'] } }),
      );
      expect([task.length, pipeline]).to.deep.equal([1, []]);
    });

    it('runs its first action if only tasks and pipelines are absent; an empty list adds none', () => {
      const actions = [{ name: 'MINE', description: 'd', algorithm: 'C ALGORITHM' }];
      expect(elementsOf(descriptorOf('C', { actions })).task[0]?.actions).to.deep.equal(['MINE']);
      const { task, pipeline } = elementsOf(descriptorOf('C', { actions, tasks: [] }));
      expect([task, pipeline]).to.deep.equal([[], []]);
    });
  });
});
