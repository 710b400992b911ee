/** How tracks are merged and filtered, and their form in the document. */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import type { Properties } from '../../../domain/types.ts';
import type { StagedTrack } from '../../support/components/staged/detector.ts';
import {
  sampleUri,
  Service,
  type DetectionDocument,
  type DocumentMedium,
  type DocumentTrack,
} from '../../support/processes/service.ts';
import {
  annotates,
  entriesOf,
  finds,
  foundBy,
  inOneJob,
  looks,
  pipelineOf,
  run,
  runAll,
  runOne,
  stageTracks,
  valuesOf,
  video,
} from '../support.ts';

describe('The tracks that a task has found', () => {
  let service: Service;
  let film: string;

  before(async () => {
    service = await Service.openShared();
    film = video(service, 'film.avi', { frames: 60 });
  });
  after(() => service.close());

  const frames = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, n) => from + n);
  const onFilm = inOneJob(() => service, pipelineOf(looks()));
  /** Runs a video with these tracks. */
  const filmWith = (tracks: readonly StagedTrack[], properties: Properties) =>
    onFilm(() => film, { ...stageTracks(tracks), ...properties });
  const spansOf = (medium: DocumentMedium) =>
    foundBy(medium, 'FIRST').map(
      ({ startOffsetFrame, stopOffsetFrame }) => `${startOffsetFrame}-${stopOffsetFrame}`,
    );

  describe('over the borders of segments', () => {
    const SEGMENTS = { TARGET_SEGMENT_LENGTH: '20', MIN_SEGMENT_LENGTH: '10' };
    const MERGED = { ...SEGMENTS, MERGE_TRACKS: 'TRUE' };
    const through = [{ frames: frames(10, 50) }];
    const [asParts, asOne] = [filmWith(through, SEGMENTS), filmWith(through, MERGED)];

    it('are parts, and with MERGE_TRACKS one track', () => {
      expect(spansOf(asParts())).to.deep.equal(['10-19', '20-39', '40-50']);
      expect(spansOf(asOne())).to.deep.equal(['10-50']);
    });

    const interrupted = [{ frames: frames(10, 19) }, { frames: frames(22, 30) }];
    const [tooFar, nearEnough] = ['3', '4'].map((gap) =>
      filmWith(interrupted, { ...MERGED, MIN_GAP_BETWEEN_TRACKS: gap }),
    );

    it('stay apart where MIN_GAP_BETWEEN_TRACKS frames lie between them, or more', () => {
      expect(spansOf(tooFar!())).to.deep.equal(['10-19', '22-30']);
      expect(spansOf(nearEnough!())).to.deep.equal(['10-30']);
    });

    const moved: StagedTrack[] = [
      { frames: frames(10, 19), boxes: [[0, 0, 20, 20]] },
      { frames: frames(20, 30), boxes: [[10, 0, 20, 20]] },
    ];
    const [tooLittle, enough] = ['0.34', '0.33'].map((overlap) =>
      filmWith(moved, { ...MERGED, MIN_OVERLAP: overlap }),
    );

    it('stay apart where their boxes overlap by less than MIN_OVERLAP', () => {
      expect(spansOf(tooLittle!())).to.deep.equal(['10-19', '20-30']);
      expect(spansOf(enough!())).to.deep.equal(['10-30']);
    });

    const parts: StagedTrack[] = [
      { frames: frames(10, 19), confidence: 0.3, properties: { NAME: 'x', KIND: 'cat' } },
      { frames: frames(20, 30), confidence: 0.7, properties: { NAME: 'x', KIND: 'dog' } },
    ];
    const mergeDiffering = filmWith(parts, MERGED);

    it('say both of what they differ in, and have the higher confidence', () => {
      const [track] = foundBy(mergeDiffering(), 'FIRST');
      expect(track?.trackProperties).to.deep.equal({ NAME: 'x', KIND: 'cat; dog' });
      expect(track?.confidence).to.equal(0.7);
      expect(track?.detections).to.have.length(21);
    });
  });

  const short = filmWith([{ frames: [1, 5] }, { frames: [20, 24] }, { frames: [40, 43] }], {
    MIN_TRACK_LENGTH: '5',
  });

  it('are dropped when they are shorter than MIN_TRACK_LENGTH frames', () => {
    expect(spansOf(short())).to.deep.equal(['1-5', '20-24']);
  });

  describe('that move', () => {
    const still: StagedTrack = { frames: [1, 2, 3], boxes: [[0, 0, 20, 20]] };
    const moving: StagedTrack = {
      frames: [1, 2, 3],
      boxes: [
        [10, 40, 20, 20],
        [60, 40, 20, 20],
        [110, 40, 20, 20],
      ],
    };
    const LABELS = { MOVING_TRACK_LABELS_ENABLED: 'TRUE' };
    const ONLY = { ...LABELS, MOVING_TRACKS_ONLY: 'TRUE' };
    const [labelTop, only, withThree] = [LABELS, ONLY, { ...ONLY, MOVING_TRACK_MIN_DETECTIONS: '3' }].map(
      (properties) => filmWith([still, moving], properties),
    );

    it('are told from those that do not with MOVING_TRACK_LABELS_ENABLED', () => {
      const medium = labelTop!();
      expect(valuesOf(medium, 'FIRST', 'MOVING')).to.deep.equal(['FALSE', 'TRUE']);
      const [, moves] = foundBy(medium, 'FIRST');
      expect(moves?.detections.map(({ detectionProperties: { MOVING } }) => MOVING)).to.deep.equal([
        'TRUE',
        'FALSE',
        'TRUE',
      ]);
    });

    it('are all that is left with MOVING_TRACKS_ONLY', () => {
      expect(valuesOf(only!(), 'FIRST', 'MOVING')).to.deep.equal(['TRUE']);
      expect(entriesOf(withThree!())).to.deep.equal(['NO TRACKS | FIRST']);
    });
  });

  const rated = [
    { frames: [1, 2, 3], confidence: 0.9, confidences: [0.2, 0.6, 0.4] },
    { frames: [9], confidence: 0.9, confidences: [0.1] },
  ];
  const selectBest = filmWith(rated, { QUALITY_SELECTION_THRESHOLD: '0.4' });

  it('lose detections below QUALITY_SELECTION_THRESHOLD, and go with the last of them', () => {
    const [track, ...more] = foundBy(selectBest(), 'FIRST');
    expect(more).to.deep.equal([]);
    expect(track?.detections.map(({ offsetFrame }) => offsetFrame)).to.deep.equal([2, 3]);
  });

  it('are all there, with a warning, when QUALITY_SELECTION_THRESHOLD is no number', async () => {
    const request = pipelineOf(finds([{ frames: [1, 2] }]), annotates());
    const jobProperties = { QUALITY_SELECTION_THRESHOLD: '50%' };
    const document = await run(service, film, { ...request, jobProperties }, 'COMPLETE_WITH_WARNINGS');
    expect(foundBy(document.media[0]!, 'FIRST')[0]?.detections).to.have.length(2);
    const [ofJob, ofMedium] = document.warnings;
    expect(ofJob?.mediaId).to.equal(undefined);
    expect(ofJob?.details[0]?.message).to.include('QUALITY_SELECTION_THRESHOLD').and.to.include('"50%"');
    expect(ofMedium?.mediaId).to.equal(document.media[0]?.mediaId);
    const details = ofMedium?.details ?? [];
    expect(details.map(({ source, code }) => [source, code])).to.deep.equal([
      ['STAGED', 'OTHER'],
      ['NOTING', 'OTHER'],
    ]);
    for (const { message } of details) expect(message).to.include('"50%", which is not a number');
  });

  const FOUR = [{ frames: [1, 2, 4, 9], confidences: [0.1, 0.9, 0.3, 0.2] }];
  for (const [policy, frame] of [
    ['FIRST', 1],
    ['LAST', 9],
    ['middle', 4],
    ['QUALITY', 2],
  ] as const) {
    const medium = filmWith(FOUR, { EXEMPLAR_POLICY: policy });

    it(`have the detection in frame ${frame} as exemplar when EXEMPLAR_POLICY is ${policy}`, () => {
      expect(foundBy(medium(), 'FIRST')[0]?.exemplar.offsetFrame).to.equal(frame);
    });
  }

  it('lose detections without a size, and have the best exemplar if EXEMPLAR_POLICY is none', async () => {
    const boxes = [
      [10, 10, 20, 20],
      [10, 10, 0, 0],
      [10, 10, 20, -5],
    ] as const;
    const media = [
      { mediaUri: film, properties: stageTracks([{ frames: [1, 2, 4], boxes }]) },
      { mediaUri: film, properties: { ...stageTracks(FOUR), EXEMPLAR_POLICY: 'whatever' } },
    ];
    const document = await runAll(service, media, pipelineOf(looks()), 'COMPLETE_WITH_WARNINGS');
    const [[illFormed], [exemplary]] = document.media.map((medium) => foundBy(medium, 'FIRST')) as [
      readonly DocumentTrack[],
      readonly DocumentTrack[],
    ];
    expect(illFormed?.detections.map(({ offsetFrame }) => offsetFrame)).to.deep.equal([1]);
    expect(illFormed?.stopOffsetFrame).to.equal(1);
    expect(exemplary?.exemplar.offsetFrame).to.equal(2);
    const warnings = document.media.map((medium) =>
      document.warnings
        .filter(({ mediaId }) => mediaId === medium.mediaId)
        .flatMap(({ details }) => details.map(({ code, message }) => `${code}: ${message}`)),
    );
    expect(warnings[0]).to.deep.equal([
      'INVALID_DETECTION: Dropped one or more ill-formed detection regions with width or height equal to 0. (Frames: 2, 4)',
    ]);
    expect(JSON.stringify(document.warnings)).to.include('EXEMPLAR_POLICY');
  });

  const extractFrom = filmWith(FOUR, {
    ARTIFACT_EXTRACTION_POLICY: 'ALL_TYPES',
    ARTIFACT_EXTRACTION_POLICY_LAST_FRAME: 'TRUE',
    OUTPUT_ARTIFACTS_AND_EXEMPLARS_ONLY: 'TRUE',
  });
  const exemplarsOnly = filmWith(FOUR, { OUTPUT_ARTIFACTS_AND_EXEMPLARS_ONLY: 'TRUE' });

  it('show only exemplars and extracted detections with OUTPUT_ARTIFACTS_AND_EXEMPLARS_ONLY', () => {
    const [track] = foundBy(exemplarsOnly(), 'FIRST');
    expect(track?.detections).to.deep.equal([track?.exemplar]);
    expect([track?.startOffsetFrame, track?.stopOffsetFrame]).to.deep.equal([1, 9]);
    const [pictured] = foundBy(extractFrom(), 'FIRST');
    expect(pictured?.detections.map(({ offsetFrame }) => offsetFrame)).to.deep.equal([2, 9]);
  });

  describe('with SUPPRESS_TRACKS', () => {
    const hidden = finds([{ frames: [3, 4], properties: { NAME: 'X', TEXT: 'x' } }], {
      SUPPRESS_TRACKS: 'TRUE',
    });

    const ofHidden = inOneJob(() => service, pipelineOf(hidden, looks({ FEED_FORWARD_TYPE: 'FRAME' })));
    const [some, none] = [ofHidden(() => film, {}), ofHidden(() => film, stageTracks([]))];

    it('are left out of the document, which says so, and are worked on all the same', () => {
      expect(entriesOf(some())).to.deep.equal(['STAGED | SECOND | 1', 'TRACKS SUPPRESSED | FIRST']);
      expect(valuesOf(some(), 'SECOND', 'FED')).to.deep.equal(['X']);
    });

    it('that are none stand under NO TRACKS', () => {
      expect(entriesOf(none())).to.deep.equal(['NO TRACKS | FIRST', 'NO TRACKS | SECOND']);
    });

    it('are left out though they are annotated', async () => {
      const request = pipelineOf(hidden, annotates(), looks({ FEED_FORWARD_TYPE: 'FRAME' }));
      expect(entriesOf(await runOne(service, film, request))).to.deep.equal([
        'STAGED | THIRD | 1',
        'TRACKS SUPPRESSED | FIRST | by SECOND',
      ]);
    });
  });

  describe('with a ROLL_UP_FILE', () => {
    const GROUPS = [
      {
        propertyToProcess: 'KIND',
        originalPropertyCopy: 'EXACTLY',
        groups: [{ rollUp: 'vehicle', members: ['car', 'truck'] }],
      },
    ];
    const TRACKS = [
      { frames: [1], properties: { KIND: 'car' }, more: { 1: { KIND: 'truck' } } },
      { frames: [5], properties: { KIND: 'cat' } },
    ];
    const fileOf = (name: string, text: string) => {
      writeFileSync(join(service.mediaDir, name), text);
      return join(service.mediaDir, name);
    };
    const rolledUp = (medium: DocumentMedium) =>
      foundBy(medium, 'FIRST').flatMap(({ trackProperties, detections }) => [
        trackProperties,
        ...detections.map(({ detectionProperties }) => detectionProperties),
      ]);

    it('have the names of groups in place of values, and the values beside them', async () => {
      const path = fileOf('groups.json', JSON.stringify(GROUPS));
      const media = [path, pathToFileURL(path).href].map((file) => ({
        mediaUri: film,
        properties: { ROLL_UP_FILE: file },
      }));
      const document = await runAll(service, media, pipelineOf(finds(TRACKS)));
      const expected = [
        { KIND: 'vehicle', EXACTLY: 'car' },
        { KIND: 'vehicle', EXACTLY: 'truck' },
        { KIND: 'cat', EXACTLY: 'cat' },
        { KIND: 'cat', EXACTLY: 'cat' },
      ];
      expect(document.media.map(rolledUp)).to.deep.equal([expected, expected]);
    });

    it('trigger later tasks by the names of the groups', async () => {
      const medium = await runOne(service, film, {
        ...pipelineOf(finds(TRACKS), looks({ FEED_FORWARD_TYPE: 'FRAME', TRIGGER: 'KIND=vehicle' })),
        algorithmProperties: { STAGED: { ROLL_UP_FILE: fileOf('trigger.json', JSON.stringify(GROUPS)) } },
      });
      expect(valuesOf(medium, 'SECOND', 'SHOWN')).to.deep.equal(['1']);
    });

    const twice = [...GROUPS, { propertyToProcess: 'KIND', groups: [{ rollUp: 'thing', members: ['car'] }] }];
    const BAD: readonly [what: string, file: () => string, says: RegExp][] = [
      ['is not there', () => join(service.mediaDir, 'nothing.json'), /cannot be used/],
      [
        'lies outside of the media roots',
        () => {
          const path = join(service.folder, 'outside.json');
          writeFileSync(path, JSON.stringify(GROUPS));
          return path;
        },
        /below one of its media roots/,
      ],
      [
        'is a link out of the media roots',
        () => {
          mkdirSync(join(service.folder, 'secret'), { recursive: true });
          writeFileSync(join(service.folder, 'secret', 'groups.json'), JSON.stringify(GROUPS));
          symlinkSync(join(service.folder, 'secret', 'groups.json'), join(service.mediaDir, 'link.json'));
          return join(service.mediaDir, 'link.json');
        },
        /below one of its media roots/,
      ],
      ['is no JSON', () => fileOf('bad.json', '[{'), /is not JSON/],
      [
        'puts a value into two groups',
        () => fileOf('twice.json', JSON.stringify(twice)),
        /in one of the groups/,
      ],
    ];

    describe('that cannot be used', () => {
      let document: DetectionDocument;
      before(async () => {
        const media = BAD.map(([, file]) => ({ mediaUri: film, properties: { ROLL_UP_FILE: file() } }));
        document = await runAll(service, media, pipelineOf(finds(TRACKS)), 'ERROR');
      });
      for (const [n, [what, , says]] of BAD.entries())
        it(`because it ${what} are missing: error OTHER at the medium`, () => {
          const medium = document.media[n]!;
          expect(medium.status).to.equal('ERROR');
          const [told, ...more] = document.errors.filter(({ mediaId }) => mediaId === medium.mediaId);
          expect(more).to.deep.equal([]);
          expect(told?.details[0]).to.include({ code: 'OTHER' });
          expect(told?.details[0]?.message).to.match(says);
        });
    });
  });

  it('stand under their action with its algorithm, the time that it took, and the ids of media', async () => {
    const request = pipelineOf(finds([{ properties: { TEXT: 'x' } }]), annotates());
    const document = await run(service, sampleUri('hello-world.png'), request);
    const timing = document['timing'] as {
      processingTime: number;
      actions: { name: string; processingTime: number }[];
    };
    expect(timing.actions.map(({ name }) => name)).to.deep.equal(['FIRST', 'SECOND']);
    expect(timing.actions.reduce((sum, { processingTime }) => sum + processingTime, 0)).to.equal(
      timing.processingTime,
    );
    const [medium] = document.media;
    expect(medium).to.include({
      parentMediaId: -1,
      mediaType: 'IMAGE',
      status: 'COMPLETE',
      markupResult: null,
    });
    const [entry, ...others] = medium?.output['STAGED'] ?? [];
    expect(others).to.deep.equal([]);
    expect(Object.keys(entry ?? {})).to.deep.equal(['source', 'algorithm', 'annotators', 'tracks']);
    expect(entry).to.deep.include({ source: 'FIRST', algorithm: 'STAGED', annotators: ['SECOND'] });
    expect(Object.keys(entry?.tracks?.[0] ?? {})).to.include.members(['id', 'index', 'source', 'exemplar']);
    expect(entry?.tracks?.[0]).to.include({ source: 'FIRST', index: 0 });
  });
});
