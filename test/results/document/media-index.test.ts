import { mkdtempSync } from 'node:fs';
import { readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import * as fc from 'fast-check';
import type { IndexedMedium } from '../../../protocol/document-work.ts';
import { indexedMedium, writeMediaIndex } from '../../../results/document/media-index.ts';
import { anyText } from '../../support/any-text.ts';

describe('The index of the media of a job', () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'troupe-index-'));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  const medium = (uri: string): IndexedMedium => ({ uri, facts: null, inspected: false });

  it('gives back each medium by its place, and none for any other', async () => {
    const path = join(folder, 'below', 'media-index');
    await fc.assert(
      fc.asyncProperty(fc.array(anyText()), async (uris) => {
        const index = await writeMediaIndex(path);
        for (const uri of uris) await index.add(medium(uri));
        await index.finish();
        await index.close();
        for (const [n, uri] of uris.entries())
          expect(await indexedMedium(path, n)).to.deep.equal(medium(uri));
        for (const n of [-1, uris.length, uris.length + 1])
          expect(await indexedMedium(path, n)).to.equal(undefined);
      }),
      { numRuns: 50 },
    );
    expect(await readdir(join(folder, 'below'))).to.deep.equal(['media-index']);
  });

  it('stands under its name only when it is whole', async () => {
    const path = join(folder, 'broken', 'media-index');
    const index = await writeMediaIndex(path);
    await index.add(medium('file:///a'));
    await index.close();
    expect(await readdir(join(folder, 'broken'))).to.deep.equal([]);
    expect(await indexedMedium(path, 0).catch((error: NodeJS.ErrnoException) => error.code)).to.equal(
      'ENOENT',
    );
  });

  it('is refused when something else lies there', async () => {
    const path = join(folder, 'other');
    await writeFile(path, 'something else that is longer than a line');
    expect(String(await indexedMedium(path, 0).catch((error: unknown) => error))).to.include('damaged');
  });
});
