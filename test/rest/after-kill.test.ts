/**
 * State after kill -9 and a restart: stored jobs and elements, and pending callbacks (specification 3.4, 3.5,
 * 5, 6.1 and 6.4).
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { findHolder } from '../../cli/service/holder.ts';
import { loginLink } from '../../cli/service/login.ts';
import { descriptorBody, pipeline } from '../actors/catalog/descriptors.ts';
import { ArchiveServer } from '../support/servers/archive-server.ts';
import { Browser } from '../support/browser/browser.ts';
import { answer, hang, inTurn, Receiver, type Manner } from '../support/servers/receiver.ts';
import { freePort } from '../support/servers/reverse-proxy.ts';
import { sampleUri, Service, type JobRequest } from '../support/processes/service.ts';
import { until } from '../support/until.ts';
import { lastOfItsServer } from './jobs/callbacks-suite.ts';

const PICTURE = sampleUri('hello-world.png');
const LIGHT = { media: [PICTURE], pipelineName: 'LIGHT PIPELINE' } as const;
const REGISTER = '/rest/components/registerUnmanaged';

describe('After kill -9', () => {
  let service: Service;
  let archive: ArchiveServer;
  const receivers: Receiver[] = [];
  const browser = new Browser();
  /** The receiver got this callback, but the server was killed before it read the response. */
  let unknown: { readonly id: string; readonly receiver: Receiver };
  /** The receiver refused this callback before the kill. */
  let refused: { readonly id: string; readonly receiver: Receiver };
  /** The server died right after the last commit of this job, before it sent the callback. */
  let unsent: { readonly id: string; readonly receiver: Receiver };

  const receiveCallbacks = async (manner: Manner) => {
    const receiver = await Receiver.start(manner);
    receivers.push(receiver);
    return receiver;
  };
  const endJob = async (manner: Manner, until: (id: string, receiver: Receiver) => Promise<unknown>) => {
    const receiver = await receiveCallbacks(manner);
    const id = await service.submit({ ...LIGHT, callbackURL: `${receiver.url}/done` });
    await until(id, receiver);
    return { id, receiver };
  };

  before(async () => {
    const PORT = String(await freePort());
    service = await Service.start({ PORT, DELIVERY_FIRST_DELAY_MS: '50', DELIVERY_MAX_DELAY_MS: '200' });
    const link = await loginLink((await findHolder(service.dataDir))!, service.dataDir, 'USER');
    await browser.submit(await browser.go(link), 'Log in');
    archive = await ArchiveServer.start();
    for (const body of [descriptorBody('DURABLE'), descriptorBody('DURABLE', { componentVersion: '2.0' })])
      expect((await service.ask('POST', REGISTER, body)).status).to.be.oneOf([200, 201]);
    const stored = await service.ask('POST', '/rest/pipelines', pipeline('DURABLE PIPELINE', 'X'));
    expect(stored.status).to.equal(200);

    unknown = await endJob(hang, (_, { requests }) =>
      until('the receiver has it', () => requests.length === 1),
    );
    refused = await endJob(inTurn(answer(503), hang), (id, { requests }) =>
      until('one attempt has failed', async () => {
        const job = await service.detailedJob(id);
        return job?.callbackAttempts?.attempts === 1 && requests.length === 2;
      }),
    );
    const receiver = await receiveCallbacks(answer(200));
    const request: JobRequest = {
      ...LIGHT,
      callbackURL: `${receiver.url}/done`,
      jobProperties: { ARCHIVE_URL: archive.url, SKIP_ARCHIVE_CHECK: 'TRUE' },
    };
    for (const one of [unknown, refused]) one.receiver.manner = answer(200);
    unsent = { id: await lastOfItsServer(service, 'after', request), receiver };
  });
  after(async () => {
    await service.close();
    await archive.close();
    for (const each of receivers) await each.close();
  });

  const isTaken = (id: string) =>
    until('the callback has been taken', async () => (await service.job(id))?.callbackStatus === 'COMPLETE');

  // For a kill right before that commit, see callbacks.long.ts.
  it('right after the last commit of a job its callback is sent, once', async () => {
    await isTaken(unsent.id);
    expect([...unsent.receiver.keys]).to.deep.equal([[`${unsent.id}.1.callback`, 1]]);
  });

  it('the archive is told what it was to be told of that job, once', async () => {
    const look = async () => (await service.job(unsent.id))?.archiveStatus;
    await until('the archive has been told', look, (status) => status === 'COMPLETE');
    const hash = createHash('sha256')
      .update(readFileSync(fileURLToPath(PICTURE)))
      .digest('hex');
    expect(archive.findKept(hash)).to.have.lengthOf(1);
    expect(archive.posts).to.have.lengthOf(1);
  });

  it('a callback that was tried in vain is tried on, under the same key', async () => {
    await isTaken(refused.id);
    expect([...refused.receiver.keys.keys()]).to.deep.equal([`${refused.id}.1.callback`]);
  });

  it('sends a callback again, under the same key, if the server does not know of its arrival', async () => {
    await isTaken(unknown.id);
    expect([...unknown.receiver.keys]).to.deep.equal([[`${unknown.id}.1.callback`, 2]]);
  });

  it('a browser that was logged in still is', async () => {
    const page = `${service.url}/`;
    const { status } = await browser.ask(`${page}rest/session`, { from: page, mode: 'cors' });
    expect(status).to.equal(200);
  });

  it('keeps components and pipelines that it confirmed, and those that were removed stay away', async () => {
    const has = async (path: string) => (await service.ask('GET', `/rest/${path}`)).status === 200;
    const all = (await service.ask('GET', '/rest/components')).body as { componentName: string }[];
    expect(all.find(({ componentName }) => componentName === 'DURABLE')).to.include({
      componentVersion: '2.0',
      managed: false,
      registeredBy: 'troupe-cli',
    });
    expect(await has('pipelines/DURABLE%20PIPELINE')).to.equal(true);
    expect((await service.ask('DELETE', '/rest/components/DURABLE')).status).to.equal(204);
    expect((await service.ask('DELETE', '/rest/pipelines/DURABLE%20PIPELINE')).status).to.equal(200);
    await service.stop();
    await service.startHere();
    expect(await has('algorithms/DURABLE%20ALGORITHM')).to.equal(false);
    expect(await has('pipelines/DURABLE%20PIPELINE')).to.equal(false);
    expect(await until('FACE is there', () => has('algorithms/FACE'))).to.equal(true);
  });
});
