import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32, deflateSync } from 'node:zlib';
import sharp from 'sharp';
import { readImage } from '../../../media/picture/image-frame.ts';
import { inspect } from '../../../media/inspect/inspect.ts';
import type { Frame } from '../../../components/sdk/detector.ts';
import { codedPictures, heifFixture, heifOf, type HeifOptions } from '../../support/media/heif.ts';
import { mediumError, sample, scratchFolder } from '../support/samples.ts';

/** Mean difference of the channels of two pictures of equal size. */
function distance(a: Uint8Array, b: Uint8Array): number {
  expect(a.length).to.equal(b.length);
  let sum = 0;
  for (const [index, value] of a.entries()) sum += Math.abs(value - (b[index] ?? 0));
  return sum / a.length;
}

async function pixelsOf(path: string): Promise<Buffer> {
  return sharp(path).removeAlpha().raw().toBuffer();
}

/** The stored picture with its pixels in another order. */
function reorderPixels(
  picture: Frame,
  width: number,
  height: number,
  from: (x: number, y: number) => number[],
) {
  const data = new Uint8Array(width * height * 3);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const [u = 0, v = 0] = from(x, y);
      const at = (v * picture.width + u) * 3;
      data.set(picture.data.subarray(at, at + 3), (y * width + x) * 3);
    }
  return data;
}

describe('a HEIF photo', () => {
  let folder = '';
  before(() => {
    folder = scratchFolder();
  });
  after(() => rm(folder, { recursive: true, force: true }));

  async function writePhoto(bytes: Uint8Array, name = 'photo.heic'): Promise<string> {
    const path = join(folder, name);
    await writeFile(path, bytes);
    return path;
  }
  const photo = (options: HeifOptions): Promise<string> =>
    writePhoto(heifOf(codedPictures('astronaut.heic'), options));

  it('is inspected: its type and its size', async () => {
    const { facts, warnings } = await inspect(heifFixture('astronaut.heic'));
    expect(facts).to.deep.include({ mediaType: 'IMAGE', mimeType: 'image/heic', length: 1 });
    expect(facts.metadata).to.include({ MIME_TYPE: 'image/heic', FRAME_WIDTH: '512', FRAME_HEIGHT: '512' });
    expect(warnings).to.deep.equal([]);
  });

  /** A PNG file with these pixels and this profile, without colour conversion. */
  async function profiledPng({ data, width, height }: Frame, profile: Buffer): Promise<string> {
    const png = await sharp(data, { raw: { width, height, channels: 3 } })
      .png()
      .toBuffer();
    const content = Buffer.concat([Buffer.from('iCCPp\0\0', 'latin1'), deflateSync(profile)]);
    const [size, check] = [Buffer.alloc(4), Buffer.alloc(4)];
    size.writeUInt32BE(content.length - 4);
    check.writeUInt32BE(crc32(content));
    // After the signature and the header.
    return writePhoto(
      Buffer.concat([png.subarray(0, 33), size, content, check, png.subarray(33)]),
      'reference.png',
    );
  }
  const displayP3 = async (): Promise<Buffer> => {
    const picture = sharp({ create: { width: 1, height: 1, channels: 3, background: 'red' } });
    return (await sharp(await picture.withIccProfile('p3').jpeg().toBuffer()).metadata()).icc!;
  };

  for (const [kind, options] of [
    ['one picture', {}],
    ['one that is turned', { quarters: 1 }],
  ] as const)
    it(`has the colours of its profile, as a picture of another kind with the same profile has (${kind})`, async () => {
      const profile = await displayP3();
      const plain = await readImage(await photo(options));
      const wide = await readImage(await photo({ ...options, profile }));
      expect([wide.width, wide.height]).to.deep.equal([plain.width, plain.height]);
      expect(distance(wide.data, plain.data)).to.be.greaterThan(1);
      const reference = await readImage(await profiledPng(plain, profile));
      expect(distance(wide.data, reference.data)).to.equal(0);
      const { facts } = await inspect(await photo({ ...options, profile }));
      expect(facts.metadata).to.include({ FRAME_WIDTH: String(plain.width) });
    });

  it('with a profile that is none has the colours that it is stored with', async () => {
    const plain = await readImage(await photo({}));
    const broken = await readImage(await photo({ profile: Buffer.from('no profile at all') }));
    expect(distance(broken.data, plain.data)).to.equal(0);
  });

  it('is decoded to the pixels of the picture that it was made from', async () => {
    const { data, width, height } = await readImage(heifFixture('astronaut.heic'));
    expect([width, height]).to.deep.equal([512, 512]);
    expect(distance(data, await pixelsOf(sample('astronaut.png')))).to.be.lessThan(4);
  });

  it('with ten bits a channel has the pixels that another decoder gives', async () => {
    const { data } = await readImage(heifFixture('ten-bit.heic'));
    expect(distance(data, await pixelsOf(heifFixture('ten-bit.png')))).to.be.lessThan(1);
  });

  it('that lets something shine through lies on white', async () => {
    const { data, width } = await readImage(heifFixture('alpha.heic'));
    const flat = await sharp(heifFixture('alpha.png')).flatten({ background: 'white' }).raw().toBuffer();
    expect(distance(data, flat)).to.be.lessThan(1);
    expect([...data.subarray((width - 1) * 3, width * 3)]).to.deep.equal([255, 255, 255]);
  });

  it('of several pictures shows the one that the file calls its primary one', async () => {
    const { data, width } = await readImage(heifFixture('tiles.heic'));
    const [first] = codedPictures('tiles.heic');
    const alone = await readImage(await writePhoto(heifOf([first!])));
    expect(width).to.equal(64);
    expect(distance(data, alone.data)).to.equal(0);
  });

  it('in tiles, as telephones write it, is put together, and cut where tiles reach beyond it', async () => {
    const tiles = codedPictures('tiles.heic');
    const size = { width: 120, height: 100 };
    const path = await writePhoto(heifOf(tiles, { columns: 2, size }));
    expect((await inspect(path)).facts.metadata).to.include({ FRAME_WIDTH: '120', FRAME_HEIGHT: '100' });
    const whole = await readImage(path);
    expect([whole.width, whole.height]).to.deep.equal([120, 100]);
    const parts: Frame[] = [];
    for (const tile of tiles) parts.push(await readImage(await writePhoto(heifOf([tile]))));
    const expected = new Uint8Array(120 * 100 * 3);
    for (let y = 0; y < 100; y++)
      for (let x = 0; x < 120; x++) {
        const part = parts[(y >> 6) * 2 + (x >> 6)]!;
        const at = ((y & 63) * 64 + (x & 63)) * 3;
        expected.set(part.data.subarray(at, at + 3), (y * 120 + x) * 3);
      }
    // Colours are stored at half the resolution, so colours at the seams mix with their neighbours.
    expect(distance(whole.data, expected)).to.be.lessThan(0.5);
  });

  it('stands upright once decoded, whatever its Exif says besides', async () => {
    const lying = await readImage(await photo({}));
    const turned = await photo({ quarters: 3, exifOrientation: 6 });
    const upright = reorderPixels(lying, 512, 512, (x, y) => [y, 511 - x]);
    expect(distance((await readImage(turned)).data, upright)).to.equal(0);
    const { metadata } = (await inspect(turned)).facts;
    expect(metadata).to.include({ EXIF_ORIENTATION: '1', ROTATION: '0', HORIZONTAL_FLIP: 'FALSE' });
    const mirrored = await readImage(await photo({ mirror: 1 }));
    expect(
      distance(
        mirrored.data,
        reorderPixels(lying, 512, 512, (x, y) => [511 - x, y]),
      ),
    ).to.equal(0);
  });

  it('that is cut off or not a photo at all fails with its reason', async () => {
    const whole = readFileSync(heifFixture('astronaut.heic'));
    const cut = await writePhoto(whole.subarray(0, whole.length / 2));
    for (const attempt of [inspect, readImage])
      expect((await mediumError(attempt(cut))).message).to.match(/outside of file bounds/);
    const empty = Buffer.concat([
      Buffer.from([0, 0, 0, 24]),
      Buffer.from('ftypheic\0\0\0\0heicmif1'),
      Buffer.alloc(64),
    ]);
    const error = await mediumError(inspect(await writePhoto(empty)));
    expect(error.code).to.equal('MEDIA_INSPECTION');
    expect(error.message).to.match(/^The image could not be decoded: /);
  });

  it('of more pixels than are allowed is refused before it is decoded', async () => {
    const tiles = codedPictures('tiles.heic').slice(0, 1);
    const bomb = await writePhoto(
      heifOf(
        Array.from({ length: 4 }, () => tiles[0]!),
        { columns: 2 },
      ),
    );
    const error = await mediumError(readImage(bomb, { maxPixels: 128 * 128 - 1 }));
    expect(error.message).to.match(/more than 16383 pixels/);
    await readImage(bomb, { maxPixels: 128 * 128 });
  });

  it('as AVIF is read, too, and not turned twice', async () => {
    const path = join(folder, 'photo.avif');
    const small = await sharp(sample('rocket.jpg')).resize(240, 160).png().toBuffer();
    await sharp(small).withMetadata({ orientation: 6 }).avif({ quality: 60 }).toFile(path);
    const { facts } = await inspect(path);
    expect(facts.metadata).to.deep.equal({
      ...{ MIME_TYPE: 'image/avif', FRAME_WIDTH: '160', FRAME_HEIGHT: '240' },
      ...{ EXIF_ORIENTATION: '1', ROTATION: '0', HORIZONTAL_FLIP: 'FALSE' },
    });
    const { data } = await readImage(path);
    const upright = await sharp(small).rotate(90).raw().toBuffer();
    expect(distance(data, upright)).to.be.lessThan(6);
  });
});
