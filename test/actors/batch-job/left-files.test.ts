/** Files that no document refers to: how they arise and how they are deleted. */
import { expect } from 'chai';
import { recover } from '../../../actors/batch-job/life-cycle/recovery.ts';
import { LedJob, type GivenJob } from './jobs.ts';

describe('Derivative media of a batch job', () => {
  const DOCUMENTS: GivenJob = { media: [{ type: 'UNKNOWN' }, { type: 'UNKNOWN' }], derives: true };

  it('are no more than the job may have, also when several media are finished at the same time', () => {
    const job = LedJob.accept(DOCUMENTS, { maxDerived: 1 }).doAll('PREPARE', 'DETECT');
    const [first, second, ...others] = job.outstanding;
    expect([first?.kind, second?.kind, others]).to.deep.equal(['FINISH', 'FINISH', []]);
    job.finish(first!);
    expect(job.status).to.equal('IN_PROGRESS');
    job.finish(second!);
    expect(job.status).to.equal('IN_PROGRESS_ERRORS');
    expect(
      job.state!.media.toArray().map(({ failedIn, derived }) => [failedIn, derived?.parent]),
    ).to.deep.equal([
      [null, undefined],
      [0, undefined],
      [null, 0],
    ]);
    const refused = [...job.rows.values()].find((row) => (row as { state: string }).state === 'FAILED') as {
      error: object;
    };
    expect(refused).to.not.have.any.keys('file', 'summary', 'derivedAt');
    expect(refused.error).to.include({ code: 'OTHER' });
    expect(JSON.stringify(refused.error)).to.include('MAX_DERIVATIVE_MEDIA');
    expect(job.doAll().status).to.equal('ERROR');
  });
});

describe('Artifacts of a batch job that is cancelled', () => {
  it('are removed once nobody makes any more of them', () => {
    const job = LedJob.accept({ properties: { ARTIFACT_EXTRACTION_POLICY: 'ALL_TYPES' } });
    const row = job.doAll('PREPARE', 'DETECT', 'FINISH').row('ARTIFACTS');
    job.tell({ type: 'cancel' });
    expect(job.effects.map(({ type }) => type)).to.deep.equal(['cancelWork']);
    job.tell({ type: 'workDropped', keys: [row.key] });
    expect([job.state?.stage.name, job.effects.at(-1)]).to.deep.equal(['DOCUMENT', { type: 'removeStrays' }]);
    expect(recover(job.state!), 'also when the server dies before it').to.deep.include({
      type: 'removeStrays',
    });
    expect(job.doAll().status).to.equal('CANCELLED');
  });
});

describe('What an earlier run of a batch job has left', () => {
  const removal = { type: 'removeFiles', run: 1, files: 'ALL' };

  it('goes when the job is resubmitted, also when the server dies before it', () => {
    const job = LedJob.accept().doAll();
    job.tell({ type: 'resubmit', priority: 4, admitted: true, objectId: 'second' });
    expect([job.effects[0], recover(job.state!)[0]]).to.deep.equal([removal, removal]);
    expect(recover(job.state!).at(-1)).to.have.property('type', 'offer');
  });

  it('is not cleaned once the new run is further: it may have left files of its own', () => {
    const job = LedJob.accept().doAll();
    job.tell({ type: 'resubmit', priority: 4, admitted: true, objectId: 'second' });
    job.doAll('PREPARE');
    expect(recover(job.state!)).to.not.deep.include(removal);
    expect(job.doAll().status).to.equal('COMPLETE');
    expect(recover(job.state!)).to.deep.equal([{ type: 'index' }]);
  });
});
