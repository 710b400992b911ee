/** Exports in threads: behaviour when clients connect, disconnect or stop reading. */
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { expect } from 'chai';
import { DocumentExporter, type ExportOutcome } from '../../../results/exports/exporter.ts';
import { until } from '../../support/until.ts';
import { temporaryFolder } from '../folder.ts';
import { trackLine } from '../document/document-parts.ts';

const PACE_MS = 60_000;

const streamOf = (outcome: ExportOutcome): Readable => {
  if (outcome.kind !== 'opened') throw new Error(`It was not opened: ${JSON.stringify(outcome)}`);
  return outcome.stream;
};
async function textOf(stream: Readable): Promise<string> {
  let text = '';
  for await (const chunk of stream) text += String(chunk);
  return text;
}

describe('Exports', () => {
  const inFolder = temporaryFolder();
  const exporters: DocumentExporter[] = [];
  const exporter = (most = 2, paceMs = PACE_MS) => {
    const one = new DocumentExporter({ most, paceMs });
    exporters.push(one);
    return one;
  };
  /** Larger than the buffer for a client that does not read. */
  let large: string;
  let small: string;
  const SMALL_TRACKS = 50;
  const conversion = (file = small) =>
    ({ documents: [{ file, job: 1 }], format: 'ndjson', moved: [] }) as const;
  before(() => {
    const writeDocument = (name: string, count: number) => {
      const tracks = Array.from({ length: count }, (_, index) => trackLine('FACE', index, 20)).join(',\n');
      const file = inFolder(name);
      writeFileSync(
        file,
        `{"jobId":"a-1","media":[{"mediaId":3,"path":"file:///a","output":{"FACE":[{"source":"A","algorithm":"F","tracks":[${tracks}]}]}}]}`,
      );
      return file;
    };
    [large, small] = [writeDocument('large.json', 600), writeDocument('small.json', SMALL_TRACKS)];
  });
  afterEach(() => Promise.all(exporters.splice(0).map((one) => one.close())));

  it('come whole, several at a time, and leave nothing behind', async () => {
    const exports = exporter();
    const both = await Promise.all(
      [1, 2].map(async () => textOf(streamOf(await exports.open(conversion())))),
    );
    for (const text of both) expect(text.split('\n')).to.have.lengthOf(SMALL_TRACKS * 20 + 1);
    await until(
      'both threads have ended',
      () => exports.count,
      (count) => count === 0,
    );
  });

  it('are no more than may be, and a client that leaves makes room for the next', async () => {
    const exports = exporter(1);
    const first = streamOf(await exports.open(conversion(large)));
    expect(await exports.open(conversion())).to.deep.equal({ kind: 'full', most: 1 });
    first.destroy();
    await until(
      'its thread has ended',
      () => exports.count,
      (count) => count === 0,
    );
    const next = streamOf(await exports.open(conversion()));
    expect(await textOf(next)).to.include(`"trackIndex":${SMALL_TRACKS - 1}`);
  });

  it('end for clients that leave before the first byte, and make room for the next', async () => {
    const exports = exporter(4);
    const gone = new AbortController();
    const left = Array.from({ length: 4 }, () => exports.open(conversion(), gone.signal));
    expect(exports.count).to.equal(4);
    gone.abort();
    for (const outcome of await Promise.all(left)) expect(outcome).to.deep.equal({ kind: 'left' });
    await until(
      'their threads have ended',
      () => exports.count,
      (count) => count === 0,
    );
    expect(await exports.open(conversion(), gone.signal)).to.deep.equal({ kind: 'left' });
    const stays = new AbortController();
    const fifth = streamOf(await exports.open(conversion(), stays.signal));
    // From here on, only the reader can end the stream.
    stays.abort();
    expect((await textOf(fifth)).split('\n')).to.have.lengthOf(SMALL_TRACKS * 20 + 1);
  });

  it('wait for a client that reads slowly, and keep a few pieces for it at most', async () => {
    const stream = streamOf(await exporter().open(conversion(large)));
    await once(stream, 'readable');
    const countBuffered = () => stream.readableLength;
    await until('pieces wait', countBuffered, (bytes) => bytes > 0);
    expect(countBuffered()).to.be.below(4 * 1024 * 1024);
    expect((await textOf(stream)).length).to.be.above(4 * 1024 * 1024);
  });

  it('are broken off when a client takes nothing for too long', async () => {
    const exports = exporter(1, 100);
    const stream = streamOf(await exports.open(conversion(large)));
    const [error] = (await once(stream, 'error')) as [Error];
    expect(error.message).to.equal('The client did not read the export in time.');
    await until(
      'the thread has ended',
      () => exports.count,
      (count) => count === 0,
    );
  });

  it('are refused with a reason if the document has nothing for them, and fail without one', async () => {
    const exports = exporter();
    expect(await exports.open({ ...conversion(), mediaId: 4 })).to.deep.equal({
      kind: 'refused',
      message: 'The document of this job has no medium 4.',
    });
    const missing = await exports
      .open(conversion(inFolder('missing')))
      .catch((error: Error) => error.message);
    expect(missing).to.include('ENOENT');
  });

  it('break off when the document does', async () => {
    const broken = inFolder('broken.json');
    writeFileSync(broken, readFileSync(large, 'utf8').slice(0, -100));
    const stream = streamOf(await exporter().open(conversion(broken)));
    const error = await textOf(stream).catch((reason: Error) => reason);
    expect(String(error)).to.include('ends in the middle');
  });

  it('end with the server', async () => {
    const exports = exporter();
    const stream = streamOf(await exports.open(conversion(large)));
    const broken = once(stream, 'error');
    await exports.close();
    expect(String((await broken)[0])).to.include('The export was interrupted');
    expect(await exports.open(conversion())).to.deep.equal({ kind: 'full', most: 2 });
  });
});
