import { expect } from 'chai';
import * as fc from 'fast-check';
import { createHash } from 'node:crypto';
import { atOnce } from '../../../actors/runtime/steps.ts';
import { isIgnorable } from '../../../domain/properties/ignorable-properties.ts';
import {
  OUTPUT_CHANGED_COUNTER,
  OUTPUT_VERSION,
  jobConfigHashInSteps,
  type HashedJob,
} from '../../../domain/job/job-config-hash.ts';
import { MEDIA_TYPES, type MediaSelector, type MediaType, type Properties } from '../../../domain/types.ts';
import { WORKFLOW_PROPERTIES } from '../../../domain/properties/workflow-properties.ts';
import '../support.ts';
import { declareProperty, hashedJob, hashedMedium, planOf, planAction } from './archive-support.ts';

const jobConfigHash = (job: HashedJob) => atOnce(jobConfigHashInSteps(job));
const range = (start: number, stop: number) => ({ start, stop });

function expectSame(a: HashedJob, b: HashedJob): void {
  expect(jobConfigHash(a)).to.equal(jobConfigHash(b));
}
function expectAllDifferent(...jobs: readonly HashedJob[]): void {
  expect(new Set(jobs.map(jobConfigHash)).size).to.equal(jobs.length);
}

/** Relevant workflow properties of a generic medium with their defaults, sorted. */
const GENERIC = [
  ['DERIVATIVE_MEDIA_ONLY', 'false'],
  ['FEED_FORWARD_TYPE', 'NONE'],
  ['FFPROBE_IGNORE_STDERR', 'false'],
  ['IS_ANNOTATOR', 'false'],
  ['MEDIA_SELECTORS_DELIMETER'],
  ['MEDIA_SELECTORS_DUPLICATE_POLICY', 'LONGEST'],
  ['MEDIA_SELECTORS_NO_MATCHES_IS_ERROR', 'true'],
  ['QUALITY_SELECTION_PROPERTY', 'CONFIDENCE'],
  ['QUALITY_SELECTION_THRESHOLD', '-Infinity'],
  ['REMOTE_MEDIA_ADD_TOKEN', 'false'],
  ['ROLL_UP_FILE'],
  ['SKIP_MEDIA_INSPECTION', 'false'],
  ['SOURCE_MEDIA_ONLY', 'false'],
  ['SUPPRESS_TRACKS', 'false'],
  ['TRIGGER'],
];

describe('The hash of a job configuration', () => {
  it('is the SHA-256 over all its items, each followed by a slash', () => {
    const text = planAction('TEXT', {
      declares: [declareProperty('ALPHA', '1'), declareProperty('ZULU')],
      outputChangedCounter: 7,
    });
    const speech = planAction('SPEECH');
    const job = hashedJob({
      plan: planOf([text], [speech]),
      jobProperties: { ALPHA: '2', NOBODY_KNOWS: 'x', ARCHIVE_URL: 'http://localhost' },
      media: [
        hashedMedium({ sha256: 'bb', mediaType: 'UNKNOWN' }),
        hashedMedium({
          sha256: 'aa',
          mediaType: 'UNKNOWN',
          frameRanges: [range(20, 30), range(5, 10)],
          timeRanges: [range(0, 99)],
        }),
      ],
    });
    const actions = [
      ...['TEXT', '7', 'ALPHA', '2', ...GENERIC.flat(), 'ZULU', '$'],
      ...['SPEECH', 'none', ...GENERIC.flat(), '$'],
    ];
    const items = [
      ...[OUTPUT_VERSION, String(OUTPUT_CHANGED_COUNTER)],
      ...['aa', '5 - 10', '20 - 30', '0 - 99', 'none', ...actions],
      ...['bb', 'none', 'none', 'none', ...actions],
    ];
    const byHand = createHash('sha256')
      .update(`${items.join('/')}/`)
      .digest('hex');
    expect(jobConfigHash(job)).to.equal(byHand);
    // Archived results stay valid as long as the version, the counter and the list of properties do not
    // change.
    expect(byHand).to.equal('8cb1328907fae76658ec5bd802d5eff23fe677007e906a06b7a8272eb9f30ede');
  });

  it('is the same for the same job', () => {
    expectSame(hashedJob(), hashedJob());
    expect(jobConfigHash(hashedJob())).to.match(/^[0-9a-f]{64}$/);
  });

  it('does not depend on the order of the media, whatever they are', () => {
    const media = fc.array(
      fc.record({
        sha256: fc.constantFrom('aa', 'bb', 'cc'),
        mediaType: fc.constantFrom<MediaType>(...MEDIA_TYPES),
        properties: fc.constantFrom<Properties>({}, { TRIGGER: 'a' }, { TRIGGER: 'b', FRAME_INTERVAL: '2' }),
        frameRanges: fc.constantFrom([], [range(0, 5)], [range(0, 5), range(8, 9)]),
        timeRanges: fc.constantFrom([], [range(0, 5)]),
      }),
      { minLength: 1, maxLength: 6 },
    );
    const shuffled = media.chain((all) =>
      fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length })),
    );
    fc.assert(
      fc.property(
        shuffled,
        ([a, b]) => jobConfigHash(hashedJob({ media: a })) === jobConfigHash(hashedJob({ media: b })),
      ),
    );
  });

  it('does not depend on the order in which ranges, properties and definitions are given', () => {
    const ranges = [range(7, 9), range(0, 3), range(0, 2)];
    const medium = (frameRanges: typeof ranges) => hashedMedium({ mediaType: 'VIDEO', frameRanges });
    expectSame(hashedJob({ media: [medium(ranges)] }), hashedJob({ media: [medium(ranges.toReversed())] }));
    const [a, b] = [declareProperty('A', '1'), declareProperty('B', '2')];
    expectSame(
      hashedJob({
        plan: planOf([planAction('FACE', { declares: [a, b] })]),
        jobProperties: { A: '5', B: '6' },
      }),
      hashedJob({
        plan: planOf([planAction('FACE', { declares: [b, a] })]),
        jobProperties: { B: '6', A: '5' },
      }),
    );
  });

  it('sorts ranges by their numbers', () => {
    const media = (frameRanges: readonly ReturnType<typeof range>[]) => [hashedMedium({ frameRanges })];
    expectAllDifferent(
      hashedJob(),
      hashedJob({ media: media([range(9, 10)]) }),
      hashedJob({ media: media([range(9, 10), range(100, 110)]) }),
      hashedJob({ media: [hashedMedium({ timeRanges: [range(9, 10)] })] }),
    );
  });

  it('covers the media selectors, in any order, but nothing that changes no result', () => {
    const selector = (more: Partial<MediaSelector> = {}): MediaSelector => ({
      type: 'JSON_PATH',
      expression: '$.a',
      selectionProperties: { B: '1', A: '2' },
      resultDetectionProperty: 'TEXT',
      ...more,
    });
    const job = (...selectors: readonly MediaSelector[]) =>
      hashedJob({ media: [hashedMedium({ mediaType: 'UNKNOWN', selectors })] });
    const other = selector({ expression: '$.b' });
    expectSame(job(), hashedJob({ media: [hashedMedium({ mediaType: 'UNKNOWN' })] }));
    expectSame(job(selector(), other), job(other, selector()));
    expectSame(job(selector()), job(selector({ selectionProperties: { A: '2', B: '1', S3_REGION: 'x' } })));
    expectAllDifferent(
      ...[job(), job(selector()), job(other), job(selector(), other), job(selector(), selector())],
      job(selector({ resultDetectionProperty: 'TRANSLATION' })),
      job(selector({ selectionProperties: { B: '1', A: '3' } })),
      job(selector({ selectionProperties: {} })),
    );
  });

  it('changes with another medium, one more or the same twice', () => {
    const [aa, bb] = [hashedMedium(), hashedMedium({ sha256: 'bb' })];
    expectAllDifferent(
      hashedJob({ media: [aa] }),
      hashedJob({ media: [bb] }),
      hashedJob({ media: [aa, bb] }),
      hashedJob({ media: [aa, aa] }),
    );
  });

  it('changes with another algorithm, another output counter, and with parallel actions', () => {
    const [face, text] = [planAction('FACE'), planAction('TEXT')];
    expectAllDifferent(
      hashedJob({ plan: planOf([face]) }),
      hashedJob({ plan: planOf([text]) }),
      hashedJob({ plan: planOf([planAction('FACE', { outputChangedCounter: 1 })]) }),
      hashedJob({ plan: planOf([planAction('FACE', { outputChangedCounter: 2 })]) }),
      hashedJob({ plan: planOf([face, text]) }),
      hashedJob({ plan: planOf([face], [text]) }),
      hashedJob({ plan: planOf([text], [face]) }),
    );
  });

  it('does not change with the names of the pipeline, its tasks and its actions', () => {
    const plan = planOf([planAction('FACE')]);
    const renamed = {
      name: 'OTHER',
      description: 'other',
      tasks: plan.tasks.map((task) => ({
        ...task,
        name: 'OTHER TASK',
        actions: task.actions.map((action) => ({ ...action, name: 'OTHER ACTION', description: 'other' })),
      })),
    };
    expectSame(hashedJob({ plan }), hashedJob({ plan: renamed }));
  });

  it('changes with the value in force of a property, from whichever level it comes', () => {
    const declares = [declareProperty('DEPTH', '1')];
    const plan = planOf([planAction('FACE', { declares })]);
    const five = { DEPTH: '5' };
    const same = [
      hashedJob({ plan: planOf([planAction('FACE', { declares, properties: five })]) }),
      hashedJob({ plan, jobProperties: five }),
      hashedJob({ plan, algorithmProperties: { face: five }, jobProperties: { DEPTH: '6' } }),
      hashedJob({
        plan,
        media: [hashedMedium({ properties: five })],
        algorithmProperties: { FACE: { DEPTH: '6' } },
      }),
      hashedJob({ plan, environmentProperties: five, media: [hashedMedium({ properties: { DEPTH: '6' } })] }),
    ];
    expect(new Set(same.map(jobConfigHash)).size).to.equal(1);
    expectAllDifferent(same[0]!, hashedJob({ plan }), hashedJob({ plan, jobProperties: { DEPTH: '6' } }));
    expectSame(hashedJob({ plan }), hashedJob({ plan, jobProperties: { DEPTH: '1' } }));
  });

  it('changes with a server setting that supplies a default', () => {
    const key = 'detection.quality.selection.threshold';
    expectAllDifferent(hashedJob(), hashedJob({ serverProperties: { [key]: '0.5' } }));
  });

  it('tells a property without a value from one with an empty value', () => {
    const plan = planOf([planAction('FACE', { declares: [declareProperty('UNSET')] })]);
    expectAllDifferent(
      hashedJob({ plan }),
      hashedJob({ plan, jobProperties: { UNSET: '' } }),
      hashedJob({ plan, jobProperties: { UNSET: ' ' } }),
    );
  });

  it('leaves out what neither the workflow nor the algorithm knows', () => {
    expectSame(
      hashedJob(),
      hashedJob({ jobProperties: { NOBODY_KNOWS: 'x', LINKED_MEDIA_HASH: 'y', __proto__x: 'z' } }),
    );
  });

  it('omits what changes no result of the type of medium, and what applies only to other types', () => {
    const other = fc.constantFrom(...MEDIA_TYPES).chain((mediaType) => {
      const names = WORKFLOW_PROPERTIES.filter(
        ({ name, mediaTypes }) => isIgnorable(name, mediaType) || !mediaTypes.includes(mediaType),
      ).map(({ name }) => name);
      return fc.tuple(fc.constant(mediaType), fc.dictionary(fc.constantFrom(...names), fc.string()));
    });
    fc.assert(
      fc.property(other, ([mediaType, properties]) => {
        const media = [hashedMedium({ mediaType })];
        expectSame(hashedJob({ media }), hashedJob({ media, jobProperties: properties }));
      }),
    );
  });

  it('changes with every other workflow property that applies to the type of medium', () => {
    for (const mediaType of MEDIA_TYPES)
      for (const { name, mediaTypes } of WORKFLOW_PROPERTIES) {
        if (!mediaTypes.includes(mediaType) || isIgnorable(name, mediaType)) continue;
        const media = [hashedMedium({ mediaType })];
        const [a, b] = [hashedJob({ media }), hashedJob({ media, jobProperties: { [name]: 'changed' } })];
        expect(jobConfigHash(a), `${name} of ${mediaType}`).not.to.equal(jobConfigHash(b));
      }
  });

  it('does not care for the length of segments of an image, but of a video', () => {
    const job = (mediaType: MediaType, jobProperties: Properties) =>
      hashedJob({ media: [hashedMedium({ mediaType })], jobProperties });
    const longer = { TARGET_SEGMENT_LENGTH: '500' };
    expectSame(job('IMAGE', {}), job('IMAGE', longer));
    expectAllDifferent(job('VIDEO', {}), job('VIDEO', longer));
  });

  it('does not take media with different properties for equal ones', () => {
    const media = (first: Properties, second: Properties) => [
      hashedMedium({ properties: first }),
      hashedMedium({ sha256: 'bb', properties: second }),
    ];
    expectAllDifferent(
      hashedJob({ media: media({ TRIGGER: 'a' }, { TRIGGER: 'b' }) }),
      hashedJob({ media: media({ TRIGGER: 'b' }, { TRIGGER: 'a' }) }),
      hashedJob({ media: media({ TRIGGER: 'a' }, { TRIGGER: 'a' }) }),
    );
  });

  it('is the same for a hash in small and in capital letters', () => {
    expectSame(hashedJob(), hashedJob({ media: [hashedMedium({ sha256: ' AA ' })] }));
  });

  it('looks up for each medium only what the medium sets itself, a step for each', () => {
    let lookups = 0;
    const counted = new Proxy<Properties>(
      {},
      {
        getOwnPropertyDescriptor: () => {
          lookups++;
          return undefined;
        },
      },
    );
    const media = (length: number) =>
      Array.from({ length }, (_, i) => hashedMedium({ sha256: `${i}`, properties: { TRIGGER: `${i}` } }));
    const work = (length: number) => {
      lookups = 0;
      let steps = 0;
      for (
        const all = jobConfigHashInSteps(hashedJob({ media: media(length), environmentProperties: counted }));
        all.next().done !== true;
      )
        steps++;
      return { lookups, steps };
    };
    const [few, many] = [work(10), work(1_010)];
    expect(many.steps - few.steps).to.equal(2_000);
    expect(many.lookups - few.lookups, 'a thousand media more').to.equal(1_000);
  });

  it('differs with zones, lines and rules, as they are a part of the results', () => {
    const zone = (name: string) => ({
      name,
      points: [
        [0, 0],
        [1, 0],
        [1, 1],
      ] as const,
    });
    const zones = (name: string) => ({ zones: [zone(name)], lines: [], rules: [] });
    expectAllDifferent(hashedJob({}), hashedJob({ zones: zones('A') }), hashedJob({ zones: zones('B') }));
  });
});
