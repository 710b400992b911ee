/**
 * Objects, barcodes and image properties, found by the whole service. For more detectors, see
 * picture-detectors.long.ts.
 */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import sharp from 'sharp';
import { sampleUri, Service, tracksOf, type DetectionDocument } from '../../support/processes/service.ts';
import { classesOf } from './picture-classes.ts';

describe('The built-in pipelines for pictures', () => {
  let service: Service;
  before(async () => {
    service = await Service.openShared();
  });
  after(() => service.close());

  const run = (name: string, ...media: string[]): Promise<DetectionDocument> =>
    service.run({ media, pipelineName: `${name} DETECTION PIPELINE` });

  it('name the object of an image', async () => {
    const document = await run('OBJECT', sampleUri('chelsea.png'));
    expect(classesOf(document)).to.deep.equal([['cat']]);
    for (const medium of document.media)
      for (const { exemplar, trackProperties } of tracksOf(medium, 'CLASS'))
        expect(exemplar.detectionProperties).to.deep.equal(trackProperties);
  });

  it('read barcodes, and find none where there is none', async () => {
    const file = join(service.mediaDir, 'ean.png');
    await sharp(ean13('4006381333931', 4), { raw: { width: 480, height: 200, channels: 1 } }).toFile(file);
    const document = await run('BARCODE', pathToFileURL(file).href, sampleUri('hello-world.png'));
    const tracks = tracksOf(document.media[0], 'BARCODE');
    expect(tracks.map(({ trackProperties }) => trackProperties)).to.deep.equal([
      { FORMAT: 'EAN13', TEXT: '4006381333931' },
    ]);
    expect(tracks[0]!.confidence).to.equal(1);
    expect(tracksOf(document.media[1], 'BARCODE')).to.deep.equal([]);
  });

  it('measure an image, and a video once a second', async () => {
    const document = await run('IMAGE PROPERTIES', sampleUri('camera.png'), sampleUri('face_move.mp4'));
    const [image, video] = document.media.map((medium) => tracksOf(medium, 'PICTURE'));
    expect(image).to.have.length(1);
    expect(image![0]!.trackProperties).to.include({ WIDTH: '512', HEIGHT: '512', IS_GRAYSCALE: 'TRUE' });
    expect(video).to.have.length(1);
    expect(video![0]!.detections.map(({ offsetFrame }) => offsetFrame)).to.deep.equal([0, 25, 50, 75]);
  });
});

/** A barcode of 13 digits (EAN-13) on white, with bars of `scale` pixels: 480 x 200 grey pixels. */
function ean13(digits: string, scale: number): Buffer {
  const odd = ['0001101', '0011001', '0010011', '0111101', '0100011', '0110001', '0101111', '0111011', '0110111', '0001011']; // oxfmt-ignore
  const inverse = (bits: string) => bits.replaceAll(/[01]/g, (bit) => (bit === '0' ? '1' : '0'));
  const reverse = (bits: string) => bits.split('').toReversed().join('');
  // The parity of the left digits encodes the first digit, which is 4 here.
  const left = digits
    .slice(1, 7)
    .split('')
    .map((digit, i) => {
      const bits = odd[Number(digit)]!;
      return 'OEOOEE'[i] === 'O' ? bits : reverse(inverse(bits));
    });
  const right = digits
    .slice(7)
    .split('')
    .map((digit) => inverse(odd[Number(digit)]!));
  const bars = `101${left.join('')}01010${right.join('')}101`;
  const pixels = Buffer.alloc(480 * 200, 255);
  for (let y = 30; y < 170; y++)
    for (let x = 0; x < bars.length * scale; x++)
      if (bars[Math.floor(x / scale)] === '1') pixels[y * 480 + 50 + x] = 0;
  return pixels;
}
