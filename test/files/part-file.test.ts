import { expect } from 'chai';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { copyInto } from '../../files/copy-into.ts';
import { makeWhole, PART, PartFile, writeWhole, writeWholeSync } from '../../files/part-file.ts';
import { temporaryFolder } from '../results/folder.ts';

describe('A file that is written beside its place', () => {
  const path = temporaryFolder();
  const names = (folder = '.') => readdirSync(path(folder)).toSorted();
  const broken = () => Promise.reject(new Error('broken'));
  const reason = (outcome: Promise<unknown>) => outcome.catch((error: Error) => error.message);

  it('gets its name when it is whole, and what was written is answered', async () => {
    mkdirSync(path('whole'));
    for (const durable of [undefined, 'bytes', 'name'] as const) {
      const place = path(`whole/${durable}.txt`);
      const options = durable === undefined ? {} : { durable };
      const answer = await writeWhole(
        place,
        async (file) => {
          await file.writeFile('all of it');
          expect(names('whole')).to.not.include(`${durable}.txt`);
          return 7;
        },
        options,
      );
      expect([answer, readFileSync(place, 'utf8')]).to.deep.equal([7, 'all of it']);
    }
    expect(await makeWhole(path('whole/made'), (part) => Promise.resolve(writeFileSync(part, 'x')))).to.equal(
      undefined,
    );
    expect(names('whole')).to.deep.equal(['bytes.txt', 'made', 'name.txt', 'undefined.txt']);
  });

  it('leaves nothing behind when it breaks, and the file before it as it was', async () => {
    const place = path('kept.txt');
    const before = names();
    writeFileSync(place, 'before');
    expect(await reason(writeWhole(place, broken))).to.equal('broken');
    expect(await reason(makeWhole(place, broken))).to.equal('broken');
    expect(() => writeWholeSync(path('kept.txt/below'), 'x')).to.throw();
    const file = await PartFile.open(place);
    await file.handle.writeFile('half');
    await file.discard();
    await file.discard();
    expect(readFileSync(place, 'utf8')).to.equal('before');
    expect(names()).to.deep.equal([...before, 'kept.txt'].toSorted());
  });

  it('overwrites what an earlier attempt left at its named part', async () => {
    const place = path('again.txt');
    const part = `${place}${PART}`;
    writeFileSync(part, 'a much longer text of before');
    await writeWhole(place, (file) => file.writeFile('new'), { part });
    expect(readFileSync(place, 'utf8')).to.equal('new');
    writeFileSync(part, 'a much longer text of before');
    writeWholeSync(place, 'newer', { part, durable: 'bytes' });
    expect(readFileSync(place, 'utf8')).to.equal('newer');
    expect(names()).to.not.include(`again.txt${PART}`);
  });

  it('is told of each piece before it is written, and keeps a stream open that was too much', async () => {
    const source = Readable.from([Buffer.from('ab'), '', 'cde', Buffer.from('f')]);
    const sizes: number[] = [];
    const tooMuch = (_: Buffer, size: number) => {
      sizes.push(size);
      if (size > 4) throw new Error('too much');
    };
    const place = path('bounded.txt');
    expect(await reason(writeWhole(place, (file) => copyInto(source, file, tooMuch)))).to.equal('too much');
    expect([sizes, source.destroyed]).to.deep.equal([[2, 5], false]);
    expect(names()).to.not.include('bounded.txt');
  });
});
