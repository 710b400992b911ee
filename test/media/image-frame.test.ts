import { expect } from 'chai';
import { rm, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { readImage } from '../../media/image-frame.ts';
import { mediumError, sample, scratchFolder } from './samples.ts';

describe('reading an image', () => {
  let folder = '';
  before(() => {
    folder = scratchFolder();
  });
  after(() => rm(folder, { recursive: true, force: true }));

  it('gives three channels for grey, coloured, transparent, 16-bit and CMYK pictures', async () => {
    const made = (name: string): string => join(folder, name);
    const red = { width: 8, height: 6, background: { r: 200, g: 40, b: 20, alpha: 1 } };
    await sharp({ create: { ...red, channels: 4 } })
      .png()
      .toFile(made('alpha.png'));
    await sharp({ create: { ...red, channels: 3 } })
      .toColourspace('rgb16')
      .png()
      .toFile(made('deep.png'));
    await sharp({ create: { ...red, channels: 3 } })
      .toColourspace('cmyk')
      .jpeg({ quality: 100 })
      .toFile(made('cmyk.jpg'));
    for (const path of [
      made('alpha.png'),
      made('deep.png'),
      made('cmyk.jpg'),
      sample('camera.png'),
      sample('text.png'),
      sample('rocket.jpg'),
    ]) {
      const { data, width, height } = await readImage(path);
      expect(data.length, path).to.equal(width * height * 3);
    }
    for (const name of ['alpha.png', 'deep.png'])
      expect([...(await readImage(made(name))).data.subarray(0, 3)], name).to.deep.equal([200, 40, 20]);
    const [r = 0, g = 0, b = 0] = (await readImage(made('cmyk.jpg'))).data;
    expect(r).to.be.greaterThan(Math.max(g, b) * 2);
    const grey = (await readImage(sample('camera.png'))).data;
    expect(grey[0] === grey[1] && grey[1] === grey[2]).to.equal(true);
  });

  it('leaves the picture as it is stored, whatever its EXIF orientation', async () => {
    const path = join(folder, 'turned.jpg');
    await sharp(sample('chelsea.png')).withMetadata({ orientation: 6 }).jpeg().toFile(path);
    const { width, height } = await readImage(path);
    expect([width, height]).to.deep.equal([451, 300]);
  });

  it('is frame 0 at time 0', async () => {
    const { index, time, warmUp } = await readImage(sample('chelsea.png'));
    expect({ index, time, warmUp }).to.deep.equal({ index: 0, time: 0, warmUp: false });
  });

  it('refuses what is too large, cut off or no picture', async () => {
    const cut = join(folder, 'cut.jpg');
    await writeFile(cut, (await readFile(sample('rocket.jpg'))).subarray(0, 30_000));
    for (const [path, maxPixels] of [[sample('chelsea.png'), 1000], [cut], [sample('green.wav')]] as const) {
      const error = await mediumError(readImage(path, { maxPixels }));
      expect(error.code).to.equal('COULD_NOT_READ_MEDIA');
      expect(error.message).to.match(/^The image could not be read: .+\.$/);
    }
  });
});
