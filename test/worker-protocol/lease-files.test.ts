/** File uploads of a component that shares no folder with the server. */
import { existsSync, readFileSync } from 'node:fs';
import { readdir, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { expect } from 'chai';
import type { StoredFile } from '../../protocol/worker-messages.ts';
import { RawComponent, type Detect } from '../support/processes/raw-component.ts';
import { sampleUri, Service } from '../support/processes/service.ts';
import { until } from '../support/until.ts';

const MOST = 3;
const MOST_BYTES = 100_000;

describe('Files that a component sends', () => {
  let service: Service;
  let component: RawComponent;
  const jobs: string[] = [];
  before(async () => {
    service = await Service.here({
      CANCEL_GRACE_MS: '100',
      MAX_LEASE_FILES: String(MOST),
      MAX_LEASE_FILE_BYTES: String(MOST_BYTES),
      MAX_LEASE_FILES_BYTES: String(2 * MOST_BYTES),
    });
    component = new RawComponent(service);
  });
  afterEach(async () => {
    for (const id of jobs.splice(0)) {
      await service.cancel(id);
      await service.terminal(id);
    }
  });
  after(() => service.close());

  async function claimWork(medium?: string): Promise<Detect & { readonly job: string }> {
    const path = join(service.mediaDir, 'document.txt');
    await writeFile(path, 'a document');
    const id = await service.submit({
      media: [medium ?? pathToFileURL(path).href],
      pipelineName: 'ABSENT PIPELINE',
    });
    jobs.push(id);
    return { ...(await component.claimOf(id, 'ABSENT')), job: id };
  }
  const headers = { authorization: '' };
  beforeEach(() => (headers.authorization = `Bearer ${service.token}`));
  const put = (
    token: string,
    name: string,
    body: string | Buffer,
    more: Readonly<Record<string, string>> = {},
  ) =>
    fetch(`${service.url}/worker/v1/leases/${token}/files/${name}`, {
      method: 'PUT',
      headers: { ...headers, ...more },
      body,
    });
  const listKept = ({ work }: Detect) => readdir(work.outputFolder!);

  it('lie in the folder of the sub-job, and become derivative media when the answer names them', async () => {
    const held = await claimWork();
    const picture = readFileSync(fileURLToPath(sampleUri('hello-world.png')));
    const answer = await put(held.token, 'page%201.png', picture);
    expect(answer.status).to.equal(200);
    const { path, bytes } = (await answer.json()) as StoredFile;
    expect([path, bytes]).to.deep.equal([join(held.work.outputFolder!, 'page 1.png'), picture.length]);
    expect(readFileSync(path)).to.deep.equal(picture);
    const detection = { frame: 0, x: 0, y: 0, width: 0, height: 0, confidence: -1, properties: {} };
    const track = {
      ...{ startFrame: 0, stopFrame: 0, startTime: 0, stopTime: 0, type: 'MEDIA', confidence: -1 },
      properties: { DERIVATIVE_MEDIA_TEMP_PATH: path },
      detections: [detection],
    };
    expect((await component.result(held.token, [track])).status).to.equal(200);
    // The picture is now a medium of the job, but no task processes it.
    await until(
      'the job is over',
      () => service.job(held.job),
      (job) => job?.terminal === true,
    );
    const { media } = await service.document(held.job);
    expect(media).to.have.length(2);
    expect(readFileSync(fileURLToPath(media[1]!.path))).to.deep.equal(picture);
    const sent = await fetch(`${service.url}/rest/jobs/${held.job}/media/${media[1]!.mediaId}`, { headers });
    expect(sent.headers.get('content-type')).to.equal('image/png');
    expect(Buffer.from(await sent.arrayBuffer()), 'by its mediaId').to.deep.equal(picture);
  });

  it('replace those of the same name that came before', async () => {
    const held = await claimWork();
    for (const text of ['first', 'the second one', 'third'])
      expect((await put(held.token, 'a.txt', text)).status).to.equal(200);
    expect(await listKept(held)).to.deep.equal(['a.txt']);
    expect(readFileSync(join(held.work.outputFolder!, 'a.txt'), 'utf8')).to.equal('third');
  });

  it('have plain names: what would leave the folder, or is none, is refused with a sentence', async () => {
    const held = await claimWork();
    // Sends the path unchanged, without the normalisation of client libraries.
    const raw = (name: string) =>
      new Promise<string>((resolve, reject) => {
        const { hostname, port } = new URL(service.url);
        const path = `/worker/v1/leases/${held.token}/files/${name}`;
        request({ hostname, port, path, method: 'PUT', headers }, (answer) => {
          let text = `${answer.statusCode} `;
          answer.on('data', (chunk) => (text += String(chunk))).on('end', () => resolve(text));
        })
          .on('error', reject)
          .end('x');
      });
    for (const name of [
      '..',
      '%2e%2e',
      '..%2F..%2Fx',
      'a%2Fb',
      'a%5Cb',
      '%00',
      'a%00b',
      '.hidden',
      'a%0Ab',
      'x'.repeat(201),
    ])
      expect(await raw(name), name).to.match(/^400 .*must be the name of a file/);
    for (const name of ['', '../x', 'a/b']) expect(await raw(name), name).to.match(/^40[045] /);
    expect(await listKept(held)).to.deep.equal([]);
    expect(existsSync(join(dirname(held.work.outputFolder!), 'x'))).to.equal(false);
  });

  it('are bounded in number, size and all together', async () => {
    const held = await claimWork();
    const large = await put(held.token, 'large', Buffer.alloc(MOST_BYTES + 1));
    expect([large.status, await large.text()].join(' ')).to.match(/^413 .*larger than 100000 bytes/);
    expect((await put(held.token, 'a', Buffer.alloc(MOST_BYTES))).status).to.equal(200);
    expect((await put(held.token, 'b', Buffer.alloc(MOST_BYTES - 10))).status).to.equal(200);
    const all = await put(held.token, 'c', Buffer.alloc(11));
    expect([all.status, await all.text()].join(' ')).to.match(/^413 .*199990 of 200000 bytes/);
    expect((await put(held.token, 'c', Buffer.alloc(10))).status).to.equal(200);
    const fourth = await put(held.token, 'd', '');
    expect([fourth.status, await fourth.text()].join(' ')).to.match(/^413 .*has made 3 files/);
    expect((await put(held.token, 'c', 'again')).status, 'one that is there').to.equal(200);
    expect((await listKept(held)).toSorted()).to.deep.equal(['a', 'b', 'c']);
  });

  it('that never end are cut off with a sentence, and nothing of them stays', async () => {
    const held = await claimWork();
    const endless = () =>
      new Promise<string>((resolve, reject) => {
        const call = request(`${service.url}/worker/v1/leases/${held.token}/files/endless`, {
          method: 'PUT',
          headers,
        });
        call.on('response', (answer) => {
          let text = `${answer.statusCode} `;
          answer
            .on('data', (chunk) => (text += String(chunk)))
            .on('end', () => resolve(text))
            .on('error', reject);
        });
        call.on('error', reject);
        const more = () => {
          while (!call.destroyed && call.write(Buffer.alloc(8_192)));
        };
        call.on('drain', more);
        more();
      });
    expect(await endless()).to.match(/^413 .*larger than 100000 bytes/);
    expect(await listKept(held)).to.deep.equal([]);
    expect((await component.heartbeat(held.token)).body, 'the lease').to.deep.equal({ go: 'on' });
  });

  it('of which only a part came leave nothing', async () => {
    const held = await claimWork();
    await new Promise<void>((resolve) => {
      const call = request(`${service.url}/worker/v1/leases/${held.token}/files/part`, {
        method: 'PUT',
        headers,
      });
      call.on('error', () => resolve());
      call.write('the beginning', () => call.destroy(new Error('gone')));
    });
    await until(
      'nothing of it is left',
      () => listKept(held),
      (names) => names.length === 0,
    );
    expect((await put(held.token, 'part', 'whole')).status).to.equal(200);
  });

  it('count by what is stored when a slow send of a name breaks off behind a quick one', async () => {
    const held = await claimWork();
    const isComing = (names: readonly string[]) => names.some((name) => name.startsWith('.'));
    const slow = request(`${service.url}/worker/v1/leases/${held.token}/files/a`, { method: 'PUT', headers });
    slow.on('error', () => undefined);
    slow.write('the beginning');
    await until('the slow one is coming', () => listKept(held), isComing);
    const all = Buffer.alloc(MOST_BYTES);
    expect((await put(held.token, 'a', all)).status).to.equal(200);
    slow.destroy();
    await until(
      'the slow one is gone',
      () => listKept(held),
      (names) => !isComing(names),
    );
    expect((await put(held.token, 'b', all)).status).to.equal(200);
    const third = await put(held.token, 'c', 'c');
    expect([third.status, await third.text()].join(' ')).to.match(/^413 .*200000 of 200000 bytes/);
  });

  it('are taken from nobody else, after the answer from nobody, and for no pictures', async () => {
    const held = await claimWork();
    expect((await put(held.token, 'a', 'x', { 'troupe-instance': 'another-process' })).status).to.equal(409);
    expect((await put('of-nobody', 'a', 'x')).status).to.equal(409);
    const picture = await claimWork(sampleUri('astronaut.png'));
    const refused = await put(picture.token, 'a', 'x');
    expect([refused.status, await refused.text()].join(' ')).to.match(/^400 .*makes no files/);
    await component.result(held.token, []);
    expect((await put(held.token, 'a', 'x')).status).to.equal(409);
  });

  it('are counted on after a restart of the server', async () => {
    const held = await claimWork();
    for (const name of ['a', 'b', 'c']) expect((await put(held.token, name, name)).status).to.equal(200);
    await service.stop();
    await service.startHere();
    headers.authorization = `Bearer ${service.token}`;
    const fourth = await put(held.token, 'd', 'd');
    expect([fourth.status, await fourth.text()].join(' ')).to.match(/^413 .*has made 3 files/);
    expect(basename(held.work.outputFolder!)).to.include(held.token);
  });
});
