import { expect } from 'chai';
import { mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { PictureFiles } from '../../../../../components/builtin/media/artifacts/artifact-files.ts';
import { artifacts } from '../../../../../components/builtin/media/artifacts/artifacts.ts';
import type { WorkMedium } from '../../../../../protocol/media-work.ts';
import type { ArtifactsWork, FinishSummary } from '../../../../../protocol/track-work.ts';
import { readImage } from '../../../../../media/picture/image-frame.ts';
import { openVideo } from '../../../../../media/video/video-frames.ts';
import type { Properties, ReportedTrack } from '../../../../../domain/types.ts';
import { makeVideo } from '../../../../media/support/make-video.ts';
import { sample } from '../../../../media/support/samples.ts';
import {
  context,
  detection,
  finishWork,
  textOf,
  track,
  type Given,
  type WrittenDetection,
  type WrittenTrack,
} from '../media-parts.ts';
import { finish } from '../../../../../components/builtin/media/finish/finish.ts';

interface Extracted extends WrittenDetection {
  readonly artifactExtractionStatus: string;
  readonly artifactPath: string | null;
}
interface ExtractedTrack extends WrittenTrack {
  readonly exemplar: Extracted;
  readonly detections: readonly Extracted[];
}

const POLICY = 'ARTIFACT_EXTRACTION_POLICY';

describe('Artifact extraction', () => {
  let folder = '';
  const path = (name: string): string => join(folder, name);
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'artifacts-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  async function finishedTracks(
    tracks: readonly ReportedTrack[],
    more: Partial<Given> = {},
  ): Promise<string> {
    const work = await finishWork(path, { parts: [tracks], ...more });
    return textOf(finish(work, context()));
  }

  async function workOn(
    medium: Partial<WorkMedium>,
    lines: string,
    properties: Properties,
  ): Promise<ArtifactsWork> {
    const tracks = path('tracks.ndjson');
    await writeFile(tracks, lines);
    return {
      medium: {
        mediaId: 1,
        mediaType: 'VIDEO',
        mimeType: 'video/mp4',
        path: sample('face_move.mp4'),
        length: 100,
        metadata: { HAS_CONSTANT_FRAME_RATE: 'true' },
        fps: 25,
        inspected: true,
        ...medium,
      },
      properties,
      tracks,
      folder: path('pictures'),
    };
  }

  async function extractFrom(
    work: ArtifactsWork,
  ): Promise<{ tracks: ExtractedTrack[]; summary: FinishSummary; lines: string[] }> {
    const lines = (await textOf(artifacts(work, context()))).trimEnd().split('\n');
    const { summary } = JSON.parse(lines.at(-1) ?? '') as { summary: FinishSummary };
    const tracks = lines.slice(0, -1).map((line) => JSON.parse(line.split('\t')[0] ?? '') as ExtractedTrack);
    return { tracks, summary, lines };
  }

  /** Pixels of a box in a frame of the video. */
  async function pixels(video: string, frame: number, box?: readonly number[]): Promise<Buffer> {
    const reader = await openVideo(video, { range: { start: frame, stop: frame } });
    for await (const { data, width, height } of reader.frames()) {
      const [x = 0, y = 0, w = width, h = height] = box ?? [];
      const rows = Array.from({ length: h }, (_, row) => {
        const at = ((y + row) * width + x) * 3;
        return Buffer.from(data.subarray(at, at + w * 3));
      });
      return Buffer.concat(rows);
    }
    throw new Error(`there is no frame ${frame}`);
  }

  it('cuts the selected detections of a video out of their frames', async () => {
    const boxes = [
      [40, 60, 100, 120],
      [60, 61, 100, 120],
      [80, 62, 100, 120],
    ] as const;
    const tracks = [
      track(boxes.map((box, i) => detection(30 + i * 20, box, { confidence: [0.5, 0.9, 0.6][i] ?? 0 }))),
      track([detection(30, [300, 200, 33, 21])]),
    ];
    const lines = await finishedTracks(tracks);
    const work = await workOn({}, lines, { [`${POLICY}_LAST_FRAME`]: 'true' });
    const { tracks: found, summary } = await extractFrom(work);
    const written = await readdir(work.folder, { recursive: true, withFileTypes: true });
    expect(
      written
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name).slice(work.folder.length + 1))
        .toSorted(),
    ).to.deep.equal(['0/frame-30.png', '1/frame-50.png', '1/frame-70.png']);
    expect(
      found.map(({ detections }) => detections.map((one) => one.artifactExtractionStatus)),
    ).to.deep.equal([['COMPLETED'], ['NOT_ATTEMPTED', 'COMPLETED', 'COMPLETED']]);
    const [small, moving] = found;
    expect(moving?.exemplar.artifactPath).to.equal(pathToFileURL(join(work.folder, '1/frame-50.png')).href);
    expect(moving?.exemplar).to.deep.equal(moving?.detections[1]);
    expect(moving?.detections[0]?.artifactPath).to.equal(null);
    expect(summary).to.deep.equal(
      (JSON.parse(lines.trimEnd().split('\n').at(-1) ?? '') as { summary: object }).summary,
    );
    for (const [one, frame, box] of [
      [small?.detections[0], 30, [300, 200, 33, 21]],
      [moving?.detections[1], 50, boxes[1]],
      [moving?.detections[2], 70, boxes[2]],
    ] as const) {
      const picture = await readImage(fileURLToPath(one?.artifactPath ?? ''));
      expect([picture.width, picture.height]).to.deep.equal([box[2], box[3]]);
      expect(Buffer.compare(picture.data, await pixels(sample('face_move.mp4'), frame, box))).to.equal(0);
    }
  });

  it('keeps whole frames, each once, when cropping is off', async () => {
    const tracks = [
      track([detection(10, [0, 0, 50, 50]), detection(11, [0, 0, 50, 50])]),
      track([detection(11, [100, 0, 50, 50], { properties: { ROTATION: '45' } })]),
    ];
    const properties = { [POLICY]: 'ALL_DETECTIONS', [`${POLICY}_CROPPING`]: 'false' };
    const work = await workOn({}, await finishedTracks(tracks), properties);
    const { tracks: found } = await extractFrom(work);
    expect((await readdir(join(work.folder, '0'))).toSorted()).to.deep.equal([
      'frame-10.png',
      'frame-11.png',
    ]);
    const [first, second] = found.map(({ detections }) => detections.map((one) => one.artifactPath));
    expect(first?.[1]).to.equal(second?.[0]);
    const picture = await readImage(path('pictures/0/frame-11.png'));
    expect(Buffer.compare(picture.data, await pixels(sample('face_move.mp4'), 11))).to.equal(0);
  });

  it('writes a whole frame once though tracks far apart ask for it', async () => {
    const files = new PictureFiles();
    const picture = { width: 4, height: 4, data: new Uint8Array(48).fill(9) };
    const told: (string | Error)[] = [];
    for (const name of ['a', 'b', 'a', 'b', 'a']) {
      await files.writeOnce(path(`${name}.png`), picture, (uri) => told.push(uri));
      await files.waitUntilWritten();
      await rm(path(`${name}.png`), { force: true });
    }
    const uris = ['a', 'b', 'a', 'b', 'a'].map((name) => pathToFileURL(path(`${name}.png`)).href);
    expect(told).to.deep.equal(uris);
    expect(await readdir(folder), 'none is written a second time').to.deep.equal([]);
  });

  it('leaves disk space for the end of the job: it skips the picture, and says why', async () => {
    const files = new PictureFiles(Number.MAX_SAFE_INTEGER);
    const told: (string | Error)[] = [];
    const picture = { width: 4, height: 4, data: new Uint8Array(48).fill(9) };
    await files.write(path('a.png'), picture, (uri) => told.push(uri));
    await files.waitUntilWritten();
    expect(String(told)).to.match(/^Error: The disk is nearly full \(less than \d+ MiB are free\)/);
    expect(await readdir(folder)).to.deep.equal([]);
  });

  it('brings a turned detection of an image upright', async () => {
    const image = sample('astronaut.png');
    const lines = await finishedTracks(
      [track([detection(0, [278, 74, 106, 90], { properties: { ROTATION: '270' } })])],
      { mediaType: 'IMAGE', metadata: { FRAME_WIDTH: '512', FRAME_HEIGHT: '512' } },
    );
    const { tracks } = await extractFrom(
      await workOn({ mediaType: 'IMAGE', path: image, length: 1, metadata: {} }, lines, {}),
    );
    const picture = await readImage(fileURLToPath(tracks[0]?.exemplar.artifactPath ?? ''));
    expect([picture.width, picture.height]).to.deep.equal([106, 90]);
    const whole = await readImage(image);
    // Down in the displayed picture is left in the stored image, and right is down.
    for (const [u, v] of [
      [0, 0],
      [100, 3],
      [50, 80],
    ] as const)
      expect([...picture.data.subarray((v * 106 + u) * 3, (v * 106 + u) * 3 + 3)]).to.deep.equal([
        ...whole.data.subarray(((74 + u) * 512 + 277 - v) * 3, ((74 + u) * 512 + 277 - v) * 3 + 3),
      ]);
  });

  it('hands on lines it has nothing to do with as they are, and what is hidden behind a tab', async () => {
    const lines = await finishedTracks([
      track([detection(1, [0, 0, 9, 9])], { type: 'MOTION' }),
      track([detection(2, [0, 0, 9, 9])]),
    ]);
    const [motion = '', face = '', summary = ''] = lines.trimEnd().split('\n');
    const hidden = '\t{"parent":[0,7],"note":"a  b"}';
    const { lines: found } = await extractFrom(
      await workOn({}, [`${motion}${hidden}`, `${face}${hidden}`, summary, ''].join('\n'), {}),
    );
    expect(found[0]).to.equal(`${motion}${hidden}`);
    expect(found[1]?.endsWith(hidden)).to.equal(true);
    expect(found[1]).to.contain('"artifactExtractionStatus":"COMPLETED"');
    expect(found[2]).to.equal(summary);
  });

  it('does not stop at a picture that cannot be made', async () => {
    const video = path('short.mp4');
    makeVideo(video, { frames: 20 });
    const lines = await finishedTracks([
      track([detection(3, [0, 0, 30, 30])]),
      track([detection(5, [900, 0, 30, 30])], { type: 'TEXT' }),
      track([detection(19, [0, 0, 30, 30])]),
      track([detection(500, [0, 0, 30, 30])]),
    ]);
    const { tracks, summary } = await extractFrom(await workOn({ path: video, length: 20 }, lines, {}));
    expect(tracks.map(({ exemplar }) => exemplar.artifactExtractionStatus)).to.deep.equal([
      'COMPLETED',
      'FAILED',
      'COMPLETED',
      'FAILED',
    ]);
    expect(tracks[1]?.exemplar.artifactPath).to.equal(null);
    expect(summary.errors).to.have.length(1);
    expect(summary.errors?.[0]).to.include({ code: 'ARTIFACT_EXTRACTION' });
    expect(summary.errors?.[0]?.message).to.match(
      /^2 pictures .*outside of the picture.* \(Frames: 5, 500\)$/,
    );
  });

  it('says so when the medium cannot be read, and keeps the tracks', async () => {
    const lines = await finishedTracks([track([detection(3, [0, 0, 30, 30])])]);
    const { tracks, summary } = await extractFrom(
      await workOn({ path: sample('video_01_invalid.mp4') }, lines, {}),
    );
    expect(tracks[0]?.detections[0]?.artifactExtractionStatus).to.equal('FAILED');
    expect(summary.errors?.[0]?.message).to.contain('could not be');
  });

  it('stops when the job is cancelled', async () => {
    const lines = await finishedTracks([track([detection(3, [0, 0, 30, 30])])]);
    const work = await workOn({}, lines, {});
    const failed = await textOf(
      artifacts(work, context({ signal: AbortSignal.abort(new Error('cancelled')) })),
    ).catch((error: unknown) => error);
    expect(failed).to.be.instanceOf(Error);
  });

  it('leaves no temporary files', async () => {
    const lines = await finishedTracks([track([detection(3, [0, 0, 30, 30])])]);
    const work = await workOn({}, lines, {});
    await extractFrom(work);
    expect(await readdir(join(work.folder, '0'))).to.deep.equal(['frame-3.png']);
    expect((await readFile(join(work.folder, '0/frame-3.png'))).subarray(1, 4).toString()).to.equal('PNG');
  });
});
