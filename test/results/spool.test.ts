import { expect } from 'chai';
import { existsSync } from 'node:fs';
import { mkdir, readFile, readdir, writeFile, symlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { pathOf } from '../../results/file-keys.ts';
import {
  detectionFile,
  fetchedFile,
  jobOfRun,
  looseFiles,
  mediaFolder,
  runOfMedia,
  ownDocument,
  runFolder,
  spoolFile,
  spoolFolder,
} from '../../results/layout.ts';
import { removeFolder, removeOthers, removeParts } from '../../files/remove.ts';
import { FloodError, receive } from '../../results/spool.ts';
import { temporaryFolder } from './folder.ts';

const LIMITS = { maxBytes: 1000, maxLines: 10 };

describe('The spool', () => {
  const path = temporaryFolder();

  it('keeps a result under its final name and counts its bytes and lines', async () => {
    const target = path('new/folder/a.ndjson');
    expect(
      await receive(Readable.from([Buffer.from('{"a"'), ':1}\n', Buffer.from('{}')]), target, LIMITS),
    ).to.deep.equal({
      bytes: 10,
      lines: 2,
    });
    expect(await readFile(target, 'utf8')).to.equal('{"a":1}\n{}');
    expect(await readdir(dirname(target))).to.deep.equal(['a.ndjson']);
  });

  it('takes an empty result', async () => {
    expect(await receive(Readable.from([]), path('empty'), LIMITS)).to.deep.equal({ bytes: 0, lines: 0 });
    expect(await readFile(path('empty'), 'utf8')).to.equal('');
  });

  it('refuses a flood of bytes, leaves no file, and leaves the stream to be answered', async () => {
    const stream = new PassThrough();
    stream.write('x'.repeat(1001));
    const refusal = await receive(stream, path('flood/bytes'), LIMITS).catch((error: unknown) => error);
    expect(refusal).to.be.instanceOf(FloodError).with.property('limit', 'maxBytes');
    expect(stream.destroyed).to.equal(false);
    expect(await readdir(path('flood'))).to.deep.equal([]);
  });

  it('refuses a flood of lines, also when the last one has no line break', async () => {
    for (const text of ['\n'.repeat(11), `${'a\n'.repeat(10)}b`]) {
      const refusal = await receive(Readable.from([text]), path('lines'), LIMITS).catch(
        (error: unknown) => error,
      );
      expect(refusal).to.be.instanceOf(FloodError).with.property('limit', 'maxLines');
    }
    expect(existsSync(path('lines'))).to.equal(false);
  });

  it('keeps an earlier result when a later one breaks off', async () => {
    await receive(Readable.from(['first\n']), path('kept'), LIMITS);
    const broken = new PassThrough();
    broken.write('sec');
    const receiving = receive(broken, path('kept'), LIMITS).catch((error: unknown) => String(error));
    broken.destroy(new Error('the sender went away'));
    expect(await receiving).to.contain('the sender went away');
    expect(await readFile(path('kept'), 'utf8')).to.equal('first\n');
  });

  it('tells of every piece that arrives', async () => {
    let pieces = 0;
    await receive(Readable.from(['{}\n', '', '{}\n']), path('told'), LIMITS, () => (pieces += 1));
    expect(pieces).to.equal(2);
  });

  it('reads no faster than it writes', async () => {
    let produced = 0;
    async function* flood(): AsyncGenerator<Buffer> {
      for (;;) {
        produced += 1;
        yield Buffer.alloc(1000, 'x');
      }
    }
    const refusal = await receive(flood(), path('slow'), { maxBytes: 50_000, maxLines: 1 }).catch(
      (error: unknown) => error,
    );
    expect(refusal).to.be.instanceOf(FloodError);
    expect(produced).to.be.lessThan(100);
  });

  it('removes the files of a job, and is content when there are none', async () => {
    await mkdir(path('job.1/deep'), { recursive: true });
    await writeFile(path('job.1/deep/file'), 'x');
    await removeFolder(path('job.1'));
    await removeFolder(path('job.1'));
    expect(existsSync(path('job.1'))).to.equal(false);
  });

  it('removes folders of few files, of many, of folders, and what is no folder', async () => {
    for (const [name, files] of [
      ['none', 0],
      ['few', 8],
      ['many', 9],
    ] as const) {
      await mkdir(path(name));
      for (let n = 0; n < files; n++) await writeFile(path(`${name}/${n}`), 'x');
    }
    await mkdir(path('deep/er/still'), { recursive: true });
    await writeFile(path('deep/beside'), 'x');
    await mkdir(path(`deeper${'/x'.repeat(20)}`), { recursive: true });
    await mkdir(path('linking'));
    await mkdir(path('elsewhere'));
    await writeFile(path('elsewhere/kept'), 'x');
    await symlink(path('elsewhere'), path('linking/link'));
    await writeFile(path('file'), 'x');
    for (const name of ['none', 'few', 'many', 'deep', 'deeper', 'linking', 'file']) {
      await removeFolder(path(name));
      expect(existsSync(path(name)), name).to.equal(false);
    }
    expect(await readdir(path('elsewhere'))).to.deep.equal(['kept']);
  });

  it('removes what was never finished, or what nobody names, and leaves the other files', async () => {
    await mkdir(path('results/deep'), { recursive: true });
    for (const name of ['a.png', 'deep/b.png', 'deep/c.png.77.part'])
      await writeFile(path(`results/${name}`), '');
    const listLeft = async () =>
      (await readdir(path('results'), { recursive: true })).filter((name) => name.includes('.')).toSorted();
    await removeParts(path('results'));
    await removeParts(path('none'));
    expect(await listLeft()).to.deep.equal(['a.png', 'deep/b.png']);
    await removeOthers(path('results'), (file) => file === path('results/deep/b.png'));
    await removeOthers(path('none'), () => false);
    expect(await listLeft()).to.deep.equal(['deep/b.png']);
  });

  it('has a place for every file of a job, and none outside of it', () => {
    expect(spoolFolder('host-7', 2)).to.equal('spool/host-7.2');
    expect(spoolFile('host-7', 2, 'host-7.2.0.0.1.0')).to.equal('spool/host-7.2/host-7.2.0.0.1.0.ndjson');
    const folder = runFolder('host-7', 2);
    expect(mediaFolder(folder)).to.equal('media/host-7.2');
    expect(detectionFile(folder)).to.equal('output-objects/host-7.2/detection.json');
    expect(ownDocument('/data', 'file:///data/output-objects/host-7.2/detection.json')).to.equal(
      pathOf('/data', detectionFile(folder)),
    );
    for (const name of ['..', '../x', 'a/b', '', '.hidden']) expect(() => mediaFolder(name)).to.throw();
  });

  it('has fetched media in a folder of their run, or beside those of others if they are few', () => {
    const folder = runFolder('host-7', 2);
    expect(fetchedFile(folder, 8, 9)).to.equal('media/host-7.2/8');
    expect(looseFiles(folder, 9)).to.deep.equal([]);
    expect(fetchedFile(folder, 1, 2)).to.equal('media/host-7.2.m1');
    const loose = ['host-7.2.m0', 'host-7.2.m0.part', 'host-7.2.m1', 'host-7.2.m1.part'];
    expect(looseFiles(folder, 2)).to.deep.equal(loose.map((name) => `media/${name}`));
    for (const name of [...loose, folder]) expect(runOfMedia(name)).to.equal(folder);
    expect(runOfMedia('host-7')).to.equal('host-7');
    for (const run of ['host-7.2', 'host-7']) expect(jobOfRun(run)).to.equal('host-7');
  });
});
