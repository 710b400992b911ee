/** Artifacts (pictures of detections): which are extracted, their content, and their location. */
import { copyFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import sharp from 'sharp';
import { makeVideo } from '../../media/support/make-video.ts';
import type { StagedTrack } from '../../support/components/staged/detector.ts';
import {
  errorCodes,
  sampleUri,
  Service,
  tracksOf,
  type DetectionDocument,
  type DocumentMedium,
  type DocumentTrack,
  type JobRequest,
} from '../../support/processes/service.ts';
import { until } from '../../support/until.ts';
import { actionsIn, filesOf, mediumOf, pictureAt, picturedFrames, uriOf } from '../results.ts';
import { annotates, finds, inOneJob, pipelineOf, run, runOne, type Step } from '../support.ts';

type Properties = Readonly<Record<string, string>>;
const POLICY = 'ARTIFACT_EXTRACTION_POLICY';
/** By default, the pipeline of the test component extracts no artifacts. */
const WITH_PICTURES = { [POLICY]: 'VISUAL_TYPES_ONLY' };
const LARGE = { frames: 200, width: 640, height: 360 };
const ASTRONAUT = sampleUri('astronaut.png');
/** A step that finds these tracks, with normal extraction of artifacts. */
const stagedIn = (...tracks: readonly StagedTrack[]): Step => finds(tracks, WITH_PICTURES);
/** Every tenth of 60 frames. */
const FRAMES = [0, 10, 20, 30, 40, 50];

describe('Artifacts', () => {
  let service: Service;
  before(async () => {
    service = await Service.openShared();
    makeVideo(join(service.mediaDir, 'video.avi'), { frames: 60, encoder: 'mpeg4' });
    makeVideo(join(service.mediaDir, 'large.avi'), { ...LARGE, encoder: 'mpeg4' });
  });
  after(() => service.close());

  const light = (media: JobRequest['media'], jobProperties: Properties = {}): Promise<DetectionDocument> =>
    service.run({
      media,
      pipelineName: 'LIGHT PIPELINE',
      jobProperties: { ...WITH_PICTURES, ...jobProperties },
    });
  const lightOf = ({ media }: DetectionDocument) => tracksOf(media[0], 'LIGHT')[0]!;

  describe('of a video are taken', () => {
    const inOne = inOneJob(() => service, {
      pipelineName: 'LIGHT PIPELINE',
      jobProperties: WITH_PICTURES,
    });
    const takeArtifacts = (properties: Properties) => {
      const medium = inOne(() => uriOf(service, 'video.avi'), { FRAME_INTERVAL: '10', ...properties });
      return async () => {
        const [{ detections, exemplar }] = tracksOf(medium(), 'LIGHT') as [DocumentTrack];
        expect(detections.map(({ offsetFrame }) => offsetFrame)).to.deep.equal(FRAMES);
        const frames = picturedFrames(detections);
        for (const { offsetFrame, artifactExtractionStatus, artifactPath } of detections)
          if (!frames.includes(offsetFrame))
            expect([artifactExtractionStatus, artifactPath]).to.deep.equal(['NOT_ATTEMPTED', null]);
        expect(await picturesOf(medium())).to.have.length(frames.length);
        return { frames, exemplar: exemplar.offsetFrame };
      };
    };
    /** Files of a medium, found by its unique id. */
    const picturesOf = async ({ mediaId }: DocumentMedium) => {
      const folders = (await service.files('artifacts')).map((job) => join(job, String(mediaId)));
      const files = folders.map((folder) =>
        readdir(join(service.dataDir, 'artifacts', folder), { recursive: true, withFileTypes: true }).catch(
          () => [],
        ),
      );
      return (await Promise.all(files)).flat().filter((entry) => entry.isFile());
    };

    const exemplarAlone = takeArtifacts({ EXEMPLAR_POLICY: 'MIDDLE' });

    it('of its exemplar alone when nothing else is asked for', async () => {
      const { frames, exemplar } = await exemplarAlone();
      expect([exemplar, frames]).to.deep.equal([20, [20]]);
    });

    const withNeighbours = takeArtifacts({
      EXEMPLAR_POLICY: 'MIDDLE',
      [`${POLICY}_EXEMPLAR_FRAME_PLUS`]: '1',
    });

    it('of the neighbours of its exemplar in the list of detections with EXEMPLAR_FRAME_PLUS', async () => {
      expect((await withNeighbours()).frames).to.deep.equal([10, 20, 30]);
    });

    const ends = takeArtifacts({
      EXEMPLAR_POLICY: 'MIDDLE',
      [`${POLICY}_EXEMPLAR_FRAME_PLUS`]: '-1',
      [`${POLICY}_FIRST_FRAME`]: 'TRUE',
      [`${POLICY}_LAST_FRAME`]: 'TRUE',
    });

    it('of first, middle and last detection, without the exemplar when that is switched off', async () => {
      expect((await ends()).frames).to.deep.equal([0, 50]);
    });

    const twoBest = takeArtifacts({
      [`${POLICY}_EXEMPLAR_FRAME_PLUS`]: '-1',
      [`${POLICY}_TOP_QUALITY_COUNT`]: '2',
    });
    const listNames = takeArtifacts({ [`${POLICY}_BEST_DETECTION_PROP_NAMES_LIST`]: 'OTHER;MEAN' });

    it('of the best detections with TOP_QUALITY_COUNT, and of those that carry a property', async () => {
      const best = await twoBest();
      expect(best.frames).to.have.length(2).and.to.include(best.exemplar);
      expect((await listNames()).frames).to.deep.equal(FRAMES);
    });

    const [every, none] = ['ALL_DETECTIONS', 'NONE'].map((policy) => takeArtifacts({ [POLICY]: policy }));

    it('of all detections with ALL_DETECTIONS, and of none with NONE', async () => {
      expect((await every!()).frames).to.deep.equal(FRAMES);
      expect((await none!()).frames).to.deep.equal([]);
    });
  });

  describe('show', () => {
    it('what stands in the box of the detection, the same for the exemplar as for the detection', async () => {
      const face = { boxes: [[180, 70, 95, 120]] } satisfies StagedTrack;
      const medium = await runOne(service, ASTRONAUT, pipelineOf(stagedIn(face)));
      const [{ exemplar, detections }] = tracksOf(medium, 'STAGED') as [ReturnType<typeof lightOf>];
      expect(exemplar).to.deep.equal(detections[0]);
      const { width, height, at } = await pictureAt(exemplar.artifactPath);
      expect([width, height]).to.deep.equal([exemplar.width, exemplar.height]);
      const whole = await pictureAt(ASTRONAUT);
      for (const [x, y] of [
        [0, 0],
        [0.5, 0.5],
        [0.9, 0.2],
      ] as const) {
        const column = exemplar.x + Math.floor(x * width);
        const row = exemplar.y + Math.floor(y * height);
        expect(at(x, y)).to.deep.equal(whole.at((column + 0.5) / whole.width, (row + 0.5) / whole.height));
      }
    });

    it('a picture that lies on its side upright', async () => {
      await sideways(join(service.mediaDir, 'sideways.png'));
      const document = await light([uriOf(service, 'sideways.png')], { ROTATION: '90' });
      const { exemplar, trackProperties } = lightOf(document);
      expect(exemplar.detectionProperties['ROTATION']).to.match(/^90/);
      expect(trackProperties['ROTATION'], 'of the track').to.equal(exemplar.detectionProperties['ROTATION']);
      const { width, height, at } = await pictureAt(exemplar.artifactPath);
      expect([width, height]).to.deep.equal([100, 200]);
      expect([at(0.5, 0.1), at(0.5, 0.9)], 'red above, blue below').to.deep.equal([
        [255, 0, 0],
        [0, 0, 255],
      ]);
    });

    it('the whole frame, once for all tracks in it, when CROPPING is off', async () => {
      const persons: readonly StagedTrack[] = [
        { boxes: [[10, 10, 90, 200]] },
        { boxes: [[300, 40, 80, 250]] },
      ];
      const document = await run(service, sampleUri('race.jpg'), {
        ...pipelineOf(stagedIn(...persons)),
        jobProperties: { [`${POLICY}_CROPPING`]: 'FALSE' },
      });
      const paths = tracksOf(document.media[0], 'STAGED').map(({ exemplar }) => exemplar.artifactPath);
      expect(paths).to.have.length(persons.length);
      expect(new Set(paths).size).to.equal(1);
      const { width, height } = await pictureAt(paths[0]!);
      expect([width, height]).to.deep.equal([640, 428]);
      const { mediaId } = document.media[0]!;
      expect(await filesOf(service, 'artifacts', document.jobId)).to.deep.equal([
        `${mediaId}/0/0/0/frame-0.png`,
      ]);
    });
  });

  it('have the index of their track in artifactPath, in images and in videos', async () => {
    const boxes = [10, 110, 210].map((x) => ({ frames: [0, 10], boxes: [[x, 10, 60, 60]] as const }));
    const steps = pipelineOf(stagedIn(...boxes));
    const { jobId, media } = await service.run({ media: [ASTRONAUT, uriOf(service, 'large.avi')], ...steps });
    for (const medium of media) {
      const tracks = tracksOf(medium, 'STAGED') as readonly (DocumentTrack & { readonly index: number })[];
      const paths = tracks.map(({ exemplar }) => exemplar.artifactPath?.split('/artifacts/')[1]);
      expect(tracks.map(({ index }) => index)).to.deep.equal([0, 1, 2]);
      expect(paths).to.deep.equal(
        tracks.map(
          ({ exemplar }, index) =>
            `${jobId}.1/${medium.mediaId}/0/0/${index}/frame-${exemplar.offsetFrame}.png`,
        ),
      );
    }
  });

  it('are no work at all for an action whose policy is NONE', async () => {
    const { jobId } = await service.run({ media: [ASTRONAUT], pipelineName: 'LIGHT PIPELINE' });
    const steps = service.handedOut().flatMap(({ subJob }) => subJob.split(`${jobId}.1.0.0.0.`)[1] ?? []);
    expect(steps).to.deep.equal(['0', 'finish']);
  });

  it('are not taken of tracks that are suppressed', async () => {
    const hidden = { name: 'HIDDEN ACTION', algorithm: 'LIGHT' };
    const document = await service.run({
      media: [ASTRONAUT],
      jobProperties: WITH_PICTURES,
      pipelineDefinition: {
        pipeline: ['HIDDEN TASK', 'LABELLED LIGHT TASK'],
        tasks: [{ name: 'HIDDEN TASK', actions: [hidden.name] }],
        actions: [{ ...hidden, properties: [{ name: 'SUPPRESS_TRACKS', value: 'TRUE' }] }],
      },
    });
    const [medium] = document.media;
    expect(actionsIn(medium!)).to.deep.equal({
      LIGHT: ['LABELLED LIGHT ACTION'],
      'TRACKS SUPPRESSED': [hidden.name],
    });
    expect(await filesOf(service, 'artifacts', document.jobId), 'of the second task alone').to.deep.equal([
      `${medium!.mediaId}/1/0/0/frame-0.png`,
    ]);
  });

  it('stay with the tracks that an annotator gives back, and are not taken again', async () => {
    const words: readonly StagedTrack[] = [
      { boxes: [[10, 10, 60, 20]], properties: { TEXT: 'HELLO' } },
      { boxes: [[80, 10, 60, 20]], properties: { TEXT: 'WORLD' } },
    ];
    const document = await run(service, ASTRONAUT, pipelineOf(stagedIn(...words), annotates()));
    const tracks = tracksOf(document.media[0], 'STAGED');
    expect(tracks).to.have.length(words.length);
    for (const { exemplar, trackProperties } of tracks) {
      expect(picturedFrames([exemplar])).to.deep.equal([0]);
      expect(trackProperties).to.have.property('NOTE');
    }
    const files = await filesOf(service, 'artifacts', document.jobId);
    expect(files).to.have.length(tracks.length);
    for (const file of files) expect(file, 'of the first task').to.match(/^\d+\/0\/0\//);
  });

  it('stay with their tracks when another medium of the job fails', async () => {
    const document = await light([uriOf(service, 'video.avi'), sampleUri('green.wav')]);
    expect(document.status).to.equal('ERROR');
    expect(picturedFrames(lightOf(document).detections)).to.have.length(1);
    expect(await filesOf(service, 'artifacts', document.jobId)).to.have.length(1);
  });

  it('that fail because the medium is gone are an error of the medium, whose tracks stay', async () => {
    await copyFile('samples/coffee.png', join(service.mediaDir, 'gone.png'));
    const gone = join(service.mediaDir, 'gone.png');
    const document = await service.run({
      media: [{ mediaUri: uriOf(service, 'gone.png'), properties: { TROUBLE_FILE: gone } }, ASTRONAUT],
      pipelineName: 'TROUBLE PIPELINE',
      algorithmProperties: { TROUBLE: { TROUBLE: 'remove' } },
    });
    expect(document.status).to.equal('ERROR');
    const [lost, kept] = [mediumOf(document, 'gone.png'), mediumOf(document, 'astronaut.png')];
    expect([lost.status, errorCodes(document, lost.mediaId)]).to.deep.equal([
      'ERROR',
      ['ARTIFACT_EXTRACTION'],
    ]);
    expect(tracksOf(lost, 'TROUBLE').map(({ exemplar }) => exemplar)).to.have.length(1);
    const [{ exemplar }] = tracksOf(lost, 'TROUBLE') as [ReturnType<typeof lightOf>];
    expect([exemplar.artifactExtractionStatus, exemplar.artifactPath]).to.deep.equal(['FAILED', null]);
    expect(kept.status).to.equal('COMPLETE');
    expect(picturedFrames(tracksOf(kept, 'TROUBLE')[0]!.detections)).to.deep.equal([0]);
  });

  describe('of a job that is cancelled', () => {
    const endsCancelled = async (id: string): Promise<DetectionDocument> => {
      expect((await service.cancel(id)).status).to.equal(200);
      expect((await service.terminal(id)).jobStatus).to.equal('CANCELLED');
      return service.document(id);
    };

    it('while they are taken do not stay, and its tracks do; it ends within seconds', async () => {
      const frames = Array.from({ length: LARGE.frames }, (_, frame) => frame);
      const whole: StagedTrack = { frames, boxes: [[0, 0, LARGE.width, LARGE.height]] };
      const id = await service.submit({
        media: [uriOf(service, 'large.avi')],
        ...pipelineOf(finds([whole], { [POLICY]: 'ALL_DETECTIONS' })),
      });
      await until(
        'the first picture is there',
        async () => (await filesOf(service, 'artifacts', id)).length > 0,
      );
      const document = await endsCancelled(id);
      const tracks = tracksOf(document.media[0], 'STAGED');
      expect(tracks.length).to.be.at.least(1);
      for (const { detections } of tracks)
        expect(new Set(detections.map((one) => one.artifactExtractionStatus))).to.deep.equal(
          new Set(['NOT_ATTEMPTED']),
        );
      const listLeft = () => filesOf(service, 'artifacts', id);
      expect(await until('no picture is left', listLeft, (files) => files.length === 0)).to.deep.equal([]);
    });

    it('before they are taken are not taken of what was found until then', async () => {
      const id = await service.submit({
        media: [uriOf(service, 'video.avi')],
        pipelineName: 'TROUBLE PIPELINE',
        jobProperties: { TARGET_SEGMENT_LENGTH: '25', MIN_SEGMENT_LENGTH: '5' },
        algorithmProperties: { TROUBLE: { TROUBLE: 'slow' } },
      });
      await service.waitForLog('handed out a sub-job', ({ subJob }) => subJob === `${id}.1.0.0.0.1`);
      const document = await endsCancelled(id);
      expect(tracksOf(document.media[0], 'TROUBLE').length, 'tracks of the first segment').to.equal(1);
      expect(await readdir(join(service.dataDir, 'artifacts'))).to.not.include(`${id}.1`);
    });
  });
});

/** 200 x 100 pixels, red on the left and blue on the right. Rotated by 90 degrees, red is at the top. */
async function sideways(file: string): Promise<void> {
  const half = { width: 100, height: 100, channels: 3 } as const;
  const blue = await sharp({ create: { ...half, background: '#00f' } })
    .png()
    .toBuffer();
  await sharp({ create: { ...half, width: 200, background: '#f00' } })
    .composite([{ input: blue, left: 100, top: 0 }])
    .png()
    .toFile(file);
}
