/** Completion callbacks: specification 6.1 and 3.4, from a running service to real receivers. */
import { pathToFileURL } from 'node:url';
import { join } from 'node:path';
import { expect } from 'chai';
import type { SingleJobInfo } from '../../actors/views/job-info.ts';
import { answer, drop, hang, inTurn, Receiver } from '../support/receiver.ts';
import { sampleUri, Service, type JobRequest } from '../support/service.ts';
import { until } from '../support/until.ts';

const LIGHT = {
  media: [sampleUri('hello-world.png')],
  pipelineName: 'LIGHT PIPELINE',
  jobProperties: { ARTIFACT_EXTRACTION_POLICY: 'NONE' },
} as const;
/** A receiver that fails three times is told as failed. */
const QUICK = { DELIVERY_FIRST_DELAY_MS: '50', DELIVERY_MAX_DELAY_MS: '200', DELIVERY_QUICK_ATTEMPTS: '3' };
/** More than are sent to one receiver at a time. */
const MANY = 9;

describe('Completion callbacks (specification 6.1)', () => {
  let service: Service;
  let receiver: Receiver;
  const receivers: Receiver[] = [];
  before(async () => {
    service = await Service.here(QUICK);
  });
  after(() => service.close());
  beforeEach(async () => {
    receiver = await another();
  });
  afterEach(() => Promise.all(receivers.splice(0).map((each) => each.close())));

  async function another(manner = answer(200)): Promise<Receiver> {
    const started = await Receiver.start(manner);
    receivers.push(started);
    return started;
  }

  const submit = (path: string, more: Partial<JobRequest> = {}) =>
    service.submit({ ...LIGHT, callbackURL: `${receiver.url}${path}`, ...more });
  const status = (id: string, wanted: string | RegExp): Promise<SingleJobInfo> =>
    until(
      `callbackStatus of ${id} is ${wanted}`,
      () => service.job(id),
      (job) =>
        job !== undefined &&
        (typeof wanted === 'string' ? job.callbackStatus === wanted : wanted.test(job.callbackStatus)),
    ) as Promise<SingleJobInfo>;
  const documentUri = (id: string) =>
    pathToFileURL(join(service.dataDir, 'output-objects', `${id}.1`, 'detection.json')).href;

  it('by GET, the default, the URL gets jobid, externalid and outputobjecturi after ?', async () => {
    const id = await submit('/done', { externalId: 'case 7 & more' });
    await status(id, 'COMPLETE');
    expect(receiver.requests.map(({ method, path, body }) => ({ method, path, body }))).to.deep.equal([
      {
        method: 'GET',
        path: `/done?jobid=${id}&externalid=case%207%20%26%20more&outputobjecturi=${encodeURIComponent(documentUri(id))}`,
        body: '',
      },
    ]);
  });

  it('a query that is there already is kept, and externalid is left out when none was given', async () => {
    const id = await submit('/done?token=a%20b&x');
    await status(id, 'COMPLETE');
    expect(receiver.requests[0]?.path).to.equal(
      `/done?token=a%20b&x&jobid=${id}&outputobjecturi=${encodeURIComponent(documentUri(id))}`,
    );
  });

  it('the status is JOB RUNNING while the job runs, then IN PROGRESS while nobody answers', async () => {
    receiver.manner = hang;
    const id = await submit('/done', {
      pipelineName: 'TROUBLE PIPELINE',
      algorithmProperties: { TROUBLE: { TROUBLE: 'slow' } },
    });
    expect((await service.job(id))?.callbackStatus).to.equal('JOB RUNNING');
    await service.cancel(id);
    await status(id, 'IN PROGRESS');
    expect((await service.job(id))?.jobStatus).to.equal('CANCELLED');
  });

  it('a receiver that fails is asked again under the same Idempotency-Key until it takes it; the attempts are shown', async () => {
    receiver.manner = inTurn(answer(500, 'not today'), drop, answer(204));
    const id = await submit('/done');
    await status(id, 'COMPLETE');
    expect([...receiver.keys]).to.deep.equal([[`${id}.1.callback`, 3]]);
    const job = (await service.detailed(id))!;
    expect(job.callbackAttempts?.attempts).to.equal(2);
    expect(job.callbackAttempts?.nextAttempt).to.equal(null);
    expect(job.callbackAttempts?.lastError).to.contain(`Sending HTTP GET callback to "${receiver.url}/done`);
  });

  it('a failed job sends it too, and the status of the job goes with it, by GET in a header', async () => {
    const failed = await submit('/failed', { media: ['data:video/mp4;base64,AAAA'] });
    const well = await submit('/well');
    for (const id of [failed, well]) await status(id, 'COMPLETE');
    expect((await service.job(failed))?.jobStatus).to.equal('ERROR');
    const told = receiver.requests.map(({ path, headers }) => [
      path.split('?')[0],
      headers['troupe-job-status'],
    ]);
    expect(Object.fromEntries(told)).to.deep.equal({ '/failed': 'ERROR', '/well': 'COMPLETE' });
  });

  it('a dead receiver never delays another, and does not change jobStatus', async () => {
    receiver.manner = hang;
    const waiting = await Promise.all(Array.from({ length: MANY }, (_, n) => submit(`/hangs/${n}`)));
    const well = await another();
    const id = await service.submit({ ...LIGHT, callbackURL: `${well.url}/well` });
    await status(id, 'COMPLETE');
    for (const each of waiting) expect((await service.terminal(each)).jobStatus).to.equal('COMPLETE');
    expect((await service.job(waiting[0]!))?.callbackStatus).to.equal('IN PROGRESS');
  });

  it('a callback that cannot be sent is refused when the job is created', async () => {
    for (const callbackURL of ['no url', 'ftp://host/x', 'file:///etc/passwd', '/relative']) {
      const { status: code, body } = await service.create({ ...LIGHT, callbackURL });
      expect(code, callbackURL).to.equal(400);
      expect((body as { coreResponse: { message: string } }).coreResponse.message).to.contain(
        'it must be a complete http or https URL',
      );
    }
  });

  it('a resubmitted job calls again, under a key of its new run', async () => {
    const id = await submit('/done');
    await status(id, 'COMPLETE');
    await service.resubmit(id);
    await until('both runs have called', () => receiver.keys.size === 2);
    expect([...receiver.keys.keys()]).to.deep.equal([`${id}.1.callback`, `${id}.2.callback`]);
  });

  describe('that keep failing', () => {
    const SAID =
      /^ERROR: Sending HTTP GET callback to ".*\/done\?.*" failed due to: the receiver answered with status 500$/;

    it('are told as failed also where their receiver fails so often that most are not tried', async () => {
      receiver.manner = answer(503);
      const made = await Promise.all(Array.from({ length: MANY }, () => submit('/done')));
      for (const id of made) await status(id, /^ERROR: .*status 503$/);
      receiver.manner = answer(200);
      for (const id of made) await status(id, 'COMPLETE');
    });

    for (const refusal of [404, 410, 403])
      it(`end at once when the receiver answers ${refusal}`, async () => {
        receiver.manner = answer(refusal);
        const id = await submit('/done');
        await status(id, new RegExp(`^ERROR: .*status ${refusal}$`));
        const { callbackAttempts } = (await service.detailed(id))!;
        expect(callbackAttempts).to.include({ attempts: 1, nextAttempt: null });
        expect(receiver.requests).to.have.lengthOf(1);
      });

    it('are told as failed after their quick attempts, tried on, also after a restart, and complete when they arrive', async () => {
      receiver.manner = answer(500);
      const id = await submit('/done');
      await status(id, SAID);
      const { callbackAttempts } = (await service.detailed(id))!;
      expect(callbackAttempts?.attempts).to.be.at.least(3);
      expect(callbackAttempts?.nextAttempt, 'it is tried on').not.to.equal(null);
      await service.stop();
      await service.startHere();
      expect((await service.job(id))?.callbackStatus).to.match(SAID);
      receiver.manner = answer(200);
      await status(id, 'COMPLETE');
      expect([...receiver.keys.keys()]).to.deep.equal([`${id}.1.callback`]);
    });

    it('are given up after the configured age, and say why', async () => {
      await service.stop();
      await service.startHere({ DELIVERY_GIVE_UP_MS: '300' });
      const { url } = receiver;
      await receiver.close();
      const id = await service.submit({ ...LIGHT, callbackURL: `${url}/nobody`, callbackMethod: 'POST' });
      const job = await status(id, /^ERROR: Sending HTTP POST callback to ".*\/nobody" failed due to: /);
      expect(job.jobStatus).to.equal('COMPLETE');
    });
  });
});
