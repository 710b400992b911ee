import { rm, writeFile } from 'node:fs/promises';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { feedIndexLine, openFeedIndex, readFeedPiece, type FeedPiece } from '../../results/feed-index.ts';

describe('The index of what is fed', () => {
  let folder: string;
  let file: string;
  const TRACKS = 'tracks\n';
  const COUNT = 10;
  const pieceOf = (n: number): FeedPiece => ({
    offset: n * 100,
    bytes: 100,
    start: n,
    stop: n - 1,
    selector: n % 3 === 0 ? -1 : n,
  });

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'troupe-feed-index-'));
    file = join(folder, 'fed');
    const lines = Array.from({ length: COUNT }, (_, n) => feedIndexLine(pieceOf(n)));
    await writeFile(file, `${TRACKS}${lines.join('')}{"summary":{}}\n`);
  });
  after(() => rm(folder, { recursive: true, force: true }));

  it('tells a piece by its number, whichever are read with it', async () => {
    const inAnyOrder = [0, 1, 2, 9, 3, 8, 4, 4, 7, 0];
    for (const block of [1, 3, 4096]) {
      const index = await openFeedIndex(file, TRACKS.length, block);
      for (const n of inAnyOrder) expect(await index.piece(n)).to.deep.equal(pieceOf(n));
      await index.close();
    }
    expect(await readFeedPiece(file, TRACKS.length, 5)).to.deep.equal(pieceOf(5));
  });

  it('has no other pieces', async () => {
    const index = await openFeedIndex(file, TRACKS.length);
    for (const n of [COUNT, COUNT + 1]) {
      const error = await index.piece(n).catch((reason: unknown) => reason);
      expect(String(error)).to.include(`has no piece ${n}`);
    }
    await index.close();
  });
});
