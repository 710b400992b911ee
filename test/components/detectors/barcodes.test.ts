import { expect } from 'chai';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { prepareZXingModule, writeBarcode, type WriteInputBarcodeFormat } from 'zxing-wasm/writer';
import loadBarcodeDetector from '../../../components/detectors/barcodes/detector.ts';
import { BarcodeTracks } from '../../../components/detectors/barcodes/tracks.ts';
import type { Detector, FoundTrack, Frame } from '../../../components/sdk/detector.ts';
import { type Box, iou } from '../../../domain/geometry/geometry.ts';
import type { Properties } from '../../../domain/types.ts';
import {
  acceptsBroken,
  all,
  descriptorOf,
  jobOf,
  paintVideo,
  picture,
  spans,
  type Colour,
} from '../visual.ts';

const PAPER: Colour = [240, 235, 225];
const INK: Colour = [30, 20, 40];

/** A code to paint: its top left corner is at (x, y), and each module has this many pixels. */
interface Printed {
  readonly modules: { readonly data: Uint8ClampedArray; readonly width: number; readonly height: number };
  readonly x: number;
  readonly y: number;
  readonly scale: number;
}

async function print(
  format: WriteInputBarcodeFormat,
  text: string,
  x: number,
  y: number,
  scale = 4,
): Promise<Printed> {
  const { symbol, error } = await writeBarcode(text, { format, addQuietZones: false });
  if (error !== '') throw new Error(error);
  return { modules: symbol, x, y, scale };
}

const boxOf = ({ modules, x, y, scale }: Printed): Box => ({
  x,
  y,
  width: modules.width * scale,
  height: modules.height * scale,
});

function colourAt(codes: readonly Printed[], x: number, y: number): Colour {
  for (const { modules, x: left, y: top, scale } of codes) {
    const column = Math.floor((x - left) / scale);
    const row = Math.floor((y - top) / scale);
    if (column < 0 || row < 0 || column >= modules.width || row >= modules.height) continue;
    if (modules.data[row * modules.width + column] === 0) return INK;
  }
  return PAPER;
}

const textOf = ({ properties }: FoundTrack) => [properties?.['FORMAT'], properties?.['TEXT']];

describe('The barcode component', () => {
  let detector: Detector;
  before(async () => {
    detector = await loadBarcodeDetector();
    const writer = createRequire(import.meta.url).resolve('zxing-wasm/writer/zxing_writer.wasm');
    const wasmBinary = new Uint8Array(await readFile(writer)).buffer;
    await prepareZXingModule({ overrides: { wasmBinary }, fireImmediately: true });
  });

  const read = async (frame: Frame, properties: Properties = {}): Promise<FoundTrack[]> =>
    all(detector.image!(frame, await jobOf('barcodes', properties)));

  it('knows images and videos, no sound', () => {
    const known = (['image', 'video', 'audio'] as const).map((method) => typeof detector[method]);
    expect(known).to.deep.equal(['function', 'function', 'undefined']);
  });

  it('brings its pipeline', async () => {
    const { algorithm, actions, tasks, pipelines } = await descriptorOf('barcodes');
    expect([algorithm.name, algorithm.trackType]).to.deep.equal(['BARCODE', 'BARCODE']);
    expect(pipelines.map(({ name }) => name)).to.deep.equal(['BARCODE DETECTION PIPELINE']);
    expect(tasks.map(({ name }) => name)).to.deep.equal(pipelines[0]!.tasks);
    expect(actions.map(({ name }) => name)).to.deep.equal(tasks[0]!.actions);
  });

  for (const [format, text] of [
    ['QRCode', 'https://example.org/jobs?id=42&name=Übung'],
    ['DataMatrix', 'DM-0815'],
    ['PDF417', 'several rows of text'],
    ['Aztec', 'ticket 7'],
    ['EAN13', '4006381333931'],
    ['EAN8', '96385074'],
    ['Code128', 'Troupe-0042'],
    ['Code39', 'TROUPE 7'],
    ['ITF', '30712345000010'],
  ] as const)
    it(`reads ${format}, and says where it is`, async () => {
      const code = await print(format, text, 60, 50, 3);
      const { width, height } = boxOf(code);
      const tracks = await read(picture(width + 120, height + 100, (x, y) => colourAt([code], x, y)));
      expect(tracks).to.have.length(1);
      const { detections, confidence, properties } = tracks[0]!;
      expect(properties!['TEXT']).to.equal(text);
      expect(properties!['FORMAT']).to.match(new RegExp(`^${format}`));
      expect(detections[0]!.properties).to.deep.equal(properties);
      expect([confidence, detections[0]!.confidence]).to.deep.equal([1, 1]);
      expect(iou(detections[0]!, boxOf(code))).to.be.at.least(0.8);
    });

  it('reads UPC-A as what it is to EAN-13, a code with a zero before it', async () => {
    const code = await print('UPCA', '036000291452', 40, 40, 3);
    const tracks = await read(picture(400, 260, (x, y) => colourAt([code], x, y)));
    expect(tracks.map(textOf)).to.deep.equal([['EAN13', '0036000291452']]);
  });

  it('reads all codes of a picture, from top to bottom', async () => {
    const codes = [
      await print('QRCode', 'first', 40, 30),
      await print('EAN13', '4006381333931', 200, 60, 2),
      await print('DataMatrix', 'third', 60, 250),
      await print('QRCode', 'first', 300, 300),
    ];
    const tracks = await read(picture(480, 460, (x, y) => colourAt(codes, x, y)));
    expect(tracks.map(textOf)).to.deep.equal([
      ['QRCode', 'first'],
      ['EAN13', '4006381333931'],
      ['DataMatrix', 'third'],
      ['QRCode', 'first'],
    ]);
    tracks.forEach((track, i) => expect(iou(track.detections[0]!, boxOf(codes[i]!))).to.be.at.least(0.8));
  });

  it('reads a turned code; the box is the upright one around it', async () => {
    const code = await print('QRCode', 'turned by thirty degrees', 0, 0, 5);
    const side = code.modules.width * 5;
    const [sin, cos] = [Math.sin(Math.PI / 6), Math.cos(Math.PI / 6)];
    const size = 360;
    const frame = picture(size, size, (x, y) => {
      const [dx, dy] = [x - size / 2, y - size / 2];
      return colourAt([code], cos * dx + sin * dy + side / 2, -sin * dx + cos * dy + side / 2);
    });
    const tracks = await read(frame);
    expect(tracks.map(textOf)).to.deep.equal([['QRCode', 'turned by thirty degrees']]);
    const around = side * (sin + cos);
    const box = { x: (size - around) / 2, y: (size - around) / 2, width: around, height: around };
    expect(iou(tracks[0]!.detections[0]!, box)).to.be.at.least(0.9);
  });

  it('reads a linear code that stands upright', async () => {
    const code = await print('Code128', 'upright', 40, 30, 3);
    const { width, height } = boxOf(code);
    const frame = picture(height + 60, width + 80, (x, y) => colourAt([code], y, x));
    const tracks = await read(frame);
    expect(tracks.map(textOf)).to.deep.equal([['Code128', 'upright']]);
    const box = { x: 30, y: 40, width: height, height: width };
    expect(iou(tracks[0]!.detections[0]!, box)).to.be.at.least(0.8);
  });

  it('reads a code that is light on dark', async () => {
    const code = await print('DataMatrix', 'inverted', 40, 40, 5);
    const frame = picture(200, 200, (x, y) => {
      const [red, green, blue] = colourAt([code], x, y);
      return [255 - red, 255 - green, 255 - blue];
    });
    expect((await read(frame)).map(textOf)).to.deep.equal([['DataMatrix', 'inverted']]);
  });

  it('finds nothing in a picture without codes, however small', async () => {
    expect(await read(picture(300, 200, (x, y) => [x % 256, y, (x * y) % 256]))).to.deep.equal([]);
    expect(await read(picture(1, 1, () => PAPER))).to.deep.equal([]);
  });

  it('looks for the FORMATS it is told, however they are written', async () => {
    const codes = [
      await print('QRCode', 'matrix', 40, 30),
      await print('EAN13', '4006381333931', 40, 200, 3),
    ];
    const frame = picture(420, 420, (x, y) => colourAt(codes, x, y));
    const formats = async (list: string) =>
      (await read(frame, { FORMATS: list })).map(({ properties }) => properties!['FORMAT']);
    expect(await formats('')).to.deep.equal(['QRCode', 'EAN13']);
    expect(await formats('QRCode')).to.deep.equal(['QRCode']);
    expect(await formats('ean-13;Code128')).to.deep.equal(['EAN13']);
    expect(await formats('qr code ; EAN-13;')).to.deep.equal(['QRCode', 'EAN13']);
    expect(await formats('AllLinear')).to.deep.equal(['EAN13']);
    expect(await formats('Aztec')).to.deep.equal([]);
  });

  it('refuses a format that it does not know, and says which ones it knows', async () => {
    const frame = picture(32, 32, () => PAPER);
    const refused = (await read(frame, { FORMATS: 'QRCode;Morse' }).catch((error: unknown) => error)) as {
      code: string;
      message: string;
    };
    expect(refused.code).to.equal('INVALID_PROPERTY');
    expect(refused.message).to.include('"Morse"').and.to.include('QRCode; ');
  });

  it('follows a code through a video as one track, over frames in which it cannot be read', async () => {
    const code = await print('QRCode', 'moving', 0, 0, 3);
    const codeAt = (frame: number): Printed => ({ ...code, x: 20 + 8 * frame, y: 30 + frame });
    const video = paintVideo({ width: 240, height: 140, frames: 12, interval: 2 }, (x, y, frame) =>
      frame === 6 ? PAPER : colourAt([codeAt(frame)], x, y),
    );
    const tracks = await all(detector.video!(video, await jobOf('barcodes')));
    expect(spans(tracks)).to.deep.equal([[0, 10]]);
    expect(tracks[0]!.detections.map(({ frame }) => frame)).to.deep.equal([0, 2, 4, 8, 10]);
    for (const detection of tracks[0]!.detections)
      expect(iou(detection, boxOf(codeAt(detection.frame)))).to.be.at.least(0.8);
  });

  it('reports nothing of a warm-up', async () => {
    const code = await print('QRCode', 'still', 20, 20, 3);
    const video = paintVideo({ width: 120, height: 120, frames: 4, start: 2 }, (x, y) =>
      colourAt([code], x, y),
    );
    expect(spans(await all(detector.video!(video, await jobOf('barcodes'))))).to.deep.equal([[2, 3]]);
  });

  it('refuses values that are no numbers or no formats', async () => {
    const frame = picture(32, 32, () => PAPER);
    expect(await acceptsBroken('barcodes', (job) => detector.image!(frame, job))).to.deep.equal([]);
  });

  it('stops when the job is cancelled', async () => {
    const job = { ...(await jobOf('barcodes')), signal: AbortSignal.abort(new Error('cancelled')) };
    const frame = picture(32, 32, () => PAPER);
    const run = all(detector.image!(frame, job));
    expect(await run.catch((error: Error) => error.message)).to.equal('cancelled');
  });
});

describe('A track of a barcode', () => {
  const code = (text: string, x: number, format = 'QRCode') => ({
    text,
    format,
    x,
    y: 0,
    width: 50,
    height: 50,
  });
  const xs = (tracks: readonly FoundTrack[]) => tracks.map(({ detections }) => detections.map(({ x }) => x));

  it('is of one text and one format', () => {
    const tracks = new BarcodeTracks(5);
    tracks.next(0, [code('a', 0)]);
    tracks.next(1, [code('b', 0)]);
    tracks.next(2, [code('a', 0, 'Aztec')]);
    expect(tracks.end().map(textOf)).to.deep.equal([['QRCode', 'a'], ['QRCode', 'b'], ['Aztec', 'a']]); // oxfmt-ignore
  });

  it('goes on with the nearest of several codes of the same text', () => {
    const tracks = new BarcodeTracks(5);
    tracks.next(0, [code('a', 0), code('a', 300)]);
    tracks.next(1, [code('a', 290), code('a', 10), code('a', 600)]);
    expect(xs(tracks.end())).to.deep.equal([[0, 10], [300, 290], [600]]);
  });

  it('ends when its code was missed more often than it may be', () => {
    const tracks = new BarcodeTracks(1);
    expect(tracks.next(0, [code('a', 0)])).to.deep.equal([]);
    expect(tracks.next(1, [])).to.deep.equal([]);
    expect(tracks.next(2, [code('a', 5)])).to.deep.equal([]);
    expect(tracks.next(3, [])).to.deep.equal([]);
    expect(xs(tracks.next(4, []))).to.deep.equal([[0, 5]]);
    expect(tracks.end()).to.deep.equal([]);
  });
});
