/**
 * Effects of properties on a job: which value is used, which values are refused, and which frames are
 * processed.
 */
import { expect } from 'chai';
import type { Properties } from '../../domain/types.ts';
import { sampleUri, Service, type DocumentMedium, type JobRequest } from '../support/processes/service.ts';
import { LEVELS, NAME, VALUES, request } from './levels.ts';
import {
  annotates,
  finds,
  foundBy,
  inOneJob,
  looks,
  pipelineOf,
  refusal,
  runOne,
  valuesOf,
  video,
} from './support.ts';

// `rest/catalog/environment-properties` tests the other levels.
describe('The value of a property that is in force', () => {
  let service: Service;
  before(async () => {
    service = await Service.openShared();
  });
  after(() => service.close());

  it('is that of the selector, else of the medium, else of the algorithm', async () => {
    const levels = [LEVELS, LEVELS.slice(1), LEVELS.slice(2)];
    const media = levels.flatMap((of) => request(service, of).media);
    const { media: found } = await service.run({ ...request(service, LEVELS), media });
    const values = found.map((medium) => valuesOf(medium, 'FIRST', NAME)[0]);
    expect(values).to.deep.equal([VALUES.selector, VALUES.media, VALUES.algorithm]);
  });
});

describe('A job is refused', () => {
  let service: Service;
  before(async () => {
    service = await Service.openShared();
  });
  after(() => service.close());

  const FED = { FEED_FORWARD_TYPE: 'region' };
  const TWO = pipelineOf(finds([]), looks(FED));
  const REFUSED: readonly [why: string, says: RegExp, request: Omit<JobRequest, 'media'>][] = [
    ['a trigger without "="', /does not contain/, { ...TWO, jobProperties: { TRIGGER: 'asdf' } }],
    ['a trigger without a property', /names no property/, { ...TWO, jobProperties: { TRIGGER: '=a' } }],
    [
      'a trigger of an action that is not fed',
      /feed forward is not enabled/,
      pipelineOf(finds([]), looks({ TRIGGER: 'A=B' })),
    ],
    [
      'a trigger of the job in whose pipeline nothing is fed',
      /feed forward is not enabled/,
      { ...pipelineOf(finds([])), jobProperties: { TRIGGER: 'A=B' } },
    ],
    [
      'feed forward that is switched off above the action with the trigger',
      /feed forward is not enabled/,
      {
        ...pipelineOf(finds([]), looks({ ...FED, TRIGGER: 'A=B' })),
        jobProperties: { FEED_FORWARD_TYPE: 'NONE' },
      },
    ],
    [
      'padding that leaves nothing',
      /must be > -50%/,
      { ...TWO, algorithmProperties: { STAGED: { DETECTION_PADDING_X: '-50%' } } },
    ],
    [
      'padding that is no number',
      /not a valid value/,
      { ...TWO, jobProperties: { DETECTION_PADDING_Y: '1.5' } },
    ],
    [
      'a value of an action that is not of its type',
      /not a valid \\"INT\\"/,
      pipelineOf(finds([], { TARGET_SEGMENT_LENGTH: 'long' })),
    ],
    [
      'a property of an action that nobody knows',
      /is not the name of a workflow property/,
      pipelineOf(finds([], { TARGET: '1' })),
    ],
    [
      'a last task without anything to show',
      /SUPPRESS_TRACKS/,
      pipelineOf(finds([], { SUPPRESS_TRACKS: 'TRUE' }), annotates()),
    ],
  ];
  for (const [why, says, request] of REFUSED)
    it(`for ${why}`, async () => {
      expect(await refusal(service, { media: [sampleUri('hello-world.png')], ...request })).to.match(says);
    });

  it('for a property of one of its media', async () => {
    const bad = { mediaUri: sampleUri('hello-world.png'), properties: { DETECTION_PADDING_X: 'wide' } };
    const request = { ...TWO, media: [sampleUri('hello-world.png'), bad] };
    expect(await refusal(service, request)).to.match(/\\"wide\\", but that is not a valid value/);
  });

  it('but not for a trigger of the job when the action that is fed says so itself', async () => {
    const cat = { properties: { NAME: 'CAT' } };
    const medium = await runOne(service, sampleUri('hello-world.png'), {
      ...pipelineOf(finds([cat, { properties: { NAME: 'DOG' } }]), looks(FED)),
      jobProperties: { TRIGGER: 'NAME=CAT' },
    });
    expect(valuesOf(medium, 'SECOND', 'FED')).to.deep.equal(['CAT']);
  });
});

describe('The frames that a task looks at', () => {
  let service: Service;
  let constant: string;
  let variable: string;

  before(async () => {
    service = await Service.openShared();
    constant = video(service, 'constant.avi', { frames: 60 });
    variable = video(service, 'variable.mkv', {
      frames: 60,
      at: (frame) => frame * 40 + (frame > 30 ? 200 : 0),
    });
  });
  after(() => service.close());

  /** Ranges of the sub-jobs of a task, as the test component reports them. */
  const rangesOf = (medium: DocumentMedium, action = 'FIRST') =>
    foundBy(medium, action).map(({ trackProperties: { START, STOP } }) => `${START}-${STOP}`);
  const lookAtFilm = inOneJob(() => service, pipelineOf(looks()));

  const SEGMENTS: readonly [lengths: string, properties: Properties, expected: readonly string[]][] = [
    [
      'TARGET_SEGMENT_LENGTH frames, the rest of at least MIN_SEGMENT_LENGTH',
      { TARGET_SEGMENT_LENGTH: '25', MIN_SEGMENT_LENGTH: '10' },
      ['0-24', '25-49', '50-59'],
    ],
    [
      'more frames at the end, when less than MIN_SEGMENT_LENGTH would be left',
      { TARGET_SEGMENT_LENGTH: '25', MIN_SEGMENT_LENGTH: '11' },
      ['0-24', '25-59'],
    ],
    [
      'so many seconds with SEGMENT_LENGTH_SPECIFICATION',
      { TARGET_SEGMENT_LENGTH: '1', MIN_SEGMENT_LENGTH: '0', SEGMENT_LENGTH_SPECIFICATION: 'seconds' },
      ['0-24', '25-49', '50-59'],
    ],
    ['all frames when TARGET_SEGMENT_LENGTH is 0', { TARGET_SEGMENT_LENGTH: '0' }, ['0-59']],
    ['all frames when TARGET_SEGMENT_LENGTH is less than 0', { TARGET_SEGMENT_LENGTH: '-1' }, ['0-59']],
  ];
  for (const [lengths, properties, expected] of SEGMENTS) {
    const medium = lookAtFilm(() => constant, properties);

    it(`are cut into segments of ${lengths}`, () => {
      expect(rangesOf(medium())).to.deep.equal(expected);
    });
  }

  it('are cut by the default, with a warning, when a length is no number', async () => {
    const request = { ...pipelineOf(looks()), jobProperties: { TARGET_SEGMENT_LENGTH: 'x' } };
    const medium = await runOne(service, constant, request, 'COMPLETE_WITH_WARNINGS');
    expect(rangesOf(medium)).to.deep.equal(['0-59']);
  });

  const varyMedium = lookAtFilm(() => variable, {
    ...{ VFR_TARGET_SEGMENT_LENGTH: '20', VFR_MIN_SEGMENT_LENGTH: '5' },
    ...{ TARGET_SEGMENT_LENGTH: '7', MIN_SEGMENT_LENGTH: '1' },
  });

  it('are cut by VFR_TARGET_SEGMENT_LENGTH and VFR_MIN_SEGMENT_LENGTH when the rate varies', () => {
    expect(rangesOf(varyMedium())).to.deep.equal(['0-19', '20-39', '40-59']);
  });

  const inRanges = lookAtFilm(
    () => constant,
    { TARGET_SEGMENT_LENGTH: '10', MIN_SEGMENT_LENGTH: '6' },
    {
      frameRanges: [
        { start: 50, stop: 200 },
        { start: 5, stop: 9 },
      ],
      timeRanges: [{ start: 400, stop: 1199 }],
    },
  );

  it('are those of frame ranges and time ranges together, each run of frames cut on its own', () => {
    // Adjacent ranges are merged.
    expect(rangesOf(inRanges())).to.deep.equal(['5-14', '15-29', '50-59']);
  });

  const TRACKS = [{ frames: [2, 5] }, { frames: [9, 12] }, { frames: [30, 31] }];
  const followFilm = inOneJob(() => service, pipelineOf(finds(TRACKS), looks()));
  const [near, far, farthest] = ['4', '3', '18'].map((gap) =>
    followFilm(() => constant, { MIN_GAP_BETWEEN_SEGMENTS: gap }),
  );

  it('are the ranges of the tracks before, joined over MIN_GAP_BETWEEN_SEGMENTS', () => {
    expect(rangesOf(near!(), 'SECOND')).to.deep.equal(['2-12', '30-31']);
    expect(rangesOf(far!(), 'SECOND')).to.deep.equal(['2-5', '9-12', '30-31']);
    expect(rangesOf(farthest!(), 'SECOND')).to.deep.equal(['2-31']);
  });

  it('are none when the task before found nothing', async () => {
    const medium = await runOne(service, constant, pipelineOf(finds([]), looks()));
    expect(Object.keys(medium.output)).to.deep.equal(['NO TRACKS']);
  });

  const SAMPLED: readonly [what: string, medium: Properties, shown: string][] = [
    ['every n-th with FRAME_INTERVAL', { FRAME_INTERVAL: '25' }, '0,25,50'],
    ['at most FRAME_RATE_CAP a second', { FRAME_RATE_CAP: '2' }, '0,12,24,36,48'],
    [
      'by the cap when both are set on one level',
      { FRAME_INTERVAL: '25', FRAME_RATE_CAP: '1.25' },
      '0,20,40',
    ],
  ];
  for (const [what, properties, expected] of SAMPLED) {
    const medium = lookAtFilm(() => constant, properties);

    it(`are ${what}`, () => {
      expect(valuesOf(medium(), 'FIRST', 'SHOWN')).to.deep.equal([expected]);
    });
  }

  /** Two actions, each of which sets one of the properties. */
  const AT_INTERVALS = looks({ FRAME_INTERVAL: '30' });
  const CAPPED = looks({ FRAME_RATE_CAP: '1' });
  const sampleFilm = inOneJob(() => service, pipelineOf([AT_INTERVALS, CAPPED]));
  const LEVELS: readonly [what: string, action: 'FIRST' | 'FIRST 1', medium: Properties, shown: string][] = [
    ['by the interval when it is set on the higher level', 'FIRST 1', { FRAME_INTERVAL: '20' }, '0,20,40'],
    ['by the cap when it is set on the higher level', 'FIRST', { FRAME_RATE_CAP: '2' }, '0,12,24,36,48'],
    ['by the interval when the cap above it is off', 'FIRST', { FRAME_RATE_CAP: '-1' }, '0,30'],
    ['by the cap when the interval above it is off', 'FIRST 1', { FRAME_INTERVAL: '0' }, '0,25,50'],
  ];
  for (const [what, action, properties, expected] of LEVELS) {
    const medium = sampleFilm(() => constant, properties);

    it(`are ${what}`, () => {
      expect(valuesOf(medium(), action, 'SHOWN')).to.deep.equal([expected]);
    });
  }
});
