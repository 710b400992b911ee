/** Notes on likely mistakes in properties, and in those of a whole job. */
import { expect } from 'chai';
import { jobNotes, type NotedJob } from '../../../domain/job/job-notes.ts';
import { KnownProperties, isNear, notesOn } from '../../../domain/properties/property-notes.ts';
import type { DescribedProperty } from '../../../domain/properties/property-values.ts';
import { WORKFLOW_PROPERTIES } from '../../../domain/properties/workflow-properties.ts';
import { algorithm } from '../catalog-support.ts';

const notes = (values: Record<string, string>, known: readonly DescribedProperty[] = WORKFLOW_PROPERTIES) => [
  ...notesOn(values, new KnownProperties(known), 'jobProperties'),
];

describe('Notes on properties', () => {
  it('name a property that nobody knows, and the one that was probably meant', () => {
    expect(notes({ FRAME_INTERVALL: '5', NO_SUCH: '1' })).to.deep.equal([
      'jobProperties: the property FRAME_INTERVALL is not known here (did you mean FRAME_INTERVAL?); it is passed on and has no other effect.',
      'jobProperties: the property NO_SUCH is not known here; it is passed on and has no other effect.',
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
    ['FRAME_INTERVAL', ['5', ' -1 ', ''], ['often', '2.5', '3000000000'], 'it takes a whole number (INT)'],
    ['MIN_OVERLAP', ['0.5', '1e-3', '-Infinity'], ['50%', '0,5'], 'it takes a number (DOUBLE)'],
    ['MERGE_TRACKS', ['TRUE', 'false', ' '], ['yes', '1'], 'its values are TRUE and FALSE'],
    ['EXEMPLAR_POLICY', ['FIRST', 'quality'], ['BEST'], 'its values are FIRST, LAST, MIDDLE and QUALITY'],
    [
      'FEED_FORWARD_TYPE',
      ['region', 'NONE'],
      ['REGIONS'],
      'its values are NONE, FRAME, REGION and SUPERSET_REGION',
    ],
    ['ROTATION_FILL_COLOR', ['white'], ['RED'], 'its values are BLACK and WHITE'],
    ['SEGMENT_LENGTH_SPECIFICATION', ['SECONDS'], ['MINUTES'], 'its values are FRAME and SECONDS'],
    [
      'SEARCH_REGION_TOP_LEFT_X_DETECTION',
      ['-1', '20', ' 12.5% '],
      ['left', '%', '10 px'],
      'it takes pixels, or a percentage such as 25%',
    ],
    ['QUALITY_SELECTION_PROPERTY', ['CONFIDENCE', 'SIZE'], [], ''],
  ] as const)
    it(`name values that ${name} does not take`, () => {
      for (const value of good) expect(notes({ [name]: value }), value).to.deep.equal([]);
      for (const value of bad)
        expect(notes({ [name]: value })).to.deep.equal([
          `jobProperties: the property ${name} is "${value}", but ${problem}; the value is passed on as it is.`,
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
    expect(notes({ SIZE: 'small', SHAPE: 'x' }, known)).to.deep.equal([]);
    expect(notes({ SIZE: 'huge' }, known)).to.have.length(1);
  });
});

describe('Notes on a job', () => {
  const SIZE = { name: 'SIZE', type: 'INT', description: 'How large.', defaultValue: '1' } as const;
  const job = (more: Partial<NotedJob> = {}, action: Record<string, string> = {}): NotedJob => ({
    plan: {
      name: 'P',
      description: '',
      tasks: [
        {
          name: 'T',
          description: '',
          actionType: 'DETECTION',
          actions: [
            {
              name: 'A1',
              description: '',
              properties: action,
              algorithm: algorithm('A', { properties: [SIZE] }),
            },
          ],
        },
      ],
    },
    jobProperties: {},
    algorithmProperties: {},
    media: [{ properties: {} }],
    ...more,
  });

  it('say where each property is set, by the algorithms of the pipeline and the workflow', () => {
    const found = jobNotes(
      job({
        jobProperties: { SIZE: 'x', FRAME_INTERVAL: '5', OTHER: '1' },
        algorithmProperties: { a: { SIZES: '3' }, B: { SIZE: '3' } },
        media: [
          { properties: { SIZE: '3' } },
          { properties: { SIZES: '1' }, selectors: [{ selectionProperties: { size: '1' } }] },
        ],
      }),
    );
    expect(found).to.deep.equal([
      'jobProperties: the property SIZE is "x", but it takes a whole number (INT); the value is passed on as it is.',
      'jobProperties: the property OTHER is not known here; it is passed on and has no other effect.',
      'algorithmProperties.a: the property SIZES is not known here (did you mean SIZE?); it is passed on and has no other effect.',
      'algorithmProperties.B: the pipeline has no such algorithm, only A; properties for it have no effect.',
      'media[1].properties: the property SIZES is not known here (did you mean SIZE?); it is passed on and has no other effect.',
      'media[1].mediaSelectors[0].selectionProperties: the property size is not known here (did you mean SIZE?); it is passed on and has no other effect.',
    ]);
  });

  it('tell of values of an action that its job can run with and that nobody takes', () => {
    expect(jobNotes(job({}, { FEED_FORWARD_TYPE: 'REGIONS', SIZE: '2' }))).to.deep.equal([
      'the action "A1": the property FEED_FORWARD_TYPE is "REGIONS", but its values are NONE, FRAME, REGION and SUPERSET_REGION; the value is passed on as it is.',
    ]);
  });

  it('tell of an output action for media selectors that are not there', () => {
    expect(jobNotes(job({ media: [{ properties: {}, selectorsOutputAction: 'A1' }] }))).to.deep.equal([
      'media[0]: mediaSelectorsOutputAction has no effect without mediaSelectors.',
    ]);
  });

  it('are none for what the service reads though no table has it', () => {
    expect(
      jobNotes(
        job({ media: [{ properties: { LINKED_MEDIA_HASH: 'ab' } }], jobProperties: { VERBOSE: '1' } }),
      ),
    ).to.deep.equal([]);
  });

  it('are so few that they can be read, also of a thousand media with a thousand wrong names', () => {
    const names = Object.fromEntries(Array.from({ length: 1_000 }, (_, n) => [`NAME_${n}`, 'x']));
    const media = Array.from({ length: 1_000 }, (_, n) => ({ properties: { ...names, LAST: String(n) } }));
    const found = jobNotes(job({ jobProperties: names, media }));
    expect(found).to.have.length(21);
    expect(found.at(-1)).to.equal('There are more such properties.');
  });
});
