/** Completion callbacks (specification 6.1 and 3.4), with a running service and real receivers. */
import { expect } from 'chai';
import { answer, drop, hang, inTurn } from '../../support/servers/receiver.ts';
import { until } from '../../support/until.ts';
import { CallbackSuite, LIGHT } from './callbacks-suite.ts';

describe('Completion callbacks (specification 6.1)', () => {
  const suite = new CallbackSuite();

  it('by GET, the default, the URL gets jobid, externalid and outputobjecturi after ?', async () => {
    const id = await suite.submit('/done', { externalId: 'case 7 & more' });
    await suite.status(id, 'COMPLETE');
    expect(suite.receiver.requests.map(({ method, path, body }) => ({ method, path, body }))).to.deep.equal([
      {
        method: 'GET',
        path: `/done?jobid=${id}&externalid=case%207%20%26%20more&outputobjecturi=${encodeURIComponent(suite.documentUri(id))}`,
        body: '',
      },
    ]);
  });

  it('the status is JOB RUNNING while the job runs, then IN PROGRESS while nobody answers', async () => {
    suite.receiver.manner = hang;
    const id = await suite.submit('/done', {
      pipelineName: 'ABSENT PIPELINE',
    });
    expect((await suite.service.job(id))?.callbackStatus).to.equal('JOB RUNNING');
    await suite.service.cancel(id);
    await suite.status(id, 'IN PROGRESS');
    expect((await suite.service.job(id))?.jobStatus).to.equal('CANCELLED');
  });

  it('a failing receiver is retried under the same Idempotency-Key until it accepts', async () => {
    suite.receiver.manner = inTurn(answer(500, 'not today'), drop, answer(204));
    const id = await suite.submit('/done');
    await suite.status(id, 'COMPLETE');
    expect([...suite.receiver.keys]).to.deep.equal([[`${id}.1.callback`, 3]]);
    const job = (await suite.service.detailedJob(id))!;
    expect(job.callbackAttempts?.attempts).to.equal(2);
    expect(job.callbackAttempts?.nextAttempt).to.equal(null);
    expect(job.callbackAttempts?.lastError).to.contain(
      `Sending HTTP GET callback to "${suite.receiver.url}/done`,
    );
  });

  it('a failed job sends it too, and the status of the job goes with it, by GET in a header', async () => {
    const failed = await suite.submit('/failed', { media: ['data:video/mp4;base64,AAAA'] });
    const well = await suite.submit('/well');
    for (const id of [failed, well]) await suite.status(id, 'COMPLETE');
    expect((await suite.service.job(failed))?.jobStatus).to.equal('ERROR');
    const told = suite.receiver.requests.map(({ path, headers }) => [
      path.split('?')[0],
      headers['troupe-job-status'],
    ]);
    expect(Object.fromEntries(told)).to.deep.equal({ '/failed': 'ERROR', '/well': 'COMPLETE' });
  });

  it('a callback that cannot be sent is refused when the job is created', async () => {
    for (const callbackURL of ['no url', 'ftp://host/x', 'file:///etc/passwd', '/relative']) {
      const { status: code, body } = await suite.service.create({ ...LIGHT, callbackURL });
      expect(code, callbackURL).to.equal(400);
      expect((body as { coreResponse: { message: string } }).coreResponse.message).to.contain(
        'it must be a complete http or https URL',
      );
    }
  });

  it('a resubmitted job calls again, under a key of its new run', async () => {
    const id = await suite.submit('/done');
    await suite.status(id, 'COMPLETE');
    await suite.service.resubmit(id);
    await until('both runs have called', () => suite.receiver.keys.size === 2);
    expect([...suite.receiver.keys.keys()]).to.deep.equal([`${id}.1.callback`, `${id}.2.callback`]);
  });

  describe('that keep failing', () => {
    const SAID =
      /^ERROR: Sending HTTP GET callback to ".*\/done\?.*" failed due to: the receiver answered with status 500$/;

    it('end at once when the receiver answers 404', async () => {
      suite.receiver.manner = answer(404);
      const id = await suite.submit('/done');
      await suite.status(id, /^ERROR: .*status 404$/);
      const { callbackAttempts } = (await suite.service.detailedJob(id))!;
      expect(callbackAttempts).to.include({ attempts: 1, nextAttempt: null });
      expect(suite.receiver.requests).to.have.lengthOf(1);
    });

    it('are failed after quick attempts, retried also after a restart, and complete on arrival', async () => {
      suite.receiver.manner = answer(500);
      const id = await suite.submit('/done');
      await suite.status(id, SAID);
      const { callbackAttempts } = (await suite.service.detailedJob(id))!;
      expect(callbackAttempts?.attempts).to.be.at.least(3);
      expect(callbackAttempts?.nextAttempt, 'it is tried on').not.to.equal(null);
      await suite.service.stop();
      await suite.service.startHere();
      expect((await suite.service.job(id))?.callbackStatus).to.match(SAID);
      suite.receiver.manner = answer(200);
      await suite.status(id, 'COMPLETE');
      expect([...suite.receiver.keys.keys()]).to.deep.equal([`${id}.1.callback`]);
    });
  });
});
