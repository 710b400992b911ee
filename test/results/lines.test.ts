import { expect } from 'chai';
import { open, writeFile } from 'node:fs/promises';
import { LineWriter, readLastLine, LineReader, readLines, splitLines } from '../../results/lines.ts';
import { temporaryFolder } from './folder.ts';

async function* bytewise(data: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < data.length; at += 1) yield data.subarray(at, at + 1);
}

async function textsOf(source: AsyncIterable<{ text: string }>): Promise<string[]> {
  const texts: string[] = [];
  for await (const { text } of source) texts.push(text);
  return texts;
}

describe('Lines of a file', () => {
  const path = temporaryFolder();

  it('are the same however the bytes are cut, with multi-byte characters, without empty lines', async () => {
    const data = Buffer.from('erste\n\nzweite Zeile: äöü €\n😀\nlast');
    const wanted = ['erste', 'zweite Zeile: äöü €', '😀', 'last'];
    expect(await textsOf(splitLines(bytewise(data)))).to.deep.equal(wanted);
    await writeFile(path('cut'), data);
    expect(await textsOf(readLines(path('cut')))).to.deep.equal(wanted);
  });

  it('are read again by their place', async () => {
    const file = await open(path('places'), 'w+');
    const writer = new LineWriter(file);
    const texts = Array.from({ length: 5000 }, (_, i) => `line ${i} ${'é'.repeat(i % 200)}`);
    const places = [];
    for (const text of texts) places.push(await writer.write(text));
    await writer.flush();
    const reader = new LineReader(file);
    for (const i of [4999, 0, 1, 777, 776]) {
      const { offset, bytes } = places[i] ?? { offset: 0, bytes: 0 };
      expect(await reader.read({ offset, bytes })).to.equal(texts[i]);
    }
    const read: { offset: number }[] = [];
    for await (const line of readLines(path('places'))) read.push(line);
    expect(read.map(({ offset }) => offset)).to.deep.equal(places.map(({ offset }) => offset));
    await file.close();
  });

  it('are refused when they are too long or not UTF-8, with their number', async () => {
    await writeFile(path('long'), `ok\n${'x'.repeat(101)}`);
    expect(await textsOf(readLines(path('long'), 100)).catch(String)).to.contain(
      'Line 2 is longer than 100 bytes',
    );
    await writeFile(path('binary'), Buffer.from([0x61, 0x0a, 0xff, 0xfe, 0x0a]));
    expect(await textsOf(readLines(path('binary'))).catch(String)).to.contain('Line 2 is not UTF-8');
  });

  it('end with the last one that is not empty, however far from the end it begins', async () => {
    for (const [content, last] of [
      ['', undefined],
      ['\n\n', undefined],
      ['one', 'one'],
      ['one\ntwo\n\n', 'two'],
      [`one\n${'x'.repeat(600_000)}\n`, 'x'.repeat(600_000)],
    ] as const) {
      await writeFile(path('last'), content);
      const file = await open(path('last'));
      expect(await readLastLine(file, 1_000_000)).to.equal(last);
      await file.close();
    }
  });
});
