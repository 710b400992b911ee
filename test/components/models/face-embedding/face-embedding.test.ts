/** Face vectors: the network, the alignment, and the answer to a sub-job. */
import { expect } from 'chai';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { cutSquare, mirror, squareOf } from '../../../../components/models/face-embedding/align.ts';
import loadFaceEmbedder from '../../../../components/models/face-embedding/detector.ts';
import { Embeddings } from '../../../../components/models/face-embedding/embedding-networks.ts';
import type { Detector } from '../../../../components/sdk/detector.ts';
import type { Properties, ReportedTrack } from '../../../../domain/types.ts';
import { readImage } from '../../../../media/picture/image-frame.ts';
import { colourModel } from '../../../support/media/onnx-model.ts';
import {
  answerTo,
  defaultsOf,
  FACE_VIDEO,
  fedTrack,
  medium,
  seenAt,
  type Feeding,
} from '../../host/feed-forward-parts.ts';
import { jobOf, picture } from '../../visual.ts';

const FIXTURES = 'test/fixtures/faces';
/** Similarity threshold; see docs/records/accuracy.md. */
const SAME_PERSON = 0.5;

const ASTRONAUT = medium('IMAGE', 'samples/astronaut.png');
const ASTRONAUT_FACE = { x: 172, y: 74, width: 106, height: 106 };
const HOPPER = medium('IMAGE', 'samples/grace_hopper_512x512.jpg');
const HOPPER_FACE = { x: 165, y: 80, width: 190, height: 190 };
const faceAt = (frame: number) => ({ x: 85 + 4 * (frame - 10), y: 108, width: 106, height: 106 });

function vectorOf({ properties }: Pick<ReportedTrack, 'properties'>): number[] {
  const bytes = Buffer.from(properties['FEATURE'] ?? '', 'base64');
  return Array.from({ length: bytes.length / 4 }, (_, i) => bytes.readFloatLE(i * 4));
}

const distance = (one: readonly number[], other: readonly number[]) =>
  Math.hypot(...one.map((value, i) => value - other[i]!));

describe('Vectors of faces', function () {
  this.timeout(60_000);
  let folder: string;
  let detector: Detector;
  before(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'troupe-faces-'));
    detector = await loadFaceEmbedder({ models: { roots: [folder], loaded: 1, checkMs: 60_000 } });
  });
  after(async () => {
    await detector.close!();
    rmSync(folder, { recursive: true });
  });

  const embed = async (
    feeding: Feeding,
    boxes: Parameters<typeof fedTrack>[0],
    properties: Properties = {},
  ) => {
    const all = { ...(await defaultsOf('face-embedding')), ...properties };
    const { tracks } = await answerTo(
      detector,
      { ...feeding, properties: all, feed: { annotate: true, ...feeding.feed } },
      [fedTrack(boxes, { type: 'FACE' })],
    );
    return tracks[0]!;
  };

  it('are those of the original network', async () => {
    const original = JSON.parse(readFileSync(path.join(FIXTURES, 'vectors.json'), 'utf8')) as Record<
      string,
      number[]
    >;
    const embeddings = new Embeddings({ roots: [], loaded: 1, checkMs: 1_000 });
    const job = await jobOf('face-embedding');
    const network = await embeddings.open('', job);
    for (const [name, wanted] of Object.entries(original)) {
      const found = await network.vector(await readImage(path.join(FIXTURES, name)), job);
      expect(found).to.have.length(128);
      wanted.forEach((value, i) => expect(found[i], `${name} ${i}`).to.be.closeTo(value, 1e-3));
    }
    expect(Object.keys(original)).to.have.length(2);
    await embeddings.close();
  });

  it('are near to each other for one person, and far for two', async () => {
    const [image, other, video] = [
      await embed({ medium: ASTRONAUT }, [seenAt(0, ASTRONAUT_FACE)]),
      await embed({ medium: HOPPER }, [seenAt(0, HOPPER_FACE)]),
      await embed({ medium: FACE_VIDEO }, [seenAt(40, faceAt(40))]),
    ].map(vectorOf);
    expect(distance(image!, video!)).to.be.below(SAME_PERSON);
    expect(distance(image!, other!)).to.be.above(SAME_PERSON);
    expect(distance(video!, other!)).to.be.above(SAME_PERSON);
  });

  it('come to the fed track and the best of its detections, with the name of the model', async () => {
    const frames = [20, 30, 40].map((frame, i) => ({
      ...seenAt(frame, faceAt(frame)),
      confidence: 0.5 + i / 10,
    }));
    const track = await embed({ medium: FACE_VIDEO }, frames, { FACES_PER_TRACK: '2' });
    expect(track).to.include({ type: 'FACE', startFrame: 20, stopFrame: 40 });
    expect(track.properties).to.include({ FOUND_BY: 'test', FEATURE_MODEL: 'face-recognition@1' });
    const features = track.detections.map(({ properties }) => properties['FEATURE']);
    expect(features.map((one) => one !== undefined)).to.deep.equal([false, true, true]);
    expect(track.properties['FEATURE']).to.equal(features[2]);
  });

  it('are left out for small faces, and where no face is seen', async () => {
    const small = await embed({ medium: ASTRONAUT }, [seenAt(0, ASTRONAUT_FACE)], { MIN_FACE_SIZE: '107' });
    const floor = await embed({ medium: ASTRONAUT }, [seenAt(0, { x: 10, y: 10, width: 60, height: 60 })]);
    for (const { type, detections, properties } of [small, floor]) {
      expect([type, detections.length]).to.deep.equal(['FACE', 1]);
      expect(properties).to.not.have.property('FEATURE');
    }
  });

  it('come from a model of the user when MODEL_NAME names one', async () => {
    writeFileSync(
      path.join(folder, 'mine.onnx'),
      colourModel({ name: 'face', dims: [1, 3, 8, 8] }, 'embedding'),
    );
    const track = await embed({ medium: ASTRONAUT }, [seenAt(0, ASTRONAUT_FACE)], { MODEL_NAME: 'mine' });
    expect(vectorOf(track)).to.have.length(3);
    expect(track.properties['FEATURE_MODEL']).to.match(/^mine(\.onnx)?@[0-9a-f]{12}$/);
  });

  it('refuse a way to feed tracks that shows more than one face', async () => {
    const boxes = [seenAt(0, ASTRONAUT_FACE)];
    for (const [properties, feed] of [
      [{ FEED_FORWARD_TYPE: 'FRAME' }, { type: 'FRAME' }],
      [{}, { allTracks: true }],
    ] as const) {
      const refused = await embed({ medium: ASTRONAUT, feed }, boxes, properties).catch(
        (error: unknown) => error,
      );
      expect(refused).to.include({ code: 'INVALID_PROPERTY' });
    }
  });
});

describe('The square of a face', () => {
  const marks = { rightEye: { x: 40, y: 40 }, leftEye: { x: 60, y: 40 }, mouth: { x: 50, y: 64 } };

  it('has the eyes and the mouth where the network expects them', () => {
    const { centre, side, along } = squareOf(marks);
    expect(side).to.be.closeTo(Math.hypot(10, 24) / 0.45, 1e-9);
    expect(along).to.deep.equal({ x: 1, y: 0 });
    expect((48 - (centre.y - side / 2)) / side).to.be.closeTo(0.43, 1e-9);
    expect(centre.x).to.be.closeTo(50, 1e-9);
  });

  it('turns with the face', () => {
    const turned = (at: { x: number; y: number }) => ({ x: 100 - at.y, y: at.x });
    const { rightEye, leftEye, mouth } = marks;
    const upright = squareOf(marks);
    const square = squareOf({ rightEye: turned(rightEye), leftEye: turned(leftEye), mouth: turned(mouth) });
    expect(square.along).to.deep.equal({ x: 0, y: 1 });
    expect(square.side).to.equal(upright.side);
    expect(square.centre.x).to.be.closeTo(turned(upright.centre).x, 1e-9);
    expect(square.centre.y).to.be.closeTo(turned(upright.centre).y, 1e-9);
  });

  const columns = picture(8, 8, (x) => [x * 10, 0, 0]);
  const redsOf = ({ data, width }: typeof columns, row: number) =>
    Array.from({ length: width }, (_, x) => data[(row * width + x) * 3]);

  it('is cut out as it lies, black outside of the frame', () => {
    const whole = { centre: { x: 4, y: 4 }, side: 8, along: { x: 1, y: 0 } };
    expect(redsOf(cutSquare(columns, whole, 8), 3)).to.deep.equal([0, 10, 20, 30, 40, 50, 60, 70]);
    expect(redsOf(cutSquare(columns, { ...whole, along: { x: 0, y: 1 } }, 8), 1)).to.deep.equal(
      Array(8).fill(60),
    );
    expect(redsOf(cutSquare(columns, { ...whole, centre: { x: 8, y: 4 } }, 8), 3)).to.deep.equal([
      40, 50, 60, 70, 0, 0, 0, 0,
    ]);
    expect(redsOf(cutSquare(columns, whole, 4), 1)).to.deep.equal([5, 25, 45, 65]);
  });

  it('is mirrored row by row', () => {
    expect(redsOf(mirror(columns), 7)).to.deep.equal([70, 60, 50, 40, 30, 20, 10, 0]);
  });
});
