/**
 * The media cache of a host that cannot read the server's files. Several caches in one folder simulate its
 * processes.
 */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { chmod, mkdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect } from 'chai';
import { WorkerClient } from '../../../components/sdk/connection/client.ts';
import { fetchMedium, type Fetching } from '../../../components/sdk/media/fetch-medium.ts';
import { MediaCache } from '../../../components/sdk/media/media-cache.ts';
import { takeDeadLock } from '../../../components/sdk/media/cache-room.ts';
import type { WorkMedium } from '../../../protocol/media-work.ts';
import { temporaryFolder } from '../../store/folder.ts';
import { until } from '../../support/until.ts';

const sha256 = (content: string) => createHash('sha256').update(content).digest('hex');
const CONTENT = 'a medium '.repeat(10_000);
const FETCHING: Fetching = { signal: new AbortController().signal, working: () => undefined };

describe('The media of a host that does not see those of the server', () => {
  const folder = temporaryFolder();
  let server: Server;
  let client: WorkerClient;
  let answer: (request: IncomingMessage, response: ServerResponse) => void;
  let asked: (string | undefined)[] = [];
  let cases = 0;
  const log: string[] = [];

  before(async () => {
    server = createServer((request, response) => {
      asked.push(request.headers.range);
      answer(request, response);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    client = new WorkerClient(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, 'token');
  });
  beforeEach(() => {
    asked = [];
    cases++;
    answer = serveCut(CONTENT);
  });
  after(() => {
    client.close();
    server.closeAllConnections();
    server.close();
  });

  /** Responds like the server. `cut`: disconnects after this number of bytes of each response. */
  const serveCut =
    (content: string, cut = Infinity) =>
    ({ headers: { range = '' } }: IncomingMessage, response: ServerResponse) => {
      const from = Number(/^bytes=(\d+)-$/.exec(range)?.[1] ?? 0);
      const body = Buffer.from(content).subarray(from);
      response.writeHead(from > 0 ? 206 : 200, { 'content-length': body.length, etag: '"one"' });
      if (body.length <= cut) response.end(body);
      else response.write(body.subarray(0, cut), () => response.destroy());
    };
  const place = () => folder(`cache ${cases}`);
  const cache = (maxBytes = 10_000_000, more: { readonly touchMs?: number } = {}) =>
    new MediaCache({ folder: place(), maxBytes, client, log: (message) => log.push(message), ...more });
  const mediumOf = (content: string, more: Partial<WorkMedium> = {}): WorkMedium => ({
    ...{ mediaId: 1, mediaType: 'UNKNOWN', mimeType: 'text/plain', path: '/not/on/this/host', length: -1 },
    ...{ metadata: {}, fps: 0, inspected: true, url: '/worker/v1/leases/t/medium' },
    ...{ bytes: content.length, sha256: sha256(content), ...more },
  });
  const filesKept = () => readdirSync(place()).toSorted();
  const textOf = async (of: MediaCache, medium: WorkMedium, fetching = FETCHING) => {
    const local = await of.local(medium, fetching);
    try {
      return await readFile(local.path, 'utf8');
    } finally {
      await local.close();
    }
  };

  it('are read in place if a file of their size is there, and fetched if the size differs', async () => {
    const path = folder(`shared ${cases}`);
    await writeFile(path, CONTENT);
    const here = await cache().local(mediumOf(CONTENT, { path }), FETCHING);
    expect([here.path, here.isShared, asked]).to.deep.equal([path, true, []]);
    await writeFile(path, 'something else');
    expect(await textOf(cache(), mediumOf(CONTENT, { path }))).to.equal(CONTENT);
    expect(asked).to.have.length(1);
  });

  it('are fetched once for all sub-jobs of all processes, and leave one file', async () => {
    const processes = [cache(), cache(), cache()];
    const all = processes.flatMap((one) => [1, 2, 3].map(() => textOf(one, mediumOf(CONTENT))));
    expect(new Set(await Promise.all(all))).to.deep.equal(new Set([CONTENT]));
    expect(asked).to.deep.equal([undefined]);
    expect(filesKept()).to.deep.equal([sha256(CONTENT)]);
  });

  it('are gone on with where the connection broke, also while the server is away', async () => {
    let answers = 0;
    answer = (request, response) => {
      answers++;
      if (answers === 3) response.writeHead(502).end('<html>away</html>');
      else serveCut(CONTENT, 40_000)(request, response);
    };
    expect(await textOf(cache(), mediumOf(CONTENT))).to.equal(CONTENT);
    expect(asked).to.deep.equal([undefined, 'bytes=40000-', 'bytes=80000-', 'bytes=80000-']);
  });

  it('are gone on with by another process when the one that fetched them has died', async () => {
    await mkdir(place());
    const key = join(place(), sha256(CONTENT));
    await writeFile(`${key}.lock`, 'of a process that died');
    await writeFile(`${key}.12-ab.part`, CONTENT.slice(0, 50_000));
    const long = new Date(Date.now() - 60_000);
    await utimes(`${key}.lock`, long, long);
    expect(await textOf(cache(), mediumOf(CONTENT))).to.equal(CONTENT);
    expect(asked).to.deep.equal(['bytes=50000-']);
    expect(filesKept()).to.deep.equal([sha256(CONTENT)]);
  });

  it('are located again when a process that took this one for dead has taken its files', async () => {
    let answers = 0;
    answer = (request, response) => {
      if (++answers > 1) return serveCut(CONTENT)(request, response);
      const parts = filesKept().filter((name) => name.endsWith('.part'));
      void Promise.all(parts.map((name) => rm(join(place(), name)))).then(() =>
        serveCut(CONTENT)(request, response),
      );
    };
    expect(await textOf(cache(), mediumOf(CONTENT))).to.equal(CONTENT);
    expect([answers, filesKept()]).to.deep.equal([2, [sha256(CONTENT)]]);
  });

  it('are locked by one process alone: a lock that was made since one was found dead is put back', async () => {
    await mkdir(place());
    const [lock, aside] = ['a.lock', 'b.dead'].map((name) => join(place(), name)) as [string, string];
    await writeFile(lock, 'of one that lives');
    expect(await takeDeadLock(lock, aside)).to.equal(false);
    expect([await readFile(lock, 'utf8'), filesKept()]).to.deep.equal(['of one that lives', ['a.lock']]);
    const long = new Date(Date.now() - 60_000);
    await utimes(lock, long, long);
    expect([await takeDeadLock(lock, aside), filesKept()]).to.deep.equal([true, []]);
    expect(await takeDeadLock(lock, aside), 'another process was quicker').to.equal(true);
  });

  it('are fetched anew when what a process has left is no part of them', async () => {
    await mkdir(place());
    await writeFile(join(place(), `${sha256(CONTENT)}.12-ab.part`), 'z'.repeat(50_000));
    expect(await textOf(cache(), mediumOf(CONTENT))).to.equal(CONTENT);
    expect(asked).to.deep.equal(['bytes=50000-', undefined]);
  });

  it('count as read while they are fetched, here or by another process', async () => {
    let goOn: () => void = () => undefined;
    const wait = new Promise<void>((resolve) => (goOn = resolve));
    answer = (request, response) => void wait.then(() => serveCut(CONTENT)(request, response));
    let signs = 0;
    const first = textOf(cache(), mediumOf(CONTENT));
    await until(
      'it is asked for',
      () => asked.length,
      (count) => count === 1,
    );
    const second = textOf(cache(), mediumOf(CONTENT), { ...FETCHING, working: () => signs++ });
    await until(
      'who waits tells of it',
      () => signs,
      (count) => count > 0,
    );
    goOn();
    expect([await first, await second]).to.deep.equal([CONTENT, CONTENT]);
  });

  it('are an error when they have changed, are gone, or cannot be written', async () => {
    const wrong = 'b medium '.repeat(10_000);
    const reasonOf = (medium: WorkMedium) =>
      textOf(cache(), medium).then(
        () => 'none',
        (error: Error & { code?: string }) => `${error.code}: ${error.message}`,
      );
    expect(await reasonOf(mediumOf(wrong))).to.match(/^COULD_NOT_READ_MEDIA: .*has changed/);
    expect(
      filesKept().filter((name) => !name.endsWith('.part')),
      'nothing that counts',
    ).to.deep.equal([]);
    answer = (_, response) => response.writeHead(410).end('{"message":"It is gone."}');
    expect(await reasonOf(mediumOf('gone'))).to.match(/^COULD_NOT_OPEN_MEDIA: .*It is gone/);
  });

  it('are not asked for again and again when the disk takes nothing of them', async () => {
    const why = await fetchMedium(client, mediumOf(CONTENT), '/dev/full', FETCHING).catch(String);
    expect([String(why), asked.length]).to.deep.equal([String(why), 1]);
    expect(why).to.match(/OwnDiskError: .*ENOSPC/);
  });

  it('are let go of when the sub-job is no longer wanted', async () => {
    answer = () => undefined;
    const stop = new AbortController();
    const waiting = textOf(cache(), mediumOf(CONTENT), { ...FETCHING, signal: stop.signal }).catch(String);
    await until(
      'it is asked for',
      () => asked.length,
      (count) => count === 1,
    );
    stop.abort();
    expect(await waiting).to.match(/abort/i);
    expect(existsSync(join(place(), `${sha256(CONTENT)}.lock`))).to.equal(false);
  });

  it('are removed when too large in total, least recently used first; open ones stay', async () => {
    const contents = ['a', 'b', 'c'].map((letter) => letter.repeat(1_000));
    const small = cache(2_000);
    const held = [];
    for (const [n, content] of contents.entries()) {
      answer = serveCut(content);
      held.push(await small.local(mediumOf(content), FETCHING));
      const at = new Date(Date.now() - 60_000 + n * 1_000);
      await utimes(join(place(), sha256(content)), at, at);
    }
    const media = filesKept().filter((name) => !name.endsWith('.use'));
    expect(media).to.have.members([1, 2].map((n) => sha256(contents[n]!)));
    expect(await readFile(held[0]!.path, 'utf8')).to.equal(contents[0]);
    for (const one of held) await one.close();
    expect(filesKept()).to.have.length(2);
  });

  it('stay with their reader, also in another container, until it was silent for two minutes', async () => {
    await mkdir(place());
    const used = { '999999999-ab.use': 110, [`${process.pid}-ab.use`]: 130 };
    for (const [name, seconds] of Object.entries(used)) {
      await writeFile(join(place(), name), '');
      const at = new Date(Date.now() - seconds * 1_000);
      await utimes(join(place(), name), at, at);
    }
    await textOf(cache(), mediumOf(CONTENT));
    expect(filesKept()).to.have.members(['999999999-ab.use', sha256(CONTENT)]);
  });

  for (const [what, maxBytes] of Object.entries({ kept: 10_000_000, 'of one sub-job': 100 }))
    it(`show that they are read for as long as they are (${what})`, async () => {
      const local = await cache(maxBytes, { touchMs: 5 }).local(mediumOf(CONTENT), FETCHING);
      const long = new Date(Date.now() - 600_000);
      await utimes(local.path, long, long);
      const isFresh = ({ mtimeMs }: { readonly mtimeMs: number }) => Date.now() - mtimeMs < 120_000;
      await until('it was touched', () => stat(local.path), isFresh);
      await local.close();
      expect(filesKept().filter((name) => name.endsWith('.use'))).to.deep.equal([]);
    });

  it('without a hash are fetched for one sub-job alone: ids are reused on a new server', async () => {
    const text = (content: string) => {
      const { sha256: _, ...unhashed } = mediumOf(content);
      return textOf(cache(), unhashed);
    };
    expect(await text(CONTENT)).to.equal(CONTENT);
    const other = CONTENT.toUpperCase();
    answer = serveCut(other);
    expect(await text(other), 'not what was fetched before').to.equal(other);
    expect([asked, filesKept()]).to.deep.equal([[undefined, undefined], []]);
  });

  it('are kept in no folder into which everybody may write', async () => {
    await mkdir(place());
    await chmod(place(), 0o777);
    expect(await textOf(cache(), mediumOf(CONTENT)).catch(String)).to.include('MEDIA_CACHE_FOLDER');
    expect(asked).to.deep.equal([]);
  });

  it('are fetched for one sub-job alone when one is larger than all that may be kept', async () => {
    const tiny = cache(100);
    expect(await textOf(tiny, mediumOf(CONTENT))).to.equal(CONTENT);
    expect([filesKept(), log.join()]).to.deep.equal([[], log.join()]);
    expect(log.join()).to.include('MEDIA_CACHE_BYTES');
  });
});
