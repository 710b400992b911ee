import { expect } from 'chai';
import { readdir, truncate } from 'node:fs/promises';
import { readText, writeTexts } from '../../results/text-places.ts';
import { temporaryFolder } from '../store/folder.ts';

describe('Texts in a file', () => {
  const path = temporaryFolder();

  it('are read each as it was, wherever it lies', async () => {
    const texts = ['data:,a', '', 'data:,Frau Müller 🎥', `data:,${'x\n'.repeat(100_000)}`];
    const file = path('whole/texts');
    const places = await writeTexts(file, texts);
    for (const [n, place] of places.entries())
      expect(await readText({ path: file, ...place })).to.equal(texts[n]);
    expect(await readdir(path('whole'))).to.deep.equal(['texts']);
  });

  it('that are not there, or not wholly, are none', async () => {
    const file = path('requests/short');
    const [place] = await writeTexts(file, ['data:,abc']);
    expect(await readText({ path: path('requests/absent'), ...place! })).to.equal(undefined);
    await truncate(file, 5);
    expect(await readText({ path: file, ...place! })).to.equal(undefined);
  });
});
