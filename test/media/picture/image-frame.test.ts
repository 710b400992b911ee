import { expect } from 'chai';
import { rm, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { readImage } from '../../../media/picture/image-frame.ts';
import { inspect } from '../../../media/inspect/inspect.ts';
import { bitmapOf } from '../../support/media/bitmap.ts';
import { targaOf } from '../../support/media/targa.ts';
import { mediumError, sample, scratchFolder } from '../support/samples.ts';

describe('reading an image', () => {
  let folder = '';
  before(() => {
    folder = scratchFolder();
  });
  after(() => rm(folder, { recursive: true, force: true }));

  it('gives three channels for grey, coloured, transparent, 16-bit and CMYK pictures', async () => {
    const pathOf = (name: string): string => join(folder, name);
    const red = { width: 8, height: 6, background: { r: 200, g: 40, b: 20, alpha: 1 } };
    await sharp({ create: { ...red, channels: 4 } })
      .png()
      .toFile(pathOf('alpha.png'));
    await sharp({ create: { ...red, channels: 3 } })
      .toColourspace('rgb16')
      .png()
      .toFile(pathOf('deep.png'));
    await sharp({ create: { ...red, channels: 3 } })
      .toColourspace('cmyk')
      .jpeg({ quality: 100 })
      .toFile(pathOf('cmyk.jpg'));
    for (const path of [
      pathOf('alpha.png'),
      pathOf('deep.png'),
      pathOf('cmyk.jpg'),
      sample('camera.png'),
      sample('text.png'),
      sample('rocket.jpg'),
    ]) {
      const { data, width, height } = await readImage(path);
      expect(data.length, path).to.equal(width * height * 3);
    }
    for (const name of ['alpha.png', 'deep.png'])
      expect([...(await readImage(pathOf(name))).data.subarray(0, 3)], name).to.deep.equal([200, 40, 20]);
    const [r = 0, g = 0, b = 0] = (await readImage(pathOf('cmyk.jpg'))).data;
    expect(r).to.be.greaterThan(Math.max(g, b) * 2);
    const grey = (await readImage(sample('camera.png'))).data;
    expect(grey[0] === grey[1] && grey[1] === grey[2]).to.equal(true);
  });

  it('shows what is transparent on white: black letters on a transparent ground are read', async () => {
    const path = join(folder, 'letters.png');
    const ground = {
      width: 20,
      height: 10,
      channels: 4,
      background: { r: 0, g: 0, b: 0, alpha: 0 },
    } as const;
    const letter = { ...ground, width: 5, height: 5, background: { ...ground.background, alpha: 1 } };
    const veil = { ...letter, background: { r: 255, g: 0, b: 0, alpha: 0.5 } };
    await sharp({ create: ground })
      .composite([
        { input: { create: letter }, left: 0, top: 0 },
        { input: { create: veil }, left: 10, top: 0 },
      ])
      .png()
      .toFile(path);
    const { data } = await readImage(path);
    const at = (x: number): number[] => [...data.subarray(x * 3, x * 3 + 3)];
    expect([at(0), at(7)], 'letter and ground').to.deep.equal([
      [0, 0, 0],
      [255, 255, 255],
    ]);
    const [red, green, blue] = at(12);
    expect([red, blue]).to.deep.equal([255, green]);
    expect(green).to.be.within(126, 129);
    const grey = join(folder, 'grey-letters.png');
    await sharp(path).toColourspace('b-w').png().toFile(grey);
    const shown = (await readImage(grey)).data;
    expect([...shown.subarray(0, 3), ...shown.subarray(21, 24)]).to.deep.equal([0, 0, 0, 255, 255, 255]);
  });

  it('gives the same of a BMP, or a netpbm picture, as of the PNG of it', async () => {
    const { data, width, height } = await readImage(await odd());
    expect(width % 4, 'rows that are filled up').to.equal(3);
    const [bmp, ppm] = [join(folder, 'odd.bmp'), join(folder, 'odd.ppm')];
    await writeFile(bmp, bitmapOf(data, width, height));
    await writeFile(ppm, Buffer.concat([Buffer.from(`P6\n${width} ${height}\n255\n`), data]));
    for (const path of [bmp, ppm]) {
      const same = await readImage(path);
      expect([same.width, same.height], path).to.deep.equal([width, height]);
      expect(Buffer.compare(same.data, data), path).to.equal(0);
    }
  });

  it('gives the same of a TGA, packed or not, and of a netpbm picture in letters', async () => {
    const { data, width, height } = await readImage(await odd());
    const numbers = [...data].join(' ').replaceAll(/(.{60}) /g, '$1\n');
    const files: readonly (readonly [string, Buffer, string])[] = [
      ['plain.tga', targaOf(data, width, height), 'image/x-tga'],
      ['no-ending', targaOf(data, width, height), 'image/x-tga'],
      ['packed', targaOf(data, width, height, { packed: true }), 'image/x-tga'],
      [
        'letters.ppm',
        Buffer.from(`P3\n# made\n${width} ${height}\n255\n${numbers}\n`),
        'image/x-portable-pixmap',
      ],
    ];
    for (const [name, bytes, mimeType] of files) {
      const path = join(folder, name);
      await writeFile(path, bytes);
      expect((await inspect(path)).facts, name).to.include({ mediaType: 'IMAGE', mimeType });
      const same = await readImage(path);
      expect([same.width, same.height], name).to.deep.equal([width, height]);
      expect(Buffer.compare(same.data, data), name).to.equal(0);
    }
    await writeFile(join(folder, 'cut.tga'), targaOf(data, width, height).subarray(0, 5_000));
    expect((await mediumError(readImage(join(folder, 'cut.tga')))).message).to.match(/damaged, cut off/);
  });

  it('refuses a BMP that is cut off, or that says to be larger than it is', async () => {
    const { data, width, height } = await readImage(await odd());
    const [cut, bomb] = [join(folder, 'cut.bmp'), join(folder, 'bomb.bmp')];
    const whole = bitmapOf(data, width, height);
    await writeFile(cut, whole.subarray(0, whole.length / 2));
    whole.writeInt32LE(60_000, 18);
    whole.writeInt32LE(60_000, 22);
    await writeFile(bomb, whole);
    for (const path of [cut, bomb]) {
      const error = await mediumError(readImage(path));
      expect(error.code).to.equal('COULD_NOT_READ_MEDIA');
      expect(error.message).to.match(/^The image could not be read: it is damaged, cut off, or .+\.$/);
    }
    await writeFile(bomb, bitmapOf(data, width, height));
    expect((await mediumError(readImage(bomb, { maxPixels: width * height - 1 }))).message).to.include(
      `more than ${width * height - 1} pixels`,
    );
  });

  /** A picture with an odd width. */
  const odd = async (): Promise<string> => {
    const path = join(folder, 'odd.png');
    await sharp(sample('astronaut.png')).resize(203, 151, { fit: 'fill' }).png().toFile(path);
    return path;
  };

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
