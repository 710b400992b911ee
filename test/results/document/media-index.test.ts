import { mkdtempSync } from 'node:fs';
import { readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import * as fc from 'fast-check';
import type { IndexedMedium } from '../../../protocol/document-work.ts';
import { MediaIndex, writeMediaIndex } from '../../../results/document/media-index.ts';
import { anyText } from '../../support/any-text.ts';

describe('The index of the media of a job', () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'troupe-index-'));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  const medium = (uri: string, mediaId?: number): IndexedMedium => ({
    ...(mediaId === undefined ? {} : { mediaId }),
    ...{ uri, facts: null, inspected: false },
  });
  const write = async (path: string, media: readonly IndexedMedium[]) => {
    const index = await writeMediaIndex(path);
    for (const one of media) await index.add(one);
    await index.finish();
    await index.close();
  };
  const ask = async <T>(
    path: string,
    question: (index: MediaIndex) => Promise<T>,
    named: readonly number[] = [],
  ): Promise<T> => {
    const index = await MediaIndex.open(path, named);
    try {
      return await question(index);
    } finally {
      await index.close();
    }
  };

  it('gives back each medium by its mediaId and by its place, and none for any other', async () => {
    const path = join(folder, 'below', 'media-index');
    const someMedia = fc.uniqueArray(fc.tuple(anyText(), fc.nat()), { selector: ([, id]) => id });
    await fc.assert(
      fc.asyncProperty(someMedia, async (media) => {
        await write(
          path,
          media.map(([uri, id]) => medium(uri, id)),
        );
        await ask(path, async (index) => {
          for (const [place, [uri, id]] of media.entries()) {
            const expected = { place, medium: medium(uri, id) };
            expect(await index.find(id)).to.deep.equal(expected);
            expect(await index.at(place)).to.deep.equal(expected);
          }
          const ids = media.map(([, id]) => id);
          expect(await index.mediaIds()).to.deep.equal(ids);
          expect(await index.find(Math.max(0, ...ids) + 1)).to.equal(undefined);
          for (const place of [-1, media.length, media.length + 1])
            expect(await index.at(place)).to.equal(undefined);
        });
      }),
      { numRuns: 50 },
    );
    expect(await readdir(join(folder, 'below'))).to.deep.equal(['media-index']);
  });

  it('finds media that an earlier version wrote without their mediaIds', async () => {
    const path = join(folder, 'earlier');
    const derived = { ...medium('derived:38.png'), file: 'derivative-media/host-1.1/31/38.png' };
    await write(path, [medium('file:///a'), medium('file:///b'), derived]);
    const named = [31, 32];
    const placeOf = (id: number) => ask(path, async (index) => (await index.find(id))?.place, named);
    expect(await Promise.all([31, 32, 38, 33].map(placeOf))).to.deep.equal([0, 1, 2, undefined]);
    expect(await ask(path, (index) => index.mediaIds(), named)).to.deep.equal([31, 32, 38]);
  });

  it('stands under its name only when it is whole', async () => {
    const path = join(folder, 'broken', 'media-index');
    const index = await writeMediaIndex(path);
    await index.add(medium('file:///a'));
    await index.close();
    expect(await readdir(join(folder, 'broken'))).to.deep.equal([]);
    expect(await MediaIndex.open(path, []).catch((error: NodeJS.ErrnoException) => error.code)).to.equal(
      'ENOENT',
    );
  });

  it('is refused when something else lies there', async () => {
    const path = join(folder, 'other');
    await writeFile(path, 'something else that is longer than a line');
    expect(String(await MediaIndex.open(path, []).catch((error: unknown) => error))).to.include('damaged');
  });
});
