/** Quality problems of pictures and sound, found by the whole service in media that the test generates. */
import { expect } from 'chai';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import sharp from 'sharp';
import { Service, tracksOf, type DetectionDocument } from '../../support/processes/service.ts';
import { toneFile } from '../../support/media/tone-file.ts';

const [WIDTH, HEIGHT] = [96, 64];

describe('MEDIA QUALITY DETECTION PIPELINE', () => {
  let service: Service;
  let document: DetectionDocument;
  before(async () => {
    service = await Service.openShared();
    const made = { 'faults.gif': await faultyVideo(), 'pause.wav': pause(), 'black.png': await blackImage() };
    const media = Object.entries(made).map(([name, bytes]) => {
      const file = join(service.mediaDir, name);
      writeFileSync(file, bytes);
      return pathToFileURL(file).href;
    });
    document = await service.run({ media, pipelineName: 'MEDIA QUALITY DETECTION PIPELINE' });
  });
  after(() => service.close());

  const faults = (medium: number, type: string) =>
    tracksOf(document.media[medium], type).map(({ trackProperties, startOffsetTime }) => [
      trackProperties['QUALITY'],
      startOffsetTime,
      trackProperties['DURATION'],
    ]);

  it('ends without an error for videos, sounds and images', () => {
    expect(document.status, JSON.stringify(document.errors)).to.equal('COMPLETE');
  });

  it('finds where a video is black and where it stands still, and that it has no sound', () => {
    expect(faults(0, 'PICTURE QUALITY')).to.have.deep.members([
      ['BLACK', 1_200, '1200'],
      ['FROZEN', 3_200, '2800'],
    ]);
    expect(faults(0, 'SOUND').map(([quality]) => quality)).to.deep.equal(['NO SOUND']);
  });

  it('finds silence in a sound and measures how loud it is', () => {
    const tracks = tracksOf(document.media[1], 'SOUND');
    const silence = tracks.find(({ trackProperties }) => trackProperties['QUALITY'] === 'SILENT')!;
    expect(silence.startOffsetTime).to.be.closeTo(3_000, 5);
    expect(silence.stopOffsetTime).to.be.closeTo(6_000, 5);
    const loudness = tracks.find(({ trackProperties }) => trackProperties['QUALITY'] === 'LOUDNESS')!;
    expect(Number(loudness.trackProperties['INTEGRATED_LOUDNESS'])).to.be.closeTo(-20, 0.5);
  });

  it('finds a black image', () => {
    expect(faults(2, 'PICTURE QUALITY').map(([quality]) => quality)).to.deep.equal(['BLACK']);
  });
});

const pause = (): Buffer =>
  toneFile([
    { seconds: 3, level: -20 },
    { seconds: 3, level: -Infinity },
    { seconds: 3, level: -20 },
  ]);

const blackImage = (): Promise<Buffer> =>
  sharp({ create: { width: WIDTH, height: HEIGHT, channels: 3, background: '#000' } })
    .png()
    .toBuffer();

/**
 * 160 frames of 40 ms: 30 to 59 are black, and 80 to 149 are identical. The file stores each run as one long
 * frame.
 */
async function faultyVideo(): Promise<Buffer> {
  const frames = 160;
  const data = Buffer.alloc(WIDTH * HEIGHT * 3 * frames);
  for (let frame = 0; frame < frames; frame++) {
    if (frame >= 30 && frame < 60) continue;
    const shown = frame >= 80 && frame < 150 ? 80 : frame;
    for (let pixel = 0; pixel < WIDTH * HEIGHT; pixel++) {
      const [x, y] = [pixel % WIDTH, Math.floor(pixel / WIDTH)];
      const at = (frame * WIDTH * HEIGHT + pixel) * 3;
      data.fill(60 + ((x * 3 + y * 5 + shown * 37) % 180), at, at + 3);
    }
  }
  const raw = { width: WIDTH, height: HEIGHT * frames, channels: 3 as const, pageHeight: HEIGHT };
  return sharp(data, { raw, limitInputPixels: false })
    .gif({ delay: Array.from({ length: frames }, () => 40), loop: 0, effort: 1 })
    .toBuffer();
}
