/** Media of sub-jobs for a component that cannot read the server's files. */
import { createHash } from 'node:crypto';
import { readFileSync, renameSync, symlinkSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { RawComponent, trackNamed, type Detect } from '../support/processes/raw-component.ts';
import { sampleUri, Service } from '../support/processes/service.ts';
import { until } from '../support/until.ts';

const ASTRONAUT = sampleUri('astronaut.png');
const CONTENT = readFileSync(fileURLToPath(ASTRONAUT));

describe('The medium of a sub-job', () => {
  let service: Service;
  let component: RawComponent;
  const jobs: string[] = [];
  before(async () => {
    service = await Service.here({ CANCEL_GRACE_MS: '100' });
    component = new RawComponent(service);
  });
  afterEach(async () => {
    for (const id of jobs.splice(0)) {
      await service.cancel(id);
      await service.terminal(id);
    }
  });
  after(() => service.close());

  async function claimWork(medium = ASTRONAUT): Promise<Detect> {
    const id = await service.submit({ media: [medium], pipelineName: 'ABSENT PIPELINE' });
    jobs.push(id);
    return component.claimOf(id, 'ABSENT');
  }
  const get = (url: string, headers: Readonly<Record<string, string>> = {}) =>
    fetch(`${service.url}${url}`, { headers: { authorization: `Bearer ${service.token}`, ...headers } });
  const own = async (name: string, content = 'a medium of a client') => {
    const path = join(service.mediaDir, name);
    await writeFile(path, content);
    return { path, uri: pathToFileURL(path).href };
  };

  it('is told with a URL, its size and its SHA-256, and is read there, whole and in parts', async () => {
    const { token, work } = await claimWork();
    const { url, bytes, sha256, path } = work.medium;
    expect({ url, bytes, sha256, path }).to.deep.equal({
      url: `/worker/v1/leases/${token}/medium`,
      bytes: CONTENT.length,
      sha256: createHash('sha256').update(CONTENT).digest('hex'),
      path: fileURLToPath(ASTRONAUT),
    });
    const whole = await get(url!);
    expect([whole.status, whole.headers.get('content-type')]).to.deep.equal([200, 'image/png']);
    expect(Buffer.from(await whole.arrayBuffer())).to.deep.equal(CONTENT);
    const etag = whole.headers.get('etag')!;
    expect(etag).to.match(/^"[^"]+"$/);
    const rest = await get(url!, { range: 'bytes=1000-', 'if-range': etag });
    expect(rest.status).to.equal(206);
    expect(rest.headers.get('content-range')).to.equal(`bytes 1000-${CONTENT.length - 1}/${CONTENT.length}`);
    expect(Buffer.from(await rest.arrayBuffer())).to.deep.equal(CONTENT.subarray(1000));
    const other = await get(url!, { range: 'bytes=1000-', 'if-range': '"of another one"' });
    expect([other.status, (await other.arrayBuffer()).byteLength]).to.deep.equal([200, CONTENT.length]);
    const known = await get(url!, { 'if-none-match': etag });
    expect(known.status).to.equal(304);
  });

  it('is refused with a sentence beyond its end', async () => {
    const { work } = await claimWork();
    const answer = await get(work.medium.url!, { range: `bytes=${CONTENT.length}-` });
    expect([answer.status, answer.headers.get('content-range')]).to.deep.equal([
      416,
      `bytes */${CONTENT.length}`,
    ]);
    expect(await answer.text()).to.include(`The file has ${CONTENT.length} bytes`);
  });

  it('is read by nobody but the one who holds the lease', async () => {
    const { token, work } = await claimWork();
    const url = work.medium.url!;
    const other = await get(url, { 'troupe-instance': 'another-process' });
    expect(other.status).to.equal(409);
    expect(await other.text()).to.include('The lease is lost');
    expect((await fetch(`${service.url}${url}`)).status).to.equal(401);
    await component.result(token, [trackNamed('a')]);
    expect((await get(url)).status, 'after the answer').to.equal(409);
    expect((await get('/worker/v1/leases/of-nobody/medium')).status).to.equal(409);
  });

  it('is gone when its file was removed, changed, or is another one by now', async () => {
    const { path, uri } = await own('gone.txt');
    const { work } = await claimWork(uri);
    const url = work.medium.url!;
    expect(await (await get(url)).text()).to.equal('a medium of a client');
    await writeFile(path, 'another medium of a client');
    const changed = await get(url);
    expect([changed.status, await changed.text()].join(' '))
      .to.include('410')
      .and.to.include('has changed');
    renameSync(path, `${path}.away`);
    const gone = await get(url);
    expect([gone.status, await gone.text()].join(' '))
      .to.include('410')
      .and.to.include('moved or deleted');
    const secret = join(service.dataDir, 'secrets', 'of-the-service');
    await mkdir(join(service.dataDir, 'secrets'), { recursive: true });
    await writeFile(secret, 'a medium of a client');
    symlinkSync(secret, path);
    expect((await get(url)).status, 'a link to a file of the service').to.equal(410);
  });

  it('is closed again when whoever fetches it hangs up', async function () {
    if (process.platform !== 'linux') this.skip();
    const { readdirSync, readlinkSync } = await import('node:fs');
    const { path, uri } = await own('left.txt', 'x'.repeat(16 * 1024 * 1024));
    const { work } = await claimWork(uri);
    for (let n = 0; n < 5; n++) {
      const left = new AbortController();
      const answer = await fetch(`${service.url}${work.medium.url!}`, {
        headers: { authorization: `Bearer ${service.token}` },
        signal: left.signal,
      });
      await answer.body!.getReader().read();
      left.abort();
    }
    const open = () =>
      readdirSync(`/proc/${service.pid}/fd`).filter((fd) => {
        try {
          return readlinkSync(`/proc/${service.pid}/fd/${fd}`) === path;
        } catch {
          return false;
        }
      }).length;
    await until('nobody has the medium open', open, (count) => count === 0);
  });

  it('keeps its lease for as long as it is fetched, though nobody tells of progress', async () => {
    await service.stop();
    await service.startHere({ SILENCE_MS: '2500', LEASE_MS: '2500', SUB_JOB_ATTEMPTS: '1' });
    const { uri } = await own('large.txt', 'x'.repeat(32 * 1024 * 1024));
    const { token, work } = await claimWork(uri);
    const began = performance.now();
    // Reads a part, waits, and reads the next, for longer than the heartbeat timeout of a component.
    await new Promise<void>((resolve, reject) => {
      const headers = { authorization: `Bearer ${service.token}` };
      request(`${service.url}${work.medium.url!}`, { headers }, (answer) => {
        const timer = setInterval(() => {
          for (let n = 0; n < 48; n++) answer.read();
          if (performance.now() - began < 6_000) return;
          clearInterval(timer);
          answer.destroy();
          resolve();
        }, 50);
        answer.on('error', () => undefined);
      })
        .on('error', reject)
        .end();
    });
    expect((await component.result(token, [])).status).to.equal(200);
  });
});
