import { expect } from 'chai';
import { dominantColour } from '../../../components/detectors/image-properties/dominant-colour.ts';
import loadImageProperties from '../../../components/detectors/image-properties/detector.ts';
import type { Detector, Frame, FrameSource } from '../../../components/sdk/detector.ts';
import { readImage } from '../../../media/picture/image-frame.ts';
import type { Properties } from '../../../domain/types.ts';
import { sample } from '../models/recorded-media.ts';
import { all, descriptorOf, jobOf, noise, paintVideo, picture, spans, type Colour } from '../visual.ts';

const grey = (level: number): Colour => [level, level, level];

/** Number of different bits of two 64-bit hashes. */
function bitsApart(a: string, b: string): number {
  return (BigInt(`0x${a}`) ^ BigInt(`0x${b}`)).toString(2).replaceAll('0', '').length;
}

describe('The image properties component', () => {
  let detector: Detector;
  before(async () => {
    detector = await loadImageProperties();
  });

  const propertiesOf = async (frame: Frame): Promise<Properties> => {
    const tracks = await all(detector.image!(frame, await jobOf('image-properties')));
    expect(tracks).to.have.length(1);
    const { detections, confidence, properties } = tracks[0]!;
    const { width, height } = frame;
    expect(detections).to.deep.equal([{ frame: 0, x: 0, y: 0, width, height, confidence: -1, properties }]);
    expect(confidence).to.equal(-1);
    return properties!;
  };

  it('knows images and videos, no sound', () => {
    const known = (['image', 'video', 'audio'] as const).map((method) => typeof detector[method]);
    expect(known).to.deep.equal(['function', 'function', 'undefined']);
  });

  it('brings its pipeline, which looks at one frame a second', async () => {
    const { algorithm, actions, tasks, pipelines } = await descriptorOf('image-properties');
    expect([algorithm.name, algorithm.trackType]).to.deep.equal(['IMAGE PROPERTIES', 'PICTURE']);
    expect(pipelines.map(({ name }) => name)).to.deep.equal(['IMAGE PROPERTIES DETECTION PIPELINE']);
    expect(tasks.map(({ name }) => name)).to.deep.equal(pipelines[0]!.tasks);
    expect(actions.map(({ name }) => name)).to.deep.equal(tasks[0]!.actions);
    expect(actions[0]!.properties).to.deep.equal([{ name: 'FRAME_RATE_CAP', value: '1' }]);
  });

  it('measures a picture of one colour', async () => {
    expect(await propertiesOf(picture(40, 30, () => [200, 100, 50]))).to.deep.equal({
      WIDTH: '40',
      HEIGHT: '30',
      BRIGHTNESS: '124.2',
      CONTRAST: '0',
      SHARPNESS: '0',
      // Red exceeds green by 100, and yellow exceeds blue by 100: 0.3 * hypot(100, 100).
      COLORFULNESS: '42.43',
      DOMINANT_COLOR: '#c86432',
      DOMINANT_COLOR_NAME: 'saddlebrown',
      IS_GRAYSCALE: 'FALSE',
      PERCEPTUAL_HASH: '0000000000000000',
    });
  });

  it('measures a picture of black and white halves', async () => {
    const measured = await propertiesOf(picture(100, 40, (x) => grey(x < 50 ? 0 : 255)));
    expect(measured).to.include({ BRIGHTNESS: '127.5', CONTRAST: '127.5', IS_GRAYSCALE: 'TRUE' });
    // Of the 98 inner columns, one has +255 and one has -255.
    expect(Number(measured['SHARPNESS'])).to.be.closeTo((2 * 255 ** 2) / 98, 0.01);
    expect(measured).to.include({ COLORFULNESS: '0' });
    // Cell 4 of 9 is on the border, so it is darker than its right neighbour. Cell 3 is darker than cell 4.
    expect(measured['PERCEPTUAL_HASH']).to.equal('18'.repeat(8));
  });

  it('measures the spread of colours', async () => {
    const measured = await propertiesOf(picture(20, 20, (x) => (x % 2 === 0 ? [255, 0, 0] : [0, 255, 0])));
    // Red minus green is 255 or -255; yellow minus blue is 127.5 everywhere.
    expect(measured['COLORFULNESS']).to.equal(String(255 + 0.3 * 127.5));
  });

  it('calls grey what is grey but for the noise of compression', async () => {
    const spread = async (most: number, coloured: number) =>
      (
        await propertiesOf(
          picture(100, 100, (x, y) => {
            if (y * 100 + x < coloured) return [200, 20, 20];
            const level = 60 + (x % 100);
            return [level, level + Math.floor(noise(x, y, 1) * (most + 1)), level];
          }),
        )
      )['IS_GRAYSCALE'];
    expect(await spread(8, 0)).to.equal('TRUE');
    expect(await spread(8, 10)).to.equal('TRUE');
    expect(await spread(8, 11)).to.equal('FALSE');
    expect(await spread(20, 0)).to.equal('FALSE');
  });

  it('tells a sharp picture from a blurred one', async () => {
    const sharpness = async (frame: Frame) => Number((await propertiesOf(frame))['SHARPNESS']);
    const sharp = (x: number, y: number) => Math.floor(noise(Math.floor(x / 4), Math.floor(y / 4), 3) * 256);
    const blurPixel = (x: number, y: number) =>
      (sharp(x - 3, y) + sharp(x, y) + sharp(x + 3, y) + sharp(x, y + 3)) / 4;
    const [clear, vague] = [
      await sharpness(picture(120, 120, (x, y) => grey(sharp(x, y)))),
      await sharpness(picture(120, 120, (x, y) => grey(blurPixel(x, y)))),
    ];
    expect(clear).to.be.greaterThan(2 * vague);
    expect(vague).to.be.greaterThan(0);
  });

  it('gives a hash of darker-than-the-next cells, row by row', async () => {
    // Nine cells of 10 x 10 pixels: brighter to the right in even rows, darker in odd rows.
    const frame = picture(90, 80, (x, y) => {
      const column = Math.floor(x / 10);
      return grey(20 * (Math.floor(y / 10) % 2 === 0 ? column : 8 - column));
    });
    expect((await propertiesOf(frame))['PERCEPTUAL_HASH']).to.equal('ff00ff00ff00ff00');
  });

  it('gives like pictures like hashes, whatever their size and brightness, and others others', async () => {
    const astronaut = await readImage(sample('astronaut.png'));
    const copy = picture(200, 130, (x, y) => {
      const i = (Math.floor((y * 512) / 130) * 512 + Math.floor((x * 512) / 200)) * 3;
      return [0, 1, 2].map((c) => astronaut.data[i + c]! * 0.8 + 10) as unknown as Colour;
    });
    const hash = async (frame: Frame) => (await propertiesOf(frame))['PERCEPTUAL_HASH']!;
    const original = await hash(astronaut);
    expect(original).to.match(/^[0-9a-f]{16}$/);
    expect(bitsApart(original, await hash(copy))).to.be.at.most(4);
    for (const other of ['chelsea.png', 'coffee.png', 'rocket.jpg'])
      expect(bitsApart(original, await hash(await readImage(sample(other)))), other).to.be.at.least(16);
  });

  it('names the colour that most of a picture has', () => {
    const nameColour = (paint: (x: number, y: number) => Colour) =>
      dominantColour(picture(50, 50, paint).data);
    expect(nameColour(() => [250, 5, 3])).to.deep.equal({ hex: '#fa0503', name: 'red' });
    expect(nameColour((x) => (x < 30 ? [10, 10, 120] : [255, 255, 255]))).to.deep.equal({
      hex: '#0a0a78',
      name: 'navy',
    });
    expect(nameColour(() => [0, 0, 0]).name).to.equal('black');
    expect(nameColour(() => [255, 255, 255])).to.deep.equal({ hex: '#ffffff', name: 'white' });
    // Noisy grey around 128 covers more of the picture than the fifth that is plain yellow.
    const trembling = nameColour((x, y) =>
      x < 10
        ? [255, 255, 0]
        : ([0, 1, 2].map((c) => 124 + Math.floor(noise(x, y, c) * 9)) as unknown as Colour),
    );
    expect(trembling.name).to.equal('gray');
    expect(trembling.hex).to.match(/^#(7f|80|81){3}$/);
  });

  it('measures pictures of any size', async () => {
    expect(await propertiesOf(picture(1, 1, () => [9, 9, 9]))).to.include({
      WIDTH: '1',
      HEIGHT: '1',
      BRIGHTNESS: '9',
      SHARPNESS: '0',
      PERCEPTUAL_HASH: '0000000000000000',
    });
    expect(await propertiesOf(picture(3, 200, (_, y) => grey(y)))).to.include({ WIDTH: '3', HEIGHT: '200' });
  });

  it('gives one track of a video, with a detection for each looked-at frame that is no warm-up', async () => {
    const video = paintVideo({ width: 20, height: 10, frames: 10, start: 2, interval: 2 }, (_x, _y, frame) =>
      grey(frame * 10),
    );
    const tracks = await all(detector.video!(video, await jobOf('image-properties')));
    expect(spans(tracks)).to.deep.equal([[2, 8]]);
    const { detections, properties } = tracks[0]!;
    expect(detections.map(({ frame, properties }) => [frame, properties!['BRIGHTNESS']])).to.deep.equal([[2, '20'], [4, '40'], [6, '60'], [8, '80']]); // oxfmt-ignore
    expect(properties).to.deep.equal({
      BRIGHTNESS: '50',
      CONTRAST: '0',
      SHARPNESS: '0',
      COLORFULNESS: '0',
      IS_GRAYSCALE: 'TRUE',
    });
  });

  it('measures frames of different sizes, as regions of tracks have them', async () => {
    const frames = [
      picture(40, 20, () => grey(10)),
      { ...picture(7, 9, () => grey(30)), index: 3, time: 120 },
    ];
    const source: FrameSource = {
      width: 40,
      height: 20,
      fps: 25,
      start: 0,
      stop: 3,
      async *frames() {
        yield* frames;
      },
    };
    const [track] = await all(detector.video!(source, await jobOf('image-properties')));
    expect(
      track!.detections.map(({ frame, width, height, properties }) => [frame, width, height, properties!['WIDTH'], properties!['HEIGHT']]), // oxfmt-ignore
    ).to.deep.equal([
      [0, 40, 20, '40', '20'],
      [3, 7, 9, '7', '9'],
    ]);
  });

  it('has nothing to say of a video without frames', async () => {
    const video = paintVideo({ frames: 0 }, () => grey(0));
    expect(await all(detector.video!(video, await jobOf('image-properties')))).to.deep.equal([]);
  });

  it('stops when the job is cancelled', async () => {
    const job = { ...(await jobOf('image-properties')), signal: AbortSignal.abort(new Error('cancelled')) };
    const frame = picture(32, 32, () => grey(0));
    const run = all(detector.image!(frame, job));
    expect(await run.catch((error: Error) => error.message)).to.equal('cancelled');
  });
});
