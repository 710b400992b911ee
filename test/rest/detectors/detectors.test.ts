/**
 * A built-in pipeline whose media are not split into segments, run by the whole service. For the others, see
 * detectors.long.ts.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import sharp from 'sharp';
import { Service, tracksOf, type DocumentTrack } from '../../support/processes/service.ts';

describe('SCENE CHANGE DETECTION PIPELINE', () => {
  let service: Service;
  before(async () => {
    service = await Service.openShared();
  });
  after(() => service.close());

  const spans = (tracks: readonly DocumentTrack[]) =>
    tracks.map(({ startOffsetFrame, stopOffsetFrame }) => [startOffsetFrame, stopOffsetFrame]);

  it('finds no cut at the borders of the segments into which longer videos are cut for others', async () => {
    const cuts = [0, 130, 330];
    const file = join(service.mediaDir, 'long.gif');
    writeFileSync(file, await longVideo(cuts, 450));
    const id = await service.submit({
      media: [pathToFileURL(file).href],
      pipelineName: 'SCENE CHANGE DETECTION PIPELINE',
    });
    await service.terminal(id);
    const [medium] = (await service.document(id)).media;
    expect([medium?.mediaType, medium?.['length']]).to.deep.equal(['VIDEO', 450]);
    expect(spans(tracksOf(medium, 'SCENE'))).to.deep.equal([
      [0, 129],
      [130, 329],
      [330, 449],
    ]);
    expect(
      service
        .handedOut()
        .filter(({ subJob }) => subJob.startsWith(`${id}.1.0.0.0.`) && !subJob.endsWith('finish')),
    ).to.have.length(1);
  });
});

/** An animation of still scenes that begin at the frames `cuts`. A moving spot makes all frames different. */
async function longVideo(cuts: readonly number[], frames: number): Promise<Buffer> {
  const [width, height] = [96, 64];
  const colours = [
    [200, 40, 30],
    [30, 60, 200],
    [40, 190, 60],
  ];
  const data = Buffer.alloc(width * height * 3 * frames);
  for (let frame = 0; frame < frames; frame++) {
    const scene = cuts.findLastIndex((cut) => cut <= frame);
    for (let pixel = 0; pixel < width * height; pixel++) {
      const [x, y] = [pixel % width, Math.floor(pixel / width)];
      const onSpot = Math.abs(x - (frame % width)) < 3 && Math.abs(y - 10) < 3;
      const shade = (x * (scene + 1) + y * (3 - scene)) % 40;
      const colour = onSpot ? [255, 255, 255] : colours[scene]!.map((value) => value + shade);
      data.set(colour, (frame * width * height + pixel) * 3);
    }
  }
  const raw = { width, height: height * frames, channels: 3 as const, pageHeight: height };
  return sharp(data, { raw, limitInputPixels: false })
    .gif({ delay: Array.from({ length: frames }, () => 40), loop: 0, effort: 1 })
    .toBuffer();
}
