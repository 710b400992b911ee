/** Annotators (IS_ANNOTATOR): actions that return the fed tracks with additional properties. */
import { writeFileSync } from 'node:fs';
import { expect } from 'chai';
import type { Properties } from '../../domain/types.ts';
import type { StagedTrack } from '../support/components/staged/detector.ts';
import { sampleUri, Service, type DocumentMedium, type DocumentTrack } from '../support/processes/service.ts';
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
  type Step,
} from './support.ts';

describe('An annotator', () => {
  let service: Service;
  let film: string;

  before(async () => {
    service = await Service.openShared();
    film = video(service, 'film.avi', { frames: 30 });
  });
  after(() => service.close());

  const says = (TEXT: string, more: Partial<StagedTrack> = {}): StagedTrack => ({
    properties: { TEXT },
    ...more,
  });
  const TRACKS = [
    says('left', { frames: [2, 5], boxes: [[0, 0, 20, 30]] }),
    says('right', { frames: [10, 11, 12], boxes: [[100, 0, 20, 30]], confidences: [0.1, 0.8, 0.2] }),
    { frames: [20], properties: { NAME: 'mute' } },
  ];
  const onFilm = (...steps: readonly Step[]) => runOne(service, film, pipelineOf(...steps));

  /** The track without the properties of annotators. */
  const without = (track: DocumentTrack, ...names: readonly string[]) =>
    JSON.parse(
      JSON.stringify(track, (key, value: unknown) => (names.includes(key) ? undefined : value)),
    ) as DocumentTrack;

  let plain: DocumentMedium;
  before(async () => {
    plain = await onFilm(finds(TRACKS));
  });

  it('adds properties to tracks and their detections; ids, boxes, frames and exemplars stay', async () => {
    const medium = await onFilm(finds(TRACKS), annotates());
    expect(entriesOf(medium)).to.deep.equal(['STAGED | FIRST | 3 | by SECOND']);
    const found = foundBy(medium, 'FIRST');
    expect(found.map((track) => without(track, 'NOTE'))).to.deep.equal(foundBy(plain, 'FIRST'));
    expect(valuesOf(medium, 'FIRST', 'NOTE')).to.deep.equal(['LEFT', 'RIGHT', undefined]);
    const notes = found.map(({ exemplar, detections }) =>
      [exemplar, ...detections].map(({ detectionProperties }) => detectionProperties['NOTE']),
    );
    expect(notes).to.deep.equal([
      ['LEFT', 'LEFT', 'LEFT'],
      ['RIGHT', 'RIGHT', 'RIGHT', 'RIGHT'],
      [undefined, undefined],
    ]);
  });

  it('may be followed by others, each of which finds what those before it have said', async () => {
    const medium = await onFilm(
      finds(TRACKS),
      annotates({ NOTE_IN: 'TEXT', NOTES: '$!' }),
      annotates({ NOTES: '<$>' }),
    );
    expect(entriesOf(medium)).to.deep.equal(['STAGED | FIRST | 3 | by SECOND and THIRD']);
    expect(valuesOf(medium, 'FIRST', 'TEXT')).to.deep.equal(['LEFT!', 'RIGHT!', undefined]);
    expect(valuesOf(medium, 'FIRST', 'NOTE')).to.deep.equal(['<LEFT!>', '<RIGHT!>', undefined]);
  });

  it('with a TRIGGER leaves the other tracks as they are', async () => {
    const medium = await onFilm(finds(TRACKS), annotates({ TRIGGER: 'TEXT=right' }));
    expect(entriesOf(medium)).to.deep.equal(['STAGED | FIRST | 3 | by SECOND']);
    expect(valuesOf(medium, 'FIRST', 'NOTE')).to.deep.equal([undefined, 'RIGHT', undefined]);
    expect(foundBy(medium, 'FIRST')[0]).to.deep.equal(foundBy(plain, 'FIRST')[0]);
  });

  it('is not named with the tracks of a task of which it was fed none', async () => {
    const medium = await onFilm(
      finds(TRACKS),
      looks({ FEED_FORWARD_TYPE: 'FRAME', TRIGGER: 'NAME=mute' }),
      annotates({ TRIGGER: 'TEXT=left' }),
      annotates({ TRIGGER: 'FED=mute' }),
    );
    expect(entriesOf(medium)).to.deep.equal([
      'STAGED | FIRST | 3 | by THIRD',
      'STAGED | SECOND | 1 | by FOURTH',
    ]);
    expect(valuesOf(medium, 'FIRST', 'NOTE')).to.deep.equal(['LEFT', undefined, undefined]);
  });

  const annotateFilm = inOneJob(
    () => service,
    pipelineOf(finds(TRACKS), { ...annotates(), algorithm: 'STAGED' }),
  );
  const [all, best] = [{}, { FEED_FORWARD_TOP_QUALITY_COUNT: '1' }].map((shown) =>
    annotateFilm(() => film, shown),
  );

  it('looks at the medium when it is a detector of pictures: a track gets what was found in it', () => {
    const medium = all!();
    expect(valuesOf(medium, 'FIRST', 'SIZES')).to.deep.equal(['20x30', '20x30', '20x20']);
    expect(valuesOf(medium, 'FIRST', 'TEXT')).to.deep.equal(['left', 'right', undefined]);
    const [, right] = foundBy(medium, 'FIRST');
    expect(right?.confidence).to.equal(0.5);
    expect(right?.detections.map(({ confidence }) => confidence)).to.deep.equal([0.1, 0.8, 0.2]);
  });

  it('that is shown only the best detections says of these what it saw there', () => {
    const [, right] = foundBy(best!(), 'FIRST');
    expect(right?.trackProperties['SHOWN']).to.equal('11');
    expect(right?.detections.map(({ detectionProperties }) => detectionProperties['SIZE'])).to.deep.equal([
      undefined,
      '20x30',
      undefined,
    ]);
  });

  it('that fails on one track keeps that one: the medium is INCOMPLETE, the others have notes', async () => {
    const failing = { ...says('middle', { frames: [15] }), properties: { TEXT: 'middle', FAIL: 'yes' } };
    const medium = await runOne(service, film, pipelineOf(finds([...TRACKS, failing]), annotates()), 'ERROR');
    expect(medium.status).to.equal('INCOMPLETE');
    expect(valuesOf(medium, 'FIRST', 'NOTE')).to.deep.equal(['LEFT', 'RIGHT', undefined, undefined]);
    const [error, ...more] = medium.detectionProcessingErrors['SECOND'] ?? [];
    expect(more).to.deep.equal([]);
    expect(error).to.deep.include({
      startOffsetFrame: 15,
      stopOffsetFrame: 15,
      startOffsetTime: 600,
      code: 'DETECTION_FAILED',
    });
  });

  it('in the first task, and without feed forward in a later one, is a detector like all others', async () => {
    const medium = await onFilm(
      looks({ FEED_FORWARD_TYPE: 'FRAME', IS_ANNOTATOR: 'TRUE' }),
      looks({ IS_ANNOTATOR: 'TRUE' }),
    );
    expect(entriesOf(medium)).to.deep.equal(['STAGED | FIRST | 1', 'STAGED | SECOND | 1']);
  });

  it('is not asked when there are no tracks', async () => {
    const medium = await onFilm(finds([]), annotates());
    expect(entriesOf(medium)).to.deep.equal(['NO TRACKS | FIRST']);
  });

  it('takes part in roll-ups once: what was rolled up before keeps its copy', async () => {
    const path = `${service.mediaDir}/groups.json`;
    writeFileSync(
      path,
      JSON.stringify([
        {
          propertyToProcess: 'TEXT',
          originalPropertyCopy: 'ORIGINAL',
          groups: [{ rollUp: 'side', members: ['left', 'right'] }],
        },
        { propertyToProcess: 'NOTE', groups: [{ rollUp: 'noted', members: ['SIDE'] }] },
      ]),
    );
    const medium = await runOne(service, film, {
      ...pipelineOf(finds(TRACKS), annotates()),
      jobProperties: { ROLL_UP_FILE: path },
    });
    expect(rolledUp(medium)).to.deep.equal([
      'side left noted',
      'side right noted',
      'undefined undefined undefined',
    ]);
  });

  const rolledUp = (medium: DocumentMedium) =>
    foundBy(medium, 'FIRST').map(
      ({ trackProperties: { TEXT, ORIGINAL, NOTE } }: { trackProperties: Properties }) =>
        `${TEXT} ${ORIGINAL} ${NOTE}`,
    );

  it('keeps the artifacts of the tracks', async () => {
    const extract = { ARTIFACT_EXTRACTION_POLICY: 'ALL_TYPES' };
    const request = pipelineOf(finds([says('cat')], extract), annotates(extract));
    const medium = await runOne(service, sampleUri('hello-world.png'), request);
    const [cat] = foundBy(medium, 'FIRST');
    expect(cat?.trackProperties['NOTE']).to.equal('CAT');
    expect(cat?.exemplar).to.include({ artifactExtractionStatus: 'COMPLETED' });
    expect(cat?.detections[0]).to.deep.equal(cat?.exemplar);
  });
});
