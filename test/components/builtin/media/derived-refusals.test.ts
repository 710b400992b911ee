import { mkdirSync, mkdtempSync, symlinkSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { finish } from '../../../../components/builtin/media/finish/finish.ts';
import type { FinishWork } from '../../../../protocol/track-work.ts';
import { context, detection, finishWork, textOf, track } from './media-parts.ts';

describe('What a component says to be a derivative medium', () => {
  let folder: string;
  const path = (name: string) => join(folder, name);

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'troupe-derived-'));
    for (const made of ['from.sub-job.token/folder', 'from1.sub-job.token'])
      mkdirSync(path(made), { recursive: true });
    for (const file of ['from.sub-job.token/file', 'from1.sub-job.token/file'])
      await writeFile(path(file), 'made of a document');
    await writeFile(path('outside.txt'), 'not of this sub-job');
    symlinkSync(path('outside.txt'), path('from.sub-job.token/link'));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  async function refusal(file: string, change: Partial<FinishWork> = {}): Promise<unknown> {
    const properties = { DERIVATIVE_MEDIA_TEMP_PATH: file };
    const work = await finishWork(path, {
      parts: [[track([detection(0, [0, 0, 0, 0])], { type: 'MEDIA', properties })]],
    });
    const derive = { folder: path('kept'), from: path('from'), firstMediaId: 7, most: 10 };
    const medium = { ...work.medium, mediaType: 'UNKNOWN' as const };
    return textOf(finish({ ...work, medium, derive, ...change }, context())).catch((error: unknown) => error);
  }

  for (const [what, file] of [
    ['is missing', 'from.sub-job.token/none'],
    ['lies elsewhere', 'outside.txt'],
    ['lies in the folder of another medium', 'from1.sub-job.token/file'],
    ['leads elsewhere', 'from.sub-job.token/link'],
    ['is a folder', 'from.sub-job.token/folder'],
  ] as const)
    it(`is refused with a sentence when it ${what}`, async () => {
      const error = await refusal(path(file));
      expect(error).to.include({ code: 'OTHER' });
      expect(String(error)).to.include('is missing, is not a file, or is outside the outputFolder');
    });

  it('is taken from the folder of an attempt', async () => {
    expect(await refusal(path('from.sub-job.token/file'))).to.be.a('string');
  });

  it('is refused from an annotator, which finds nothing of its own', async () => {
    const error = await refusal(path('outside.txt'), { annotated: [] });
    expect(error).to.include({ code: 'OTHER' });
    expect(String(error)).to.include('An annotator gives back tracks that were found before');
  });
});
