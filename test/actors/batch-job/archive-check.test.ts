import { expect } from 'chai';
import { toSnapshot } from '../../../actors/batch-job/state/snapshot.ts';
import { restore } from '../../../actors/batch-job/life-cycle/fold.ts';
import { recover } from '../../../actors/batch-job/life-cycle/recovery.ts';
import type { ArchiveFinding, PastJob, Properties } from '../../../domain/types.ts';
import { BUCKET, DOCUMENT_HASH, doneWith, LedJob, MATCH, PAST_OUTPUT, type GivenJob } from './jobs.ts';

const FAILED: ArchiveFinding = { kind: 'failed', reason: 'it hung up' };
const NONE: ArchiveFinding = { kind: 'none' };
const GIVEN: GivenJob = {
  media: [{ archiveUrl: 'http://archive.example' }, {}],
  callback: { url: 'http://caller.example', method: 'GET' },
};
/** A job whose archive is checked after inspection. */
const checkArchive = (given: GivenJob = GIVEN) => LedJob.accept(given, { archive: 'later' }).doAll('PREPARE');
const answer = (job: LedJob, finding: ArchiveFinding, run = 1) =>
  job.tell({ type: 'archiveChecked', run, answer: finding });
const kinds = (job: LedJob) => job.outstanding.map(({ kind }) => kind);

describe('The check of the archive after inspection', () => {
  it('is asked for once all media are inspected, and nothing else is done meanwhile', () => {
    const job = LedJob.accept(GIVEN, { archive: 'later' });
    job.finish(job.row('PREPARE'));
    expect([job.state?.stage, job.effects]).to.deep.equal([{ name: 'PREPARE' }, []]);
    job.finish(job.row('PREPARE'));
    expect([job.state?.stage, job.outstanding]).to.deep.equal([{ name: 'CHECK' }, []]);
    expect(job.effects).to.deep.equal([{ type: 'checkArchive' }]);
    expect(job.status).to.equal('IN_PROGRESS');
  });

  it('is left out when a medium could not be had: the job has no likeness', () => {
    const job = LedJob.accept(GIVEN, { archive: 'later' });
    job.fail(job.row('PREPARE')).doAll('PREPARE');
    expect(kinds(job)).to.include('DETECT');
  });

  it('is left out when it was not asked for', () => {
    expect(kinds(LedJob.accept(GIVEN).doAll('PREPARE'))).to.include('DETECT');
  });

  it('lets the job go on when no earlier one is known', () => {
    const job = checkArchive();
    expect(answer(job, NONE)).to.deep.equal({ kind: 'done' });
    expect([job.state?.stage, job.status]).to.deep.equal([{ name: 'TASK', index: 0 }, 'IN_PROGRESS']);
    expect(job.doAll().state).to.include({ status: 'COMPLETE', pastOutput: null, hasDocument: true });
  });

  it('ends the job without any work when an earlier one did the same', () => {
    const job = checkArchive();
    expect(answer(job, MATCH)).to.deep.equal({ kind: 'done' });
    expect(job.state).to.include({ status: 'COMPLETE', pastOutput: PAST_OUTPUT, hasDocument: false });
    expect([job.state?.stage, job.outstanding]).to.deep.equal([{ name: 'ENDED' }, []]);
    expect(job.last?.change?.removed, 'the rows of its inspection go').to.deep.equal(['']);
    expect(job.notices.map(({ id }) => id)).to.deep.equal(['here-7.1.callback']);
    expect(job.effects.map(({ type }) => type)).to.deep.equal(['ended', 'deliver', 'removeFiles']);
  });

  it('ends the job COMPLETE_WITH_WARNINGS when an earlier one equals it but inspection warned', () => {
    const job = LedJob.accept(GIVEN, { archive: 'later' });
    job.finish(job.row('PREPARE'), { warning: true }).doAll('PREPARE');
    answer(job, MATCH);
    expect(job.status).to.equal('COMPLETE_WITH_WARNINGS');
  });

  it('warns with ARCHIVE_BEFORE_JOB_CHECK when it fails, and the job runs', () => {
    const job = checkArchive();
    answer(job, FAILED);
    expect(job.status).to.equal('IN_PROGRESS_WARNINGS');
    expect(kinds(job)).to.include('DETECT');
    expect(job.doAll().status).to.equal('COMPLETE_WITH_WARNINGS');
    expect(job.state?.issues).to.deep.equal([
      {
        severity: 'warning',
        code: 'ARCHIVE_BEFORE_JOB_CHECK',
        message: 'The archive could not be searched for an equal earlier job: it hung up',
      },
    ]);
  });

  for (const buildOutput of [true, false])
    it(`does not keep a job from being cancelled, ${buildOutput ? 'with' : 'without'} document`, () => {
      const job = checkArchive({ ...GIVEN, buildOutput });
      expect(job.tell({ type: 'cancel' })).to.deep.equal({ kind: 'done' });
      expect(kinds(job)).to.deep.equal(buildOutput ? ['DOCUMENT'] : []);
      expect(answer(job, MATCH), 'the late answer').to.include({ kind: 'refused', reason: 'WRONG_STATE' });
      expect(job.doAll().state).to.include({ status: 'CANCELLED', pastOutput: null });
    });

  it('is asked again after a restart, and goes on from there as if nothing had been', () => {
    const job = LedJob.accept(GIVEN, { archive: 'later' });
    const rows = job.outstanding.map((row) => {
      job.finish(row);
      return job.last!.change!.rows.find(({ key }) => key === row.key)!;
    });
    const restored = restore(job.record, toSnapshot(job.record, job.state!), rows);
    expect(restored).to.deep.equal(job.state);
    expect(recover(restored)).to.deep.equal([{ type: 'checkArchive' }]);
    job.tell({ type: 'resume' });
    expect(job.effects).to.deep.equal([{ type: 'checkArchive' }]);
  });

  it('is over with its answer: no second one is taken', () => {
    const job = checkArchive();
    answer(job, NONE);
    expect(answer(job, MATCH)).to.include({ kind: 'refused', reason: 'WRONG_STATE' });
  });

  it('takes no answer to the question of an earlier run', () => {
    const job = checkArchive();
    answer(job, NONE);
    job.doAll();
    job.tell({ type: 'resubmit', priority: 4, admitted: true, objectId: 'second' });
    expect(answer(job, MATCH)).to.include({ kind: 'refused', reason: 'WRONG_STATE' });
  });

  it('is told apart by the run also when both ask', () => {
    const job = checkArchive();
    // Only the first run checks the archive. Even so, another run must refuse its answer.
    job.state = { ...job.state!, run: 2 };
    expect(answer(job, MATCH, 1)).to.include({ kind: 'refused', reason: 'WRONG_STATE' });
    expect(answer(job, NONE, 2)).to.deep.equal({ kind: 'done' });
  });

  it('is not made for a job that is resubmitted: whoever does that wants it run', () => {
    const job = checkArchive();
    answer(job, MATCH);
    job.tell({ type: 'resubmit', priority: 4, admitted: true, objectId: 'second' });
    expect(job.state).to.include({ pastOutput: null, checkArchive: false });
    expect(kinds(job.doAll('PREPARE'))).to.include('DETECT');
    expect(job.doAll().state).to.include({ status: 'COMPLETE', pastOutput: null, hasDocument: true });
  });

  it('tells progress that does not fall', () => {
    const job = checkArchive();
    expect(toSnapshot(job.record, job.state!).progress).to.equal(0);
  });
});

describe('The check of the archive before the job', () => {
  it('that finds an earlier job ends this one at once, with power loss in mind', () => {
    const job = LedJob.accept(GIVEN, { archive: MATCH });
    expect(job.state).to.include({ status: 'COMPLETE', pastOutput: PAST_OUTPUT, hasDocument: false });
    expect(job.effects.map(({ type }) => type)).to.deep.equal(['ended', 'deliver', 'removeFiles']);
    expect(job.last?.change).to.deep.include({ synced: true, rows: [] });
  });

  it('that finds an earlier job ends this one when its turn comes, without work', () => {
    const job = LedJob.accept(GIVEN, { archive: MATCH, admitted: false });
    expect([job.status, job.notices]).to.deep.equal(['INITIALIZED', []]);
    job.tell({ type: 'admit' });
    expect(job.state).to.include({ status: 'COMPLETE', pastOutput: PAST_OUTPUT });
    expect(job.notices.map(({ id }) => id)).to.deep.equal(['here-7.1.callback']);
  });

  it('that finds an earlier job leaves nothing to write when this one is cancelled before', () => {
    const job = LedJob.accept(GIVEN, { archive: MATCH, admitted: false });
    job.tell({ type: 'cancel' });
    expect(job.state).to.include({ status: 'CANCELLED', pastOutput: PAST_OUTPUT, hasDocument: false });
    expect(job.outstanding).to.deep.equal([]);
  });

  it('that fails warns, and the job runs', () => {
    const job = LedJob.accept(GIVEN, { archive: FAILED });
    expect(job.status).to.equal('IN_PROGRESS_WARNINGS');
    expect(job.state?.issues.map(({ code }) => code)).to.deep.equal(['ARCHIVE_BEFORE_JOB_CHECK']);
    expect(job.doAll().status).to.equal('COMPLETE_WITH_WARNINGS');
  });

  it('that fails lets a job wait for its turn all the same, and warns when it has come', () => {
    const job = LedJob.accept(GIVEN, { archive: FAILED, admitted: false });
    expect(job.status).to.equal('INITIALIZED');
    expect(job.tell({ type: 'admit' })).to.deep.equal({ kind: 'done' });
    expect(job.status).to.equal('IN_PROGRESS_WARNINGS');
    expect(job.doAll().status).to.equal('COMPLETE_WITH_WARNINGS');
  });

  it('that finds nothing lets the job run, and it is not asked again', () => {
    const job = LedJob.accept(GIVEN, { archive: NONE });
    expect(kinds(job.doAll('PREPARE'))).to.include('DETECT');
  });

  it('is waited for over a turn that comes late', () => {
    const job = LedJob.accept(GIVEN, { archive: 'later', admitted: false });
    const stored = toSnapshot(job.record, job.state!);
    job.state = restore(job.record, stored, []);
    job.tell({ type: 'admit' });
    job.doAll('PREPARE');
    expect(job.effects).to.deep.equal([{ type: 'checkArchive' }]);
  });

  it('takes answers of components as if nothing had been asked', () => {
    const job = LedJob.accept(GIVEN, { archive: 'later' });
    const [row] = job.outstanding;
    job.doAll('PREPARE');
    expect(job.tell(doneWith(GIVEN, row!))).to.include({ kind: 'refused', reason: 'NOT_OUTSTANDING' });
  });

  describe('of a job whose results go into a bucket', () => {
    const copyToArchive = (properties: Properties = BUCKET, match = MATCH) => {
      const job = LedJob.accept({ ...GIVEN, properties }, { archive: 'later' }).doAll('PREPARE');
      answer(job, match);
      return job;
    };

    it('has the results of an earlier job copied into it, and the job ends as that did', () => {
      const match = { ...(MATCH as { match: PastJob }).match, jobStatus: 'COMPLETE_WITH_WARNINGS' };
      const job = copyToArchive(BUCKET, { kind: 'match', match });
      expect(job.state?.stage).to.deep.equal({ name: 'COPY' });
      expect([kinds(job), job.status]).to.deep.equal([['COPY'], 'IN_PROGRESS']);
      expect(job.row('COPY').work).to.deep.include({ document: PAST_OUTPUT, atOnce: 2 });
      job.doAll();
      expect(job.state).to.include({ status: 'COMPLETE_WITH_WARNINGS', hasDocument: true });
      const key = `${DOCUMENT_HASH.slice(0, 2)}/${DOCUMENT_HASH.slice(2, 4)}/${DOCUMENT_HASH}`;
      expect(job.state?.outputUri).to.equal(`https://bucket.example/results/${key}`);
      expect(job.notices.map(({ id }) => id)).to.deep.equal(['here-7.1.callback']);
      expect(JSON.stringify(job.notices)).to.include(DOCUMENT_HASH).and.not.include('past.example');
    });

    it('also when it is known at once', () => {
      const job = LedJob.accept({ ...GIVEN, properties: BUCKET }, { archive: MATCH });
      expect(kinds(job)).to.deep.equal(['COPY']);
      expect(job.doAll().status).to.equal('COMPLETE');
    });

    it('stays with those of the earlier job without ARCHIVE_S3_COPY_ENABLED', () => {
      const job = copyToArchive({ ...BUCKET, ARCHIVE_S3_COPY_ENABLED: 'false' });
      expect(job.state).to.include({ status: 'COMPLETE', hasDocument: false, pastOutput: PAST_OUTPUT });
    });

    it('ends ERROR when the results cannot be copied, and those of the earlier job stand for it', () => {
      const job = copyToArchive();
      job.fail(job.row('COPY'));
      expect(job.state).to.include({ status: 'ERROR', hasDocument: false, pastOutput: PAST_OUTPUT });
      expect(job.state?.issues).to.deep.equal([
        {
          severity: 'error',
          code: 'ARCHIVE_BEFORE_JOB_CHECK',
          message:
            'A matching job was found in the archive, but copying results from the old job failed due to: It did not work.',
        },
      ]);
      expect(JSON.stringify(job.notices)).to.include(encodeURIComponent(PAST_OUTPUT));
    });

    it('is cancelled while they are copied: those of the earlier job stand for it', () => {
      const job = copyToArchive();
      const { key } = job.row('COPY');
      expect(job.tell({ type: 'cancel' })).to.deep.equal({ kind: 'done' });
      expect(job.effects.map(({ type }) => type)).to.deep.equal(['cancelWork']);
      job.tell({ type: 'workDropped', keys: [key] });
      expect(job.state).to.include({ status: 'CANCELLED', hasDocument: false, pastOutput: PAST_OUTPUT });
    });

    it('goes on copying after a restart', () => {
      const job = copyToArchive();
      const row = job.row('COPY');
      const restored = restore(job.record, toSnapshot(job.record, job.state!), [row]);
      expect(restored.outstanding).to.deep.equal(job.state!.outstanding);
      expect(recover(restored)).to.deep.equal([{ type: 'offer', rows: [row] }]);
    });
  });
});
