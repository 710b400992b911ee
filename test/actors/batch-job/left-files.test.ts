/** Files that no document will name: how they come about, and what becomes of them. */
import { expect } from 'chai';
import { LedJob, type GivenJob } from './jobs.ts';

describe('Derivative media of a batch job', () => {
  const DOCUMENTS: GivenJob = { media: [{ type: 'UNKNOWN' }, { type: 'UNKNOWN' }], derives: true };

  it('are no more than the job may have, also when several media are finished at the same time', () => {
    const job = LedJob.accepted(DOCUMENTS, { maxDerived: 1 }).doAll('PREPARE', 'DETECT');
    const [first, second, ...others] = job.outstanding;
    expect([first?.kind, second?.kind, others]).to.deep.equal(['FINISH', 'FINISH', []]);
    job.done(first!);
    expect(job.status).to.equal('IN_PROGRESS');
    job.done(second!);
    expect(job.status).to.equal('IN_PROGRESS_ERRORS');
    expect(job.state!.media.map(({ failedIn, derived }) => [failedIn, derived?.parent])).to.deep.equal([
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
    const job = LedJob.accepted({ properties: { ARTIFACT_EXTRACTION_POLICY: 'ALL_TYPES' } });
    const row = job.doAll('PREPARE', 'DETECT', 'FINISH').row('ARTIFACTS');
    job.tell({ type: 'cancel' });
    expect(job.effects.map(({ type }) => type)).to.deep.equal(['cancelWork']);
    job.tell({ type: 'workDropped', keys: [row.key] });
    expect(job.effects[0]).to.deep.equal({
      type: 'removeArtifacts',
      folders: ['/data/artifacts/here-7/100/0/0'],
    });
    expect(job.doAll().status).to.equal('CANCELLED');
  });
});
