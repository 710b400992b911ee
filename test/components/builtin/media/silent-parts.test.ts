import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { finish } from '../../../../components/builtin/media/finish/finish.ts';
import { context, finishWork, textOf } from './media-parts.ts';

describe('Finishing many pieces in which nothing was found', () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'troupe-silent-'));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  it('tells of each that it goes on, so that it is not taken for one that hangs', async () => {
    const work = await finishWork((name) => join(folder, name), {
      parts: Array.from({ length: 30 }, () => []),
    });
    for (const change of [{}, { annotated: [] }]) {
      const seen: number[] = [];
      const progress = (done: number) => void seen.push(done);
      await textOf(finish({ ...work, ...change }, context({ progress })));
      expect(new Set(seen).size).to.be.at.least(30);
    }
  });
});
