/** Callbacks are signed according to Standard Webhooks, and no response to a client contains a secret. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { Webhook } from 'standardwebhooks';
import { z } from 'zod';
import { jobCallback } from '../../../http/schemas/callbacks.ts';
import { answer, inTurn, Receiver, type Received } from '../../support/servers/receiver.ts';
import { Service } from '../../support/processes/service.ts';
import { until } from '../../support/until.ts';
import { LIGHT } from '../jobs/callbacks-suite.ts';

const secretOf = (fill: number) => `whsec_${Buffer.alloc(32, fill).toString('base64')}`;
const [OF_RECEIVER, OF_JOB, REPLACED] = [secretOf(1), secretOf(2), secretOf(3)];

describe('A signed callback', () => {
  let service: Service;
  let receiver: Receiver;
  before(async () => {
    service = new Service({ DELIVERY_FIRST_DELAY_MS: '50', RESULT_LINKS: 'http' });
    const file = join(service.folder, 'secrets.json');
    writeFileSync(file, JSON.stringify({ '127.0.0.1': OF_RECEIVER }));
    await service.startHere({ CALLBACK_SECRETS: file });
  });
  after(() => service.close());
  beforeEach(async () => {
    receiver = await Receiver.start();
  });
  afterEach(() => receiver.close());

  const run = async (more: object = {}) => {
    const url = { callbackURL: `${receiver.url}/done`, callbackMethod: 'POST' };
    const id = await service.submit({ ...LIGHT, ...url, ...more });
    await until(
      `the callback of ${id} has arrived`,
      () => service.job(id),
      (job) => job?.callbackStatus === 'COMPLETE',
    );
    return id;
  };
  const ofJob = (secret: string) => ({ jobProperties: { ...LIGHT.jobProperties, CALLBACK_SECRET: secret } });
  const verified = (secret: string, { body, headers }: Received) =>
    new Webhook(secret).verify(body, headers as Record<string, string>);

  it('has the secret of its receiver and the same id in each attempt', async () => {
    receiver.manner = inTurn(answer(500), answer(200));
    const id = await run();
    expect(receiver.requests.map((each) => verified(OF_RECEIVER, each))).to.have.length(2);
    const ids = receiver.requests.map(({ headers }) => headers['webhook-id']);
    expect(ids).to.deep.equal(Array(2).fill(`${id}_1_callback`));
  });

  it('has both secrets of its job while they are rotated', async () => {
    await run(ofJob(`${OF_JOB} ${REPLACED}`));
    for (const secret of [OF_JOB, REPLACED])
      expect(verified(secret, receiver.requests[0]!)).to.have.property('jobStatus', 'COMPLETE');
    expect(() => verified(OF_RECEIVER, receiver.requests[0]!)).to.throw('No matching signature');
  });

  it('keeps the secret of its job out of all that can be read', async () => {
    const id = await run(ofJob(OF_JOB));
    const document = await service.ask('GET', `/rest/jobs/${id}/output/detection`);
    expect(document.status).to.equal(200);
    const details = await service.ask('GET', `/rest/jobs/${id}?details=true`);
    const list = await service.ask('GET', '/rest/jobs');
    const request = { ...LIGHT, media: LIGHT.media.map((mediaUri) => ({ mediaUri })), ...ofJob(OF_JOB) };
    const dryRun = await service.ask('POST', '/rest/jobs?dryRun=true', request);
    expect(dryRun.status).to.equal(200);
    const log = readFileSync(join(service.folder, 'log'), 'utf8');
    const shown = [document, details, list, dryRun].map(({ text }) => text);
    for (const text of [...shown, log]) expect(text).not.to.contain(OF_JOB.slice('whsec_'.length, -4));
  });

  it('names the address of the document at this server with RESULT_LINKS=http', async () => {
    const id = await run();
    const { outputObjectUri } = z
      .strictObject(jobCallback.shape)
      .parse(JSON.parse(receiver.requests[0]!.body));
    expect(outputObjectUri).to.equal(`${service.url}/rest/jobs/${id}/output/detection`);
    const got = await fetch(outputObjectUri!, { headers: { authorization: `Bearer ${service.token}` } });
    expect(await got.json()).to.have.property('jobId', id);
  });

  it('is missed in the answer when a job has a secret and no receiver', async () => {
    const media = LIGHT.media.map((mediaUri) => ({ mediaUri }));
    const message = 'The CALLBACK_SECRET property has no effect, because the job has no callbackURL.';
    for (const query of ['', '?dryRun=true'])
      for (const [more, coreResponse] of [
        [{}, { responseCode: 2, message }],
        [{ callbackURL: `${receiver.url}/done` }, { responseCode: 0, message: null }],
      ] as const) {
        const request = { ...LIGHT, media, ...ofJob(OF_JOB), ...more };
        const { body } = await service.ask('POST', `/rest/jobs${query}`, request);
        expect(body).to.deep.include({ coreResponse });
      }
  });

  it('is refused at the creation of the job when its secret is malformed', async () => {
    const streaming = { enableOutputToDisk: false, stallTimeout: -1, pipelineName: 'LIVE PIPELINE' };
    const stream = { stream: { streamUri: 'rtsp://127.0.0.1/x', segmentSize: 10 } };
    const jobProperties = { CALLBACK_SECRET: 'whsec_c2hvcnQ=' };
    const media = LIGHT.media.map((mediaUri) => ({ mediaUri }));
    for (const [path, request] of [
      ['/rest/jobs', { ...LIGHT, media, jobProperties }],
      ['/rest/jobs?dryRun=true', { ...LIGHT, media, jobProperties }],
      ['/rest/streaming/jobs', { ...streaming, ...stream, jobProperties }],
    ] as const) {
      const { status, text } = await service.ask('POST', path, request);
      expect([path, status]).to.deep.equal([path, 400]);
      expect(text).to.contain('The CALLBACK_SECRET property must have one or two secrets');
      expect(text).not.to.contain('c2hvcnQ');
    }
  });
});
