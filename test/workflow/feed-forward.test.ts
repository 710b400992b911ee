/** Feed forward: which tracks a later task gets, in which form, and the effect of a TRIGGER. */
import { expect } from 'chai';
import type { Properties } from '../../domain/types.ts';
import type { StagedTrack } from '../support/components/staged/detector.ts';
import { sampleUri, Service } from '../support/processes/service.ts';
import {
  annotates,
  entriesOf,
  finds,
  foundBy,
  inOneJob,
  looks,
  pipelineOf,
  runOne,
  valuesOf,
  video,
} from './support.ts';
import { four, fedTracks, takes, takesAll } from './triggers.ts';

const trackNamed = (NAME: string, more: Partial<StagedTrack> = {}): StagedTrack => ({
  properties: { NAME },
  ...more,
});

describe('Tracks that are fed forward', () => {
  let service: Service;
  let film: string;

  before(async () => {
    service = await Service.openShared();
    film = video(service, 'film.avi', { frames: 30 });
  });
  after(() => service.close());

  const CAT = trackNamed('CAT', {
    frames: [2, 4, 6, 8],
    boxes: [
      [10, 10, 20, 30],
      [20, 10, 24, 30],
      [30, 20, 20, 10],
      [40, 30, 20, 30],
    ],
    confidences: [0.2, 0.9, 0.4, 0.8],
    more: { 6: { SHARP: 'yes' } },
  });
  const DOG = trackNamed('DOG', { frames: [8, 20], boxes: [[100, 40, 40, 40]] });

  const feedFilm = inOneJob(() => service, pipelineOf(finds([CAT, DOG]), looks()));
  const feedWith = (properties: Properties) => feedFilm(() => film, properties);

  const asFrames = feedWith({ FEED_FORWARD_TYPE: 'FRAME' });

  it('as FRAME show the whole frames of their detections, in a sub-job each', () => {
    const medium = asFrames();
    expect(valuesOf(medium, 'SECOND', 'FED')).to.deep.equal(['CAT', 'DOG']);
    expect(valuesOf(medium, 'SECOND', 'SHOWN')).to.deep.equal(['2,4,6,8', '8,20']);
    expect(valuesOf(medium, 'SECOND', 'SIZES')).to.deep.equal(['160x96', '160x96']);
  });

  const asRegions = feedWith({ FEED_FORWARD_TYPE: 'region' });

  it('as REGION show the box of each detection, and what is found in it lies there in the medium', () => {
    const medium = asRegions();
    expect(valuesOf(medium, 'SECOND', 'SIZES')).to.deep.equal(['20x30,24x30,20x10', '40x40']);
    const [cat] = foundBy(medium, 'SECOND');
    expect(cat?.detections.map(({ x, y, width, height }) => [x, y, width, height])).to.deep.equal(CAT.boxes);
  });

  const asSuperset = feedWith({ FEED_FORWARD_TYPE: 'SUPERSET_REGION' });

  it('as SUPERSET_REGION show one box around all of their boxes in every frame', () => {
    const medium = asSuperset();
    expect(valuesOf(medium, 'SECOND', 'SIZES')).to.deep.equal(['50x50', '40x40']);
    const [cat] = foundBy(medium, 'SECOND');
    expect(cat?.detections.map(({ x, y }) => `${x},${y}`)).to.deep.equal(Array(4).fill('10,10'));
  });

  it('leave segments, FRAME_INTERVAL and the search region aside', async () => {
    const all = looks({
      FEED_FORWARD_TYPE: 'FRAME',
      FRAME_INTERVAL: '5',
      USE_KEY_FRAMES: 'TRUE',
      TARGET_SEGMENT_LENGTH: '3',
      MIN_SEGMENT_LENGTH: '1',
      SEARCH_REGION_ENABLE_DETECTION: 'TRUE',
      SEARCH_REGION_TOP_LEFT_X_DETECTION: '50',
    });
    const medium = await runOne(service, film, pipelineOf(finds([CAT, DOG]), all));
    expect(valuesOf(medium, 'SECOND', 'SHOWN')).to.deep.equal(['2,4,6,8', '8,20']);
    expect(new Set(valuesOf(medium, 'SECOND', 'SIZES'))).to.deep.equal(new Set(['160x96']));
  });

  const together = feedWith({ FEED_FORWARD_TYPE: 'FRAME', FEED_FORWARD_ALL_TRACKS: 'TRUE' });

  it('are shown together with FEED_FORWARD_ALL_TRACKS, each frame once', () => {
    expect(valuesOf(together(), 'SECOND', 'FED')).to.deep.equal(['CAT,DOG']);
    expect(valuesOf(together(), 'SECOND', 'SHOWN')).to.deep.equal(['2,4,6,8,20']);
  });

  const bestTwo = feedWith({ FEED_FORWARD_TYPE: 'FRAME', FEED_FORWARD_TOP_QUALITY_COUNT: '2' });

  it('are shown by their best detections only with FEED_FORWARD_TOP_QUALITY_COUNT', () => {
    expect(valuesOf(bestTwo(), 'SECOND', 'SHOWN')).to.deep.equal(['4,8', '8,20']);
  });

  const bestAndNamed = feedWith({
    ...{ FEED_FORWARD_TYPE: 'FRAME', FEED_FORWARD_TOP_QUALITY_COUNT: '1' },
    FEED_FORWARD_BEST_DETECTION_PROP_NAMES_LIST: 'BLURRED; SHARP',
  });

  it('include detections with a property of FEED_FORWARD_BEST_DETECTION_PROP_NAMES_LIST', () => {
    expect(valuesOf(bestAndNamed(), 'SECOND', 'SHOWN')).to.deep.equal(['4,6', '8']);
  });

  it('are chosen by QUALITY_SELECTION_PROPERTY, which counts for the exemplars as well', async () => {
    const rated = trackNamed('CAT', {
      ...CAT,
      more: { 2: { SCORE: '7' }, 6: { SCORE: '11' }, 8: { SCORE: 'high' } },
    });
    const medium = await runOne(service, film, {
      ...pipelineOf(
        finds([rated]),
        looks({ FEED_FORWARD_TYPE: 'FRAME', FEED_FORWARD_TOP_QUALITY_COUNT: '1' }),
      ),
      jobProperties: { QUALITY_SELECTION_PROPERTY: 'SCORE' },
    });
    expect(foundBy(medium, 'FIRST').map(({ exemplar }) => exemplar.offsetFrame)).to.deep.equal([6]);
    expect(valuesOf(medium, 'SECOND', 'SHOWN')).to.deep.equal(['6']);
  });

  it('are not there in the first task, whatever FEED_FORWARD_TYPE says', async () => {
    const medium = await runOne(service, film, {
      ...pipelineOf(looks({ FEED_FORWARD_TYPE: 'REGION', FEED_FORWARD_TOP_QUALITY_COUNT: '1' })),
      jobProperties: { FRAME_INTERVAL: '10' },
    });
    expect(valuesOf(medium, 'FIRST', 'SHOWN')).to.deep.equal(['0,10,20']);
    expect(valuesOf(medium, 'FIRST', 'SIZES')).to.deep.equal(['160x96']);
  });

  it('are none when the task before found nothing: NO TRACKS for both', async () => {
    const medium = await runOne(service, film, pipelineOf(finds([]), looks({ FEED_FORWARD_TYPE: 'FRAME' })));
    expect(entriesOf(medium)).to.deep.equal(['NO TRACKS | FIRST', 'NO TRACKS | SECOND']);
  });

  it('of an image are worked on one by one', async () => {
    const request = pipelineOf(
      finds([trackNamed('A', { boxes: [[0, 0, 10, 20]] }), trackNamed('B', { boxes: [[50, 50, 30, 30]] })]),
      looks({ FEED_FORWARD_TYPE: 'REGION' }),
    );
    const medium = await runOne(service, sampleUri('hello-world.png'), request);
    expect(
      foundBy(medium, 'SECOND').map(({ trackProperties: { FED, SIZES } }) => `${FED} ${SIZES}`),
    ).to.have.members(['A 10x20', 'B 30x30']);
  });

  it('of a later task may come from several actions, of which the last task may have many', async () => {
    const request = pipelineOf(finds([CAT, DOG]), [
      looks({ FEED_FORWARD_TYPE: 'FRAME' }),
      looks({ FEED_FORWARD_TYPE: 'REGION', FEED_FORWARD_TOP_QUALITY_COUNT: '1' }),
      finds([], { FEED_FORWARD_TYPE: 'FRAME' }),
    ]);
    const medium = await runOne(service, film, request);
    expect(entriesOf(medium)).to.have.members([
      'STAGED | FIRST | 2',
      'STAGED | SECOND | 2',
      'STAGED | SECOND 1 | 2',
      'NO TRACKS | SECOND 2',
    ]);
    expect(valuesOf(medium, 'SECOND', 'SHOWN')).to.deep.equal(['2,4,6,8', '8,20']);
    expect(valuesOf(medium, 'SECOND 1', 'SHOWN')).to.deep.equal(['4', '8']);
  });
});

describe('A TRIGGER', () => {
  let service: Service;

  before(async () => {
    service = await Service.openShared();
  });
  after(() => service.close());

  const NAMES_ALIKE = ['cat ', 'Cat', 'cats', 'x;y', 'x', String.raw`p\q`, 'A', 'B', 'C'];
  const byTrigger = inOneJob(
    () => service,
    pipelineOf(
      finds(
        NAMES_ALIKE.map((NAME, n) => ({ boxes: [[n, 0, 9, 9]], properties: { NAME } })),
        { FEED_FORWARD_TYPE: 'FRAME' },
      ),
      takesAll(),
    ),
  );
  // The first task has the trigger, too, and ignores it.
  for (const [what, trigger, expected] of [
    ['takes the tracks whose property has one of its values', 'NAME=A; C;Z', ['A', 'C']],
    ['compares exactly, but for spaces around the property and the value', ' NAME = cat', ['cat ']],
    [
      'may have values with semicolons and backslashes in them',
      String.raw`NAME=x\;y;p\\q`,
      ['x;y', String.raw`p\q`],
    ],
  ] as const) {
    const medium = byTrigger(() => sampleUri('hello-world.png'), { TRIGGER: trigger });

    it(what, () => {
      expect(valuesOf(medium(), 'FIRST', 'NAME'), 'what the first task has found').to.have.length(
        NAMES_ALIKE.length,
      );
      expect(valuesOf(medium(), 'SECOND', 'FED')).to.deep.equal(expected);
    });
  }

  it('leaves the other tracks to later tasks, and what is taken is not passed on', async () => {
    // Results of the second task replace the tracks that it consumed.
    expect(await fedTracks(service, four, takes('A'), takes('B'), takesAll())).to.deep.equal([
      "A'",
      "B'",
      "A'B'CD",
    ]);
  });

  it('has taken what it has taken, also when an annotator changes what a trigger looks at', async () => {
    // Track B is renamed to A. The second task did not consume it, so the third task gets it.
    const rename = annotates({ TRIGGER: 'NAME=B', NOTE_IN: 'NAME', NOTES: 'A' });
    expect(await fedTracks(service, four, takes('A'), rename, takesAll())).to.deep.equal(["A'", '', "A'ACD"]);
  });

  it('that nothing meets takes nothing: NO TRACKS, and all goes on', async () => {
    expect(await fedTracks(service, four, takes('Z'), takesAll())).to.deep.equal(['', 'ABCD']);
  });
});
