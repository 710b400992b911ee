/** Properties that were probably meant otherwise: the notes on them, and where the tool takes its knowledge from. */
import { expect } from 'chai';
import { noteProperties } from '../../cli/job-notes.ts';
import { isNear, notesOn } from '../../cli/property-notes.ts';
import { RestClient } from '../../cli/rest-client.ts';
import { Terminal } from '../../cli/terminal.ts';
import { givenToken } from '../../cli/token-source.ts';
import { WORKFLOW_PROPERTIES } from '../../pipeline/workflow-properties.ts';
import { answer, withService, type Handler } from './scripted-service.ts';

const notes = (values: Record<string, string>) =>
  notesOn({ values, known: WORKFLOW_PROPERTIES, unknown: 'Nobody in the pipeline knows' });

describe('Notes on properties', () => {
  it('name a property that nobody knows, and the one that was probably meant', () => {
    expect(notes({ FRAME_INTERVALL: '5', NO_SUCH: '1' })).to.deep.equal([
      'Nobody in the pipeline knows the property FRAME_INTERVALL (did you mean FRAME_INTERVAL?): it is passed on and has no effect.',
      'Nobody in the pipeline knows the property NO_SUCH: it is passed on and has no effect.',
    ]);
    expect(notes({ frame_interval: '5' })[0]).to.include('did you mean FRAME_INTERVAL?');
  });

  it('take names for near that differ in case, in what parts the words, or in one letter', () => {
    for (const name of [
      'merge_tracks',
      'MergeTracks',
      'MERGE-TRACKS',
      'MERGE_TRACK',
      'MERGE_TRRACKS',
      'MERGE_TARCKS',
      'MERGE_TRAKKS',
      'ERGE_TRACKS',
    ])
      expect(isNear('MERGE_TRACKS', name), name).to.equal(true);
    for (const name of ['MERGE', 'MERGE_TRA', 'MEGRE_TARCKS', 'MERGE_TRACKS_NOW', ''])
      expect(isNear('MERGE_TRACKS', name), name).to.equal(false);
  });

  for (const [name, good, bad, problem] of [
    ['FRAME_INTERVAL', ['5', ' -1 ', ''], ['often', '2.5'], 'it takes a whole number (INT)'],
    ['MIN_OVERLAP', ['0.5', '1e-3', '-Infinity'], ['50%', '0,5'], 'it takes a number (DOUBLE)'],
    [
      'MERGE_TRACKS',
      ['TRUE', 'false', ' '],
      ['yes', '1'],
      'its values are TRUE and FALSE, all else counts as FALSE',
    ],
    ['EXEMPLAR_POLICY', ['FIRST', 'quality'], ['BEST'], 'its values are FIRST, LAST, MIDDLE and QUALITY'],
    ['SEGMENT_LENGTH_SPECIFICATION', ['SECONDS'], ['MINUTES'], 'its values are FRAME and SECONDS'],
    ['QUALITY_SELECTION_PROPERTY', ['CONFIDENCE', 'SIZE'], [], ''],
  ] as const)
    it(`name values that ${name} does not take`, () => {
      for (const value of good) expect(notes({ [name]: value }), value).to.deep.equal([]);
      for (const value of bad)
        expect(notes({ [name]: value })).to.deep.equal([
          `Property ${name}: ${problem}; "${value}" is passed on as it is.`,
        ]);
    });

  it('find nothing wrong with a shipped default', () => {
    for (const { name, defaultValue } of WORKFLOW_PROPERTIES)
      expect(notes({ [name]: defaultValue ?? '' })).to.deep.equal([]);
  });

  it('let a value pass that one of several algorithms takes, and types of later versions', () => {
    const known = [
      { name: 'SIZE', type: 'INT', description: '' },
      { name: 'SIZE', type: 'STRING', description: 'How large: SMALL or LARGE.' },
      { name: 'SHAPE', type: 'POLYGON', description: '' },
    ];
    expect(notesOn({ values: { SIZE: 'small', SHAPE: 'x' }, known, unknown: '' })).to.deep.equal([]);
    expect(notesOn({ values: { SIZE: 'huge' }, known, unknown: '' })).to.have.length(1);
  });
});

describe('Notes on the properties of a job', () => {
  const ALGORITHM = answer(200, {
    name: 'A',
    providesCollection: { properties: [{ name: 'SIZE', type: 'INT', description: 'How large.' }] },
  });
  const PIPELINE = answer(200, { tasks: ['T'] });

  async function noted(request: object, handlers: readonly Handler[]) {
    const said: string[] = [];
    const terminal = new Terminal();
    terminal.note = (line) => said.push(line);
    let paths: readonly string[] = [];
    await withService(handlers, async (url, asked) => {
      const client = new RestClient(url, givenToken('t'), { connectMs: 0, busyMs: 60_000 });
      await noteProperties(client, request, terminal);
      paths = asked.map((line) => line.split(' ')[1] ?? '');
    });
    return { said, paths };
  }

  it('go by the algorithms of its pipeline alone, stored or given with the job, and by the workflow properties', async () => {
    const { said, paths } = await noted(
      {
        pipelineDefinition: {
          pipeline: ['t', 'stored task'],
          tasks: [{ name: 'T', actions: ['a1'] }],
          actions: [{ name: 'A1', algorithm: 'a' }],
        },
        jobProperties: { SIZE: 'x', FRAME_INTERVAL: '5', OTHER: '1' },
        media: [
          {
            mediaUri: 'file:///a',
            properties: { SIZES: '1' },
            mediaSelectors: [{ selectionProperties: { size: '1' } }],
          },
        ],
        algorithmProperties: { a: { SIZES: '3' }, B: { SIZE: '3' } },
      },
      [answer(200, { name: 'STORED TASK', actions: ['a1'] }), ALGORITHM],
    );
    expect(paths).to.deep.equal(['/rest/tasks/STORED%20TASK', '/rest/algorithms/A']);
    expect(said).to.deep.equal([
      'Property SIZE: it takes a whole number (INT); "x" is passed on as it is.',
      'Nobody in the pipeline knows the property OTHER: it is passed on and has no effect.',
      'Nobody in the pipeline knows the property SIZES (did you mean SIZE?): it is passed on and has no effect.',
      'Nobody in the pipeline knows the property size (did you mean SIZE?): it is passed on and has no effect.',
      'The algorithm A does not know the property SIZES (did you mean SIZE?): it is passed on and has no effect.',
      'The pipeline has no algorithm B, only A: properties for it have no effect.',
    ]);
  });

  it('cost no request when no properties are given', async () => {
    const { said, paths } = await noted(
      { pipelineName: 'P', jobProperties: {}, media: [{ mediaUri: 'file:///a' }] },
      [],
    );
    expect([said, paths]).to.deep.equal([[], []]);
  });

  for (const [what, handlers] of [
    ['is busy', [answer(503, { message: 'busy' })]],
    ['breaks off', [(request) => request.socket.destroy()]],
    ['has no such pipeline', [answer(404, undefined)]],
    [
      'does not tell what its algorithms provide',
      [
        PIPELINE,
        answer(200, { actions: ['X'] }),
        answer(200, { name: 'X', algorithm: 'A' }),
        answer(200, { name: 'A' }),
      ],
    ],
  ] as readonly (readonly [string, readonly Handler[]])[])
    it(`are none, and no error, when the service ${what}`, async () => {
      const { said, paths } = await noted({ pipelineName: 'p', jobProperties: { NO_SUCH: '1' } }, handlers);
      expect(said).to.deep.equal([]);
      expect(paths[0]).to.equal('/rest/pipelines/P');
    });
});
