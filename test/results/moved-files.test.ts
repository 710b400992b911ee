import { expect } from 'chai';
import * as fc from 'fast-check';
import { pathToFileURL } from 'node:url';
import { movedStarts, todaysUri, withTodaysFiles } from '../../results/moved-files.ts';
import { runs, seeded } from '../support/seed.ts';

const at = (folder: string, real = folder) => ({ folder, real });
const uri = (path: string) => pathToFileURL(path).href;
const OLD = at('/link "to" data', '/disk/100% dätä');
const OLDER = at('/data');
const NOW = at('/data/now');
const moved = movedStarts([OLD, OLDER], NOW);

async function* cut(text: string, sizes: readonly number[]): AsyncGenerator<Buffer> {
  const data = Buffer.from(text);
  for (let from = 0, n = 0; from < data.length; n++) {
    const size = sizes[n % sizes.length] ?? 1;
    yield data.subarray(from, from + size);
    from += size;
  }
}
async function serveText(text: string, sizes: readonly number[] = [text.length + 1]): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of withTodaysFiles(cut(text, sizes), moved)) parts.push(part);
  return Buffer.concat(parts).toString('utf8');
}

describe('A document of before a move', () => {
  it('names its files at the place of today, whichever of the former places they were named at', () => {
    const today = (path: string) => todaysUri(uri(path), moved);
    for (const { folder, real } of [OLD, OLDER])
      for (const name of [
        'artifacts',
        'markup',
        'derivative-media',
        'media-selectors-output',
        'output-objects',
      ])
        for (const place of [folder, real])
          expect(today(`${place}/${name}/h-1.1/2 %/x.png`)).to.equal(
            uri(`/data/now/${name}/h-1.1/2 %/x.png`),
          );
    expect(today(`${OLD.real}/uploads/7/a.png`)).to.equal(uri('/data/now/uploads/7/a.png'));
  });

  it('keeps the names of all other files, also below a former place and beside it', () => {
    for (const path of [
      '/data/now/artifacts/h-1.1/x.png',
      '/data/street.mp4',
      '/data/artifacts',
      '/data-2/artifacts/x.png',
      '/mnt/data/artifacts/x.png',
    ])
      expect(todaysUri(uri(path), moved)).to.equal(uri(path));
  });

  it('is left as it is when the folder is where it was, also after it came back', () => {
    expect(movedStarts([], NOW)).to.deep.equal([]);
    expect(movedStarts([NOW], NOW)).to.deep.equal([]);
  });

  it(`is changed only in strings that begin so, wherever its chunks end ${seeded}`, async () => {
    const place = fc.constantFrom(OLD.folder, OLD.real, OLDER.folder, NOW.folder, '/data-2', '/dat');
    const file = fc
      .tuple(place, fc.constantFrom('artifacts', 'uploads', 'artifact', 'street'))
      .map(([folder, name]) => uri(`${folder}/${name}/x "y" \\.png`));
    const text = fc
      .array(fc.oneof(file, fc.constantFrom('"', '\\', '\\"', 'file:', '"file:', 'ä', ',', ' '), fc.string()))
      .map((parts) => parts.join(''));
    const value = fc.oneof(file, text);
    const document = fc.array(fc.record({ path: value, text, more: fc.array(value), at: fc.integer() }));
    const sizes = fc.array(fc.integer({ min: 1, max: 90 }), { minLength: 1, maxLength: 9 });
    const todays = (one: unknown): unknown => (typeof one === 'string' ? todaysUri(one, moved) : one);
    await fc.assert(
      fc.asyncProperty(document, sizes, fc.constantFrom(undefined, 2), async (of, lengths, spaces) => {
        const expected = JSON.stringify(of, (_, one: unknown) => todays(one), spaces);
        expect(await serveText(JSON.stringify(of, null, spaces), lengths)).to.equal(expected);
      }),
      runs(300),
    );
  });

  it('is passed on while it is read: no more than a chunk is kept', async () => {
    const chunk = Buffer.from(`{"artifactPath":"${uri(`${OLD.real}/artifacts/x.png`)}"},`.repeat(500));
    let [taken, kept] = [0, 0];
    async function* source() {
      for (let n = 0; n < 300; n++) {
        taken += 1;
        yield chunk;
      }
    }
    let given = 0;
    const short = Buffer.byteLength(await serveText(chunk.toString('utf8')));
    for await (const part of withTodaysFiles(source(), moved)) {
      given += part.length;
      kept = Math.max(kept, taken * short - given);
    }
    expect(given).to.equal(300 * short);
    expect(kept).to.be.lessThan(2 * chunk.length);
  });
});
