import { expect } from 'chai';
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { readImage } from '../../../media/picture/image-frame.ts';
import { writePng } from '../../../media/picture/write-png.ts';
import { scratchFolder } from '../support/samples.ts';

const picture = { width: 4, height: 2, data: new Uint8Array(24).fill(9) };

describe('A picture that is written', () => {
  it('is a PNG of its pixels', async () => {
    const folder = scratchFolder();
    try {
      await writePng(join(folder, 'a.png'), picture);
      const { width, height, data } = await readImage(join(folder, 'a.png'));
      expect({ width, height, data: Uint8Array.from(data) }).to.deep.equal(picture);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('says in one line why it could not be', async function () {
    if (!existsSync('/dev/full')) return this.skip();
    const refused = await writePng('/dev/full', picture).catch((error: unknown) => error);
    expect(String(refused)).to.equal(
      'Error: The picture could not be stored: ENOSPC: no space left on device, write.',
    );
  });
});
