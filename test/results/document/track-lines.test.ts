import { writeFile } from 'node:fs/promises';
import { expect } from 'chai';
import { writeDocument } from '../../../results/document/document.ts';
import { placesOf, trackLines, typesIn, type ReadTracks } from '../../../results/document/track-lines.ts';
import { head, mediumWith, outputOf, trackLine } from './document-parts.ts';
import { temporaryFolder } from '../folder.ts';

describe('The tracks of a result by their types', () => {
  const path = temporaryFolder();
  const SUMMARY = '{"summary":{"tracks":0}}';
  const linesOf = async (lines: AsyncIterable<string>) => {
    const all: string[] = [];
    for await (const line of lines) all.push(line);
    return all;
  };

  it('are read at their places, without what is not for the document', async () => {
    const [a, b, c] = [trackLine('A', 0, 2), trackLine('B', 0, 1), trackLine('A', 1, 3)];
    await writeFile(path('mixed'), [a, `${b}\t{"consumed":true}`, c, SUMMARY, ''].join('\n'));
    const index = await typesIn(path('mixed'), 0, Infinity);
    expect([...index.keys()]).to.deep.equal(['A', 'B']);
    expect(await linesOf(trackLines(path('mixed'), placesOf(index, 'A')))).to.deep.equal([a, c]);
    expect(await linesOf(trackLines(path('mixed'), placesOf(index, 'B')))).to.deep.equal([b]);
    expect(await linesOf(trackLines(path('mixed'), placesOf(index, 'C')))).to.deep.equal([]);
    const last = await typesIn(path('mixed'), 1, 2);
    expect(await linesOf(trackLines(path('mixed'), placesOf(last, 'A')))).to.deep.equal([c]);
  });

  it('are each read once, however many types there are', async () => {
    const names = Array.from({ length: 300 }, (_, n) => `TYPE ${n}`);
    await writeFile(path('many'), [...names.map((name) => trackLine(name, 0, 1)), SUMMARY, ''].join('\n'));
    const types = Object.fromEntries(names.map((name) => [name, 1]));
    const medium = mediumWith([outputOf({ action: 'X', algorithm: 'Y', tracks: path('many'), types })]);
    let read = 0;
    const readCounted: ReadTracks = async function* (file, places) {
      for await (const line of trackLines(file, places)) {
        read += 1;
        yield line;
      }
    };
    const media = (async function* () {
      await Promise.resolve();
      yield medium;
    })();
    const text = (await linesOf(writeDocument(head(), media, { readTracks: readCounted }))).join('');
    const { media: written } = JSON.parse(text) as {
      media: { output: Record<string, { tracks: unknown[] }[]> }[];
    };
    expect(Object.values(written[0]!.output).map(([entry]) => entry?.tracks.length)).to.deep.equal(
      names.map(() => 1),
    );
    expect(read).to.equal(names.length);
  });
});
