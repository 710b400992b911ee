/**
 * Additional results of user-supplied ONNX models: vectors (INCLUDE_FEATURES) and other track types
 * (TRACK_TYPE).
 */
import { expect } from 'chai';
import { LiveScene } from '../../../../components/host/live/live-scene.ts';
import { LiveTracks } from '../../../../components/host/live/live-tracks.ts';
import type { ReportedDetection, Track } from '../../../../domain/types.ts';
import type { StreamEvent } from '../../../../protocol/streams.ts';
import { columnsOf, modelOf, node, pictureModel, tensor } from '../../../support/media/onnx-model.ts';
import { CAT_AND_DOG, ModelFolder, NAMES, summaryOf, WHITE, yoloModel } from './own-model.ts';
import { all, paintVideo, picture } from '../../visual.ts';

const ON = { INCLUDE_FEATURES: 'TRUE' };

/** Returns the mean of each colour as class scores, and ten times the mean under another name. */
function classesAndVector(name: string, ...more: string[]): Buffer {
  const names = [name, ...more];
  return modelOf(
    {
      nodes: [
        node('ReduceMean', ['images'], ['logits'], { axes: [2, 3], keepdims: 0 }),
        ...names.map((one) => node('Mul', ['logits', 'ten'], [one])),
      ],
      constants: [tensor('ten', [1], [10])],
      inputs: [{ name: 'images', dims: ['n', 3, 8, 8] }],
      outputs: ['logits', ...names].map((one) => ({ name: one, dims: ['n', 3] })),
    },
    { task: 'classify', names: '["red", "green", "blue"]' },
  );
}

/** The cat and the dog, with three numbers for each of the two boxes. */
const boxesWith = (name: string, rows = 2): Buffer =>
  pictureModel({
    input: { name: 'images', dims: [1, 3, 32, 32] },
    outputs: [
      { name: 'output0', dims: [6, 2], values: columnsOf(CAT_AND_DOG) },
      { name, dims: [rows, 3], values: Array.from({ length: rows * 3 }, (_, i) => i + 0.5) },
    ],
    metadata: NAMES,
  });

const vectorOf = (base64: string | undefined): number[] | undefined => {
  if (base64 === undefined) return undefined;
  const bytes = Buffer.from(base64, 'base64');
  return Array.from({ length: bytes.length / 4 }, (_, i) => Number(bytes.readFloatLE(i * 4).toFixed(3)));
};

describe('A model of one’s own that makes vectors beside', () => {
  let models: ModelFolder;
  before(async () => {
    models = await ModelFolder.open();
  });
  after(() => models.close());

  const CLASSES = { QUALITY_SELECTION_THRESHOLD: '0', INPUT_MEAN: '0', INPUT_STD: '1' };
  const blue = picture(16, 16, () => [0, 51, 255]);

  it('has the vector of the picture beside its classes when it is asked for, and not else', async () => {
    await models.write('both.onnx', classesAndVector('image_embeds'));
    const [plain] = await models.inImage('both', blue, CLASSES);
    expect(plain!.properties).to.deep.equal({ CLASSIFICATION: 'blue' });
    const [track] = await models.inImage('both', blue, { ...CLASSES, ...ON });
    const { CLASSIFICATION, FEATURE } = track!.properties!;
    expect([CLASSIFICATION, vectorOf(FEATURE)]).to.deep.equal(['blue', [0, 2, 10]]);
    expect(track!.detections[0]!.properties).to.include({ FEATURE: FEATURE! });
  });

  it('is named with the version of its content, which is another one for another file', async () => {
    const modelNamed = async (name: string) =>
      (await models.inImage(name, blue, { ...CLASSES, ...ON }))[0]!.properties!['FEATURE_MODEL'];
    await models.write('one.onnx', classesAndVector('image_embeds'));
    await models.write('copy.onnx', classesAndVector('image_embeds'));
    const before = await modelNamed('one');
    expect(before).to.match(/^one@[0-9a-f]{12}$/);
    expect(await modelNamed('copy')).to.equal(before!.replace('one@', 'copy@'));
    await models.write('one.onnx', classesAndVector('features'));
    expect(await modelNamed('one'))
      .to.match(/^one@/)
      .and.not.equal(before);
  });

  it('has the vector of each picture of several that are looked at together', async () => {
    await models.write('many.onnx', classesAndVector('out'));
    const video = paintVideo({ width: 16, height: 16, frames: 4 }, (_x, _y, frame) => [frame * 51, 0, 255]);
    const job = await models.job('many', { ...CLASSES, ...ON, DETECTION_FRAME_BATCH_SIZE: '3' });
    const [track] = await all(models.detector.video!(video, job));
    expect(track!.detections.map(({ properties }) => vectorOf(properties?.['FEATURE'])?.[0])).to.deep.equal([
      0, 2, 4, 6,
    ]);
  });

  it('has the vector of each box beside it', async () => {
    await models.write('boxes.onnx', boxesWith('box_features'));
    const tracks = await models.inImage('boxes', WHITE, ON);
    expect(summaryOf(tracks).map(([name]) => name)).to.deep.equal(['cat', 'dog']);
    expect(tracks.map(({ properties }) => vectorOf(properties?.['FEATURE']))).to.deep.equal([
      [0.5, 1.5, 2.5],
      [3.5, 4.5, 5.5],
    ]);
  });

  it('is refused if it makes none for its tracks, or if that is unclear, with the shapes', async () => {
    await models.write('none.onnx', yoloModel());
    await models.write('other.onnx', boxesWith('box_features', 7));
    await models.write('which.onnx', classesAndVector('one', 'two'));
    for (const [name, said] of [
      ['none', /no output that surely is a vector for each box, .* answers output0 \[1, 6, 2\]\. Export/],
      ['other', /box_features \[1, 7, 3\]/],
      ['which', /a vector of the picture, .* one \[1, 3\], two \[1, 3\]/],
    ] as const) {
      const { code, message } = await models.refusal(name, ON);
      expect([name, code]).to.deep.equal([name, 'INVALID_PROPERTY']);
      expect(message).to.match(said);
    }
  });
});

describe('Tracks of a model of one’s own', () => {
  let models: ModelFolder;
  before(async () => {
    models = await ModelFolder.open();
    await models.write('pets.onnx', yoloModel());
  });
  after(() => models.close());

  it('are of the type CLASS, or of the one that TRACK_TYPE names', async () => {
    const typesOf = async (properties = {}) =>
      (await models.inImage('pets', WHITE, properties)).map(({ type }) => type);
    expect(await typesOf()).to.deep.equal(['CLASS', 'CLASS']);
    expect(await typesOf({ TRACK_TYPE: ' house pet ' })).to.deep.equal(['HOUSE PET', 'HOUSE PET']);
    const video = paintVideo({ width: 64, height: 32, frames: 3 }, () => [255, 255, 255]);
    const tracks = await all(models.detector.video!(video, await models.job('pets', { TRACK_TYPE: 'PET' })));
    expect(tracks.map(({ type }) => type)).to.deep.equal(['PET', 'PET']);
  });

  it('tell their type as soon as they begin in a live stream', async () => {
    const events: StreamEvent[] = [];
    const scene = new LiveScene({ event: (event) => void events.push(event), at: (frame) => frame });
    const live = new LiveTracks({ scene, trackType: 'CLASS' });
    const single = ({ frame, ...one }: ReportedDetection, type: string): Track => {
      const times = { startTime: frame, stopTime: frame, startFrame: frame, stopFrame: frame };
      return { ...times, ...one, type, detections: [{ ...one, frame, time: frame }] };
    };
    const size = { width: 64, height: 32 };
    live.begin({ size, place: (one) => ({ ...one, properties: {} }), single });
    const video = paintVideo({ width: 64, height: 32, frames: 2 }, () => [255, 255, 255]);
    const job = { ...(await models.job('pets', { TRACK_TYPE: 'PET' })), live };
    const tracks = await all(models.detector.video!(video, job));
    expect(tracks.map(({ type }) => type)).to.deep.equal(['PET', 'PET']);
    const began = events.filter((event) => event.type === 'trackBegan');
    expect(began.map(({ trackType }) => trackType)).to.deep.equal(['PET', 'PET']);
  });

  it('are of no type that means something else in documents', async () => {
    for (const TRACK_TYPE of ['', 'no tracks', 'MEDIA', 'a/b', 'x'.repeat(65)])
      expect((await models.refusal('pets', { TRACK_TYPE })).message, TRACK_TYPE).to.match(
        /^The TRACK_TYPE property is /,
      );
  });
});
