/** Copies of media with drawn detections, made by the last task of a job. */
import { existsSync, readFileSync } from 'node:fs';
import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { inspect } from '../../../media/inspect/inspect.ts';
import { openVideo } from '../../../media/video/video-frames.ts';
import { makeVideo } from '../../media/support/make-video.ts';
import type { StagedTrack } from '../../support/components/staged/detector.ts';
import {
  errorCodes,
  sampleUri,
  Service,
  tracksOf,
  type DetectionDocument,
  type DocumentMedium,
  type JobRequest,
} from '../../support/processes/service.ts';
import { until } from '../../support/until.ts';
import { actionsIn, filesOf, mediumOf, pictureAt, uriOf } from '../results.ts';
import { inOneJob } from '../support.ts';

const ASTRONAUT = sampleUri('astronaut.png');
const FACE = { STAGE: JSON.stringify([{ boxes: [[180, 70, 95, 120]] }] satisfies StagedTrack[]) };
const CAR = sampleUri('red-car.jpg');
const drawWith = (...tasks: string[]) => ({
  pipelineDefinition: { pipeline: [...tasks, 'GENERIC MARKUP TASK'] },
});
const FRAMES = 12;
const PLAIN = { MARKUP_LABELS_ENABLED: 'FALSE', MARKUP_VIDEO_FRAME_NUMBERS_ENABLED: 'FALSE' };

describe('Markup', () => {
  let service: Service;
  before(async () => {
    service = await Service.openShared();
    makeVideo(join(service.mediaDir, 'video.avi'), { frames: FRAMES, encoder: 'mpeg4' });
    await copyFile(join(service.mediaDir, 'video.avi'), join(service.mediaDir, 'other.avi'));
  });
  after(() => service.close());

  const run = (request: JobRequest): Promise<DetectionDocument> =>
    service.run({ ...request, jobProperties: { ...PLAIN, ...(request['jobProperties'] as object) } });
  const copyOf = ({ markupResult }: DocumentMedium | { markupResult: null }): string => {
    expect(markupResult).to.deep.include({ status: 'COMPLETE', message: null });
    return markupResult!.path;
  };
  const inspectFile = async (uri: string) => (await inspect(fileURLToPath(uri), { sha256: '' })).facts;

  it('of an image is a PNG with the tracks drawn into it, named by the medium in the document', async () => {
    const document = await run({
      media: [{ mediaUri: ASTRONAUT, properties: FACE }],
      ...drawWith('STAGED TASK'),
    });
    expect(document.status).to.equal('COMPLETE');
    const [medium] = document.media;
    const copy = copyOf(medium!);
    expect(copy).to.match(/\/markup\/test-host-\d+\.1\/\d+\/[\da-f-]{36}\.png$/);
    expect(medium!.markupResult!.id).to.equal(medium!.mediaId);
    const [{ exemplar }] = tracksOf(medium, 'STAGED') as [ReturnType<typeof tracksOf>[number]];
    const [before, after] = [await pictureAt(ASTRONAUT), await pictureAt(copy)];
    expect([after.width, after.height]).to.deep.equal([before.width, before.height]);
    const at = (x: number, y: number) => [x / before.width, y / before.height] as const;
    const middle = exemplar.y + exemplar.height / 2;
    const [edge, inside, far] = [at(exemplar.x, middle), at(exemplar.x + 20, middle), at(20, 480)];
    expect(after.at(...edge), 'on the edge of the face').to.not.deep.equal(before.at(...edge));
    expect(after.at(...inside), 'inside of it').to.deep.equal(before.at(...inside));
    expect(after.at(...far), 'far from it').to.deep.equal(before.at(...far));
  });

  it('is an action of its own without tracks in the output', () => {
    expect(actionsIn(inWebm())).to.deep.equal({
      LIGHT: ['LIGHT ACTION'],
      'NO TRACKS': ['GENERIC MARKUP ACTION'],
    });
  });

  const markMedium = inOneJob(() => service, drawWith('LIGHT TASK'));
  const ofVideo = (properties: Readonly<Record<string, string>>, more?: object) =>
    markMedium(() => uriOf(service, 'video.avi'), { ...PLAIN, ...properties }, more);
  const inWebm = ofVideo({});
  for (const [what, medium, extension, codec] of [
    ['a WebM of VP9', inWebm, 'webm', 'vp9'],
    [
      'an MP4 of H.264 when MARKUP_VIDEO_ENCODER says h264',
      ofVideo({ MARKUP_VIDEO_ENCODER: 'h264' }),
      'mp4',
      'h264',
    ],
  ] as const)
    it(`of a video is ${what}, as long as the video, with every frame drawn into`, async () => {
      const copy = copyOf(medium());
      expect(copy.endsWith(`.${extension}`)).to.equal(true);
      const { mediaType, length, metadata } = await inspectFile(copy);
      expect([mediaType, length]).to.deep.equal(['VIDEO', FRAMES]);
      expect([metadata['FRAME_WIDTH'], metadata['FRAME_HEIGHT']]).to.deep.equal(['160', '96']);
      expect((await readFile(fileURLToPath(copy))).includes(codec === 'vp9' ? 'V_VP9' : 'avc1')).to.equal(
        true,
      );
      const before = await framesOf(join(service.mediaDir, 'video.avi'));
      for (const [n, frame] of (await framesOf(fileURLToPath(copy))).entries())
        expect(difference(frame, before[n]!), `change of the edge of frame ${n}`).to.be.greaterThan(20);
    });

  const blurVideo = ofVideo(
    {
      MARKUP_STYLE: 'BLUR',
      MARKUP_VIDEO_ENCODER: 'h264',
      MARKUP_BLUR_MARGIN: '0',
      FRAME_INTERVAL: '3',
    },
    {
      frameRanges: [
        { start: 2, stop: 4 },
        { start: 8, stop: 10 },
      ],
    },
  );
  it('blurred has the analysed frames alone, those that FRAME_INTERVAL left out blurred, too', async () => {
    const before = await framesOf(join(service.mediaDir, 'video.avi'));
    const after = await framesOf(fileURLToPath(copyOf(blurVideo())));
    expect(after).to.have.length(6);
    for (const [n, frame] of after.entries())
      expect(difference(frame, before[[2, 3, 4, 8, 9, 10][n]!]!), `frame ${n}`).to.be.greaterThan(10);
  });

  it('omits media that are no pictures, and copies those without tracks as they are', async () => {
    const words = join(service.mediaDir, 'words.txt');
    await writeFile(words, 'Nothing but words.');
    const document = await run({
      media: [
        { mediaUri: uriOf(service, 'words.txt'), properties: { STAGE: '[{}]' } },
        { mediaUri: CAR, properties: { STAGE: '[]' } },
      ],
      ...drawWith('STAGED TASK'),
    });
    expect(document.status).to.equal('COMPLETE');
    const [text, nothing] = document.media;
    expect(text!.markupResult).to.equal(null);
    expect(await filesOf(service, 'markup', document.jobId)).to.have.length(1);
    expect(actionsIn(text!)).to.deep.equal({
      'NO TRACKS': ['GENERIC MARKUP ACTION'],
      STAGED: ['STAGED ACTION'],
    });
    const copy = copyOf(nothing!);
    expect(copy).to.match(/\.jpg$/);
    const [source, copied] = [CAR, copy].map((uri) => readFileSync(fileURLToPath(uri)));
    expect(source!.equals(copied!)).to.equal(true);
  });

  it('draws what a task left whose TRIGGER nothing met', async () => {
    const picky = { name: 'PICKY ACTION', algorithm: 'LIGHT' };
    const document = await run({
      media: [CAR],
      pipelineDefinition: {
        pipeline: ['LIGHT TASK', 'PICKY TASK', 'GENERIC MARKUP TASK'],
        tasks: [{ name: 'PICKY TASK', actions: [picky.name] }],
        actions: [
          {
            ...picky,
            properties: [
              { name: 'FEED_FORWARD_TYPE', value: 'REGION' },
              { name: 'TRIGGER', value: 'LABEL=nothing has it' },
            ],
          },
        ],
      },
    });
    expect(document.status).to.equal('COMPLETE');
    const [medium] = document.media;
    expect(tracksOf(medium, 'LIGHT')).to.have.length(1);
    const [before, after] = [await pictureAt(CAR), await pictureAt(copyOf(medium!))];
    expect(after.at(0.001, 0.5), 'on the edge of the whole picture').to.not.deep.equal(before.at(0.001, 0.5));
  });

  it('that fails is an error with source MARKUP; the medium is fine, and others have copies', async () => {
    const [video, other] = [uriOf(service, 'video.avi'), uriOf(service, 'other.avi')];
    const wrong = { mediaUri: video, properties: { MARKUP_VIDEO_VP9_CRF: '64' } };
    const document = await run({ media: [wrong, other, CAR], ...drawWith('LIGHT TASK') });
    const medium = mediumOf(document, 'video.avi');
    expect(document.status).to.equal('ERROR');
    expect(
      document.errors.map(({ mediaId, details }) => [mediaId, details.map(({ source }) => source)]),
    ).to.deep.equal([[medium.mediaId, ['MARKUP']]]);
    expect(errorCodes(document, medium.mediaId)).to.deep.equal(['MARKUP']);
    expect(medium.status).to.equal('COMPLETE');
    expect(medium.markupResult).to.deep.include({ id: medium.mediaId, status: 'FAILED', path: '' });
    expect(medium.markupResult!.message).to.include('MARKUP_VIDEO_VP9_CRF').and.include('63');
    for (const name of ['other.avi', 'red-car.jpg'])
      expect(existsSync(fileURLToPath(copyOf(mediumOf(document, name)))), name).to.equal(true);
  });

  it('of a job that is cancelled meanwhile is dropped: the job ends soon with its tracks', async () => {
    makeVideo(join(service.mediaDir, 'large.avi'), {
      frames: 600,
      width: 320,
      height: 192,
      encoder: 'mpeg4',
    });
    const media = [{ mediaUri: uriOf(service, 'large.avi'), properties: FACE }];
    const id = await service.submit({ media, ...drawWith('STAGED TASK') });
    const hasBegun = async () => (await filesOf(service, 'markup', id)).length > 0;
    await until('the copy is begun', hasBegun);
    expect((await service.cancel(id)).status).to.equal(200);
    expect((await service.terminal(id)).jobStatus).to.equal('CANCELLED');
    const [medium] = (await service.document(id)).media;
    expect(tracksOf(medium, 'STAGED').length).to.be.at.least(1);
    expect(medium!.markupResult).to.equal(null);
    expect(await filesOf(service, 'markup', id)).to.deep.equal([]);
  });
});

/** Pixels of all frames of a video. */
async function framesOf(path: string): Promise<readonly Uint8Array[]> {
  const reader = await openVideo(path);
  const frames: Uint8Array[] = [];
  try {
    for await (const { data } of reader.frames()) frames.push(Uint8Array.from(data));
  } finally {
    reader.close();
  }
  return frames;
}

/** Mean difference of the outermost of 160 columns. */
function difference(one: Uint8Array, other: Uint8Array): number {
  let [sum, count] = [0, 0];
  for (let at = 0; at < one.length; at += 160 * 3)
    for (let i = at; i < at + 3; i++) {
      sum += Math.abs(one[i]! - other[i]!);
      count++;
    }
  return sum / count;
}
