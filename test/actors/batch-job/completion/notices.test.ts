import { expect } from 'chai';
import { List } from 'immutable';
import { archiveJob } from '../../../../actors/batch-job/completion/archive.ts';
import type { JobCommand } from '../../../../actors/batch-job/state/commands.ts';
import {
  markArrived,
  deliveryStatus,
  openNotice,
} from '../../../../actors/batch-job/completion/deliveries.ts';
import { planDeliveries } from '../../../../actors/batch-job/completion/notices.ts';
import type { JobState } from '../../../../actors/batch-job/state/state.ts';
import { atOnce } from '../../../../actors/runtime/steps.ts';
import { archiveCheckInSteps } from '../../../../domain/job/archive.ts';
import { DOCUMENT_HASH, LedJob, MATCH, noticeFailed, PAST_OUTPUT, type GivenJob } from '../jobs.ts';

const CALLER = 'http://caller.example/done?mine=1';
const ARCHIVE = 'http://archive.example:8080/base';
const OTHER = 'https://other.example';
const DOCUMENT = 'file:///data/output-objects/here-7.1/detection.json';

const ids = (job: LedJob) => job.notices.map(({ id }) => id);
const settlementsOf = (job: LedJob) => job.last?.change?.settled ?? [];
const statusOf = (job: LedJob, kind: 'callback' | 'archive', wanted = true) =>
  deliveryStatus(wanted, job.state!.status, job.state![kind]);

/** All ways in which a job can end. */
const ENDS: Readonly<Record<string, (given: GivenJob) => LedJob>> = {
  COMPLETE: (given) => LedJob.accept(given).doAll(),
  COMPLETE_WITH_WARNINGS(given) {
    const job = LedJob.accept(given);
    return job.finish(job.row('PREPARE'), { warning: true }).doAll();
  },
  ERROR(given) {
    const job = LedJob.accept(given).doAll('PREPARE');
    return job.fail(job.row('DETECT')).doAll();
  },
  CANCELLED(given) {
    const job = LedJob.accept(given).doAll('PREPARE');
    job.tell({ type: 'cancel' });
    return job.dropAll().doAll();
  },
  CANCELLED_BY_SHUTDOWN(given) {
    const job = LedJob.accept(given).doAll('PREPARE');
    job.tell({ type: 'shutdown' });
    return job.dropAll().doAll();
  },
};

describe('The callback of a batch job (specification 6.1)', () => {
  const post: GivenJob = { callback: { url: CALLER, method: 'POST' } };

  for (const [status, end] of Object.entries(ENDS))
    it(`is owed from the commit that ends the job, and not before: ${status}`, () => {
      const job = end(post);
      expect(job.status).to.equal(status);
      expect(job.notices).to.deep.equal([
        {
          id: 'here-7.1.callback',
          destination: 'http://caller.example',
          due: job.at,
          body: {
            kind: 'callback',
            method: 'POST',
            url: CALLER,
            body: { jobId: 'here-7', externalId: null, outputObjectUri: DOCUMENT, jobStatus: status },
            headers: { 'Troupe-Job-Status': status },
            addToken: false,
            createdAt: job.at,
            attempts: 0,
          },
        },
      ]);
      expect(job.effects).to.deep.include({ type: 'deliver', destinations: ['http://caller.example'] });
      expect(job.last?.change?.synced).to.equal(true);
    });

  it('is owed by no commit but the last', () => {
    const job = LedJob.accept(post);
    while (job.outstanding.length > 0) {
      expect([job.notices, job.state?.callback]).to.deep.equal([[], null]);
      job.finish(job.outstanding[0]!);
    }
    expect(ids(job)).to.deep.equal(['here-7.1.callback']);
  });

  it('is owed by nobody when none was asked for', () => {
    const job = LedJob.accept().doAll();
    expect([job.notices, job.state?.callback]).to.deep.equal([[], null]);
    expect(job.effects.map(({ type }) => type)).to.deep.equal(['ended', 'index', 'removeFiles']);
  });

  const GET = { url: CALLER, method: 'GET' } as const;
  const URI = encodeURIComponent(DOCUMENT);
  const CASES: readonly (readonly [string, GivenJob, string])[] = [
    ['without external id', { callback: GET }, `${CALLER}&jobid=here-7&outputobjecturi=${URI}`],
    [
      'with an external id',
      { callback: GET, externalId: 'a b&c' },
      `${CALLER}&jobid=here-7&externalid=a%20b%26c&outputobjecturi=${URI}`,
    ],
    ['without document', { callback: GET, buildOutput: false }, `${CALLER}&jobid=here-7`],
    [
      'with half a character in the external id',
      { callback: GET, externalId: 'a\ud800' },
      `${CALLER}&jobid=here-7&externalid=a%EF%BF%BD&outputobjecturi=${URI}`,
    ],
  ];
  for (const [what, given, url] of CASES)
    it(`by GET carries the job in the query and no body: ${what}`, () => {
      const [notice] = LedJob.accept(given).doAll().notices;
      expect(notice?.body).to.include({ method: 'GET', url, body: null });
    });

  it('by POST has null for what there is not', () => {
    const given = { ...post, externalId: 'mine', buildOutput: false };
    const [notice] = LedJob.accept(given).doAll().notices;
    expect(notice?.body.body).to.deep.equal({ jobId: 'here-7', externalId: 'mine', outputObjectUri: null, jobStatus: 'COMPLETE' }); // oxfmt-ignore
  });

  it('names the document of the earlier job that stands for this one', () => {
    const [notice] = LedJob.accept(post, { archive: MATCH }).notices;
    expect(notice?.body.body).to.include({ outputObjectUri: PAST_OUTPUT });
  });

  it('carries a token of the service when any medium asks for it', () => {
    const media = [{}, { properties: { CALLBACK_ADD_TOKEN: 'true' } }];
    const tokens = (given: GivenJob) =>
      LedJob.accept(given)
        .doAll()
        .notices.map(({ body }) => body.addToken);
    expect(tokens({ ...post, media })).to.deep.equal([true]);
    expect(tokens({ ...post, properties: { CALLBACK_ADD_TOKEN: 'TRUE' } })).to.deep.equal([true]);
    expect(tokens({ ...post, properties: { ARCHIVE_ADD_TOKEN: 'TRUE' } })).to.deep.equal([false]);
  });
});

describe('The archive posts of a batch job (specification 6.4)', () => {
  const given: GivenJob = {
    media: [
      { type: 'IMAGE', sha256: 'a0', archiveUrl: ARCHIVE },
      { type: 'IMAGE', sha256: 'a1' },
      { type: 'IMAGE', sha256: 'a2', archiveUrl: `${OTHER}/?x=1`, metadata: { LINKED_MEDIA_HASH: 'F00' } },
    ],
    callback: { url: CALLER, method: 'GET' },
  };

  for (const [status, end] of Object.entries(ENDS))
    it(`are stored with the callback by the commit that ends the job, one an archived medium: ${status}`, () => {
      const job = end(given);
      expect(job.status).to.equal(status);
      expect(ids(job)).to.deep.equal(['here-7.1.callback', 'here-7.1.archive.0', 'here-7.1.archive.2']);
      expect(job.effects).to.deep.include({
        type: 'deliver',
        destinations: ['http://caller.example', 'http://archive.example:8080', OTHER],
      });
      for (const { body } of job.notices.slice(1))
        expect(body.body).to.have.nested.include({ 'dataObject.jobStatus': status });
    });

  it('say by POST what the job found in the medium', () => {
    const job = LedJob.accept(given).doAll();
    const [, first, second] = job.notices;
    const { assertionId, ...body } = first!.body.body as { assertionId: string; dataObject: object };
    expect(assertionId).to.match(/^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    const { jobConfigHash, ...dataObject } = body.dataObject as Record<string, unknown>;
    expect(jobConfigHash).to.match(/^[0-9a-f]{64}$/);
    expect({ ...first?.body, body: { ...body, dataObject } }).to.deep.equal({
      kind: 'archive',
      method: 'POST',
      url: `${ARCHIVE}/api/db/supplementals?sha256Hash=a0`,
      addToken: false,
      createdAt: job.at,
      attempts: 0,
      body: {
        informationType: 'Troupe Tracks',
        securityTag: 'UNCLASSIFIED',
        system: 'Troupe',
        dataObject: {
          pipeline: 'PIPELINE',
          outputTypes: ['FACE'],
          jobId: 'here-7',
          outputUri: DOCUMENT,
          sha256OutputHash: DOCUMENT_HASH,
          processDate: new Date(job.state!.endedAt!).toISOString(),
          jobStatus: 'COMPLETE',
          systemVersion: '1.2.3',
          systemHostname: 'here.example',
          timing: { 'ACTION 0.0': 15 },
          trackCount: 1,
        },
      },
    });
    expect(second?.body.url).to.equal(`${OTHER}/api/db/supplementals?x=1&sha256Hash=f00`);
    expect(second?.body.body).to.not.include({ assertionId });
  });

  it('carry the hash that the check before an equal job asks for', () => {
    const job = LedJob.accept(given, { archive: 'later' }).doAll('PREPARE');
    const check = atOnce(
      archiveCheckInSteps({
        ...archiveJob(job.record, job.state?.media),
        jobProperties: { ...job.record.jobProperties, ARCHIVE_URL: ARCHIVE },
      }),
    );
    job.tell({ type: 'archiveChecked', run: 1, answer: { kind: 'none' } });
    const [, first] = job.doAll().notices;
    const { dataObject } = first!.body.body as { dataObject: { jobConfigHash: string } };
    expect(check.kind === 'ask' && check.question.jobConfigHash).to.equal(dataObject.jobConfigHash);
  });

  it('stay with the job as they were sent, for a repost', () => {
    const job = LedJob.accept(given).doAll();
    const [, first, second] = job.notices;
    expect(job.last?.change?.keptRows).to.deep.equal([
      { key: 'archive/000000', body: first },
      { key: 'archive/000001', body: second },
    ]);
  });

  it('are not made when an earlier job stands for this one', () => {
    const job = LedJob.accept(given, { archive: MATCH });
    expect(ids(job)).to.deep.equal(['here-7.1.callback']);
    expect([job.state?.archive, job.last?.change?.keptRows]).to.deep.equal([null, []]);
  });

  it('are not made when any medium could not be had, which archiveStatus says', () => {
    const job = LedJob.accept(given);
    job.fail(job.row('PREPARE')).doAll();
    expect(job.status).to.equal('ERROR');
    expect(ids(job)).to.deep.equal(['here-7.1.callback']);
    expect(statusOf(job, 'archive')).to.equal('ERROR: Media download failed.');
  });

  it('are not made if the job was cancelled before inspection, which archiveStatus says', () => {
    const job = LedJob.accept(given);
    job.tell({ type: 'cancel' });
    job.dropAll().doAll();
    expect(ids(job)).to.deep.equal(['here-7.1.callback']);
    expect(statusOf(job, 'archive')).to.equal('ERROR: The job ended before its media were inspected.');
  });

  it('are made of the media that were inspected when the job was cancelled meanwhile', () => {
    const job = LedJob.accept(given);
    job.finish(job.outstanding.find(({ medium }) => medium === 2)!);
    job.tell({ type: 'cancel' });
    job.dropAll().doAll();
    expect(ids(job)).to.deep.equal(['here-7.1.callback', 'here-7.1.archive.2']);
  });
});

describe('What becomes of a notice', () => {
  const given: GivenJob = {
    media: [{ archiveUrl: ARCHIVE }, {}, { archiveUrl: ARCHIVE }],
    callback: { url: CALLER, method: 'GET' },
  };
  const endedJob = () => LedJob.accept(given).doAll();
  const sendNotice = (job: LedJob, name: string) => job.tell({ type: 'noticeSent', id: `here-7.1.${name}` });
  const failNotice = (job: LedJob, name: string, reason: string) =>
    job.tell(noticeFailed(`here-7.1.${name}`, reason));

  it('goes out of the outbox in the commit that takes the news of its arrival', () => {
    const job = endedJob();
    expect(sendNotice(job, 'callback')).to.deep.equal({ kind: 'done' });
    expect([settlementsOf(job), job.notices, job.effects]).to.deep.equal([['here-7.1.callback'], [], []]);
    expect([statusOf(job, 'callback'), statusOf(job, 'archive')]).to.deep.equal(['COMPLETE', 'IN PROGRESS']);
  });

  it('stays in the outbox with its next time when an attempt failed, and the job tells why', () => {
    const job = endedJob();
    const [notice] = job.notices;
    const next = { ...notice!, due: 9_000, body: { ...notice!.body, attempts: 1 } };
    expect(job.tell(noticeFailed(next.id, 'it hung up', next))).to.deep.equal({ kind: 'done' });
    expect([settlementsOf(job), job.notices]).to.deep.equal([[], [next]]);
    expect(job.state?.callback).to.include({ attempts: 1, lastError: 'it hung up', nextAttempt: 9_000 });
    expect(statusOf(job, 'callback')).to.equal('IN PROGRESS');
    sendNotice(job, 'callback');
    expect(job.state?.callback).to.include({ attempts: 1, lastError: 'it hung up', nextAttempt: null });
    expect(statusOf(job, 'callback')).to.equal('COMPLETE');
  });

  it('goes out of the outbox when it is given up, and the job tells why', () => {
    const job = endedJob();
    failNotice(job, 'callback', 'it hung up');
    expect([settlementsOf(job), job.notices]).to.deep.equal([['here-7.1.callback'], []]);
    expect(statusOf(job, 'callback')).to.equal('ERROR: it hung up');
    expect(job.status, 'the status of the job').to.equal('COMPLETE');
  });

  it('is shown as failed after its quick attempts, and as complete when it arrives later', () => {
    const job = endedJob();
    const [callback, archive] = ['callback', 'archive.2'].map((name) =>
      job.notices.find(({ id }) => id.endsWith(name))!,
    );
    for (const notice of [callback!, archive!])
      job.tell({
        ...noticeFailed(notice.id, 'it hung up', { ...notice, due: 9_000 }),
        slow: true,
      } as JobCommand);
    const both = () => [statusOf(job, 'callback'), statusOf(job, 'archive')];
    expect(both()).to.deep.equal(['ERROR: it hung up', 'ERROR: it hung up']);
    sendNotice(job, 'archive.2');
    expect(both(), 'the other post is on its way').to.deep.equal(['ERROR: it hung up', 'IN PROGRESS']);
    sendNotice(job, 'archive.0');
    sendNotice(job, 'callback');
    expect(both()).to.deep.equal(['COMPLETE', 'COMPLETE']);
  });

  it('of several archive posts is told by the others: complete only when all have arrived', () => {
    const job = endedJob();
    sendNotice(job, 'archive.2');
    expect(statusOf(job, 'archive')).to.equal('IN PROGRESS');
    sendNotice(job, 'archive.0');
    expect(statusOf(job, 'archive')).to.equal('COMPLETE');
  });

  it('of several archive posts keeps every reason, apart by an empty line', () => {
    const job = endedJob();
    failNotice(job, 'archive.2', 'no disk');
    expect(statusOf(job, 'archive')).to.equal('IN PROGRESS');
    failNotice(job, 'archive.0', 'no time');
    expect(statusOf(job, 'archive')).to.equal('ERROR: no disk\n\nno time');
  });

  it('keeps the next attempt of another in sight', () => {
    const job = endedJob();
    const notice = job.notices.find(({ id }) => id.endsWith('archive.0'))!;
    job.tell(noticeFailed(notice.id, 'it hung up', { ...notice, due: 9_000 }));
    sendNotice(job, 'archive.2');
    expect(job.state?.archive).to.include({ pending: 1, nextAttempt: 9_000 });
  });

  const REFUSED: readonly (readonly [string, (job: LedJob) => unknown, string])[] = [
    ['a callback that has arrived', (job) => sendNotice(job, 'callback'), 'here-7.1.callback'],
    ['a callback that was given up', (job) => failNotice(job, 'callback', 'no'), 'here-7.1.callback'],
    [
      'a post that has arrived, while another is owed',
      (job) => sendNotice(job, 'archive.2'),
      'here-7.1.archive.2',
    ],
    [
      'a post that was made again by a repost',
      (job) => job.tell({ type: 'archiveReposted', arrived: ['here-7.1.archive.0'], failed: [] }),
      'here-7.1.archive.0',
    ],
    ['a medium that has no archive', () => undefined, 'here-7.1.archive.1'],
    ['a medium that the job does not have', () => undefined, 'here-7.1.archive.99'],
    ['a post without number', () => undefined, 'here-7.1.archive.NaN'],
    ['another run', () => undefined, 'here-7.2.callback'],
    ['another job', () => undefined, 'here-71.1.callback'],
    ['nothing that is known', () => undefined, 'callback'],
    ['an empty id', () => undefined, ''],
  ];
  for (const [what, prepare, id] of REFUSED)
    it(`is refused and changes nothing when the news is of ${what}`, () => {
      const job = endedJob();
      const [notice] = job.notices;
      prepare(job);
      const before = job.state;
      for (const news of [
        { type: 'noticeSent', id } as const,
        noticeFailed(id, 'it hung up'),
        noticeFailed(id, 'it hung up', { ...notice!, id }),
      ])
        expect(job.tell(news)).to.deep.equal({
          kind: 'refused',
          reason: 'NOT_OUTSTANDING',
          status: 'COMPLETE',
        });
      expect(job.state).to.equal(before);
    });

  it('does not concern the job any more once it is resubmitted: notices of the run before go', () => {
    const job = endedJob();
    job.tell({ type: 'resubmit', priority: 4, admitted: true, objectId: 'second' });
    expect(settlementsOf(job)).to.deep.equal([
      'here-7.1.callback',
      'here-7.1.archive.0',
      'here-7.1.archive.2',
    ]);
    expect([job.state?.callback, job.state?.archive]).to.deep.equal([null, null]);
    expect(sendNotice(job, 'callback')).to.include({ kind: 'refused', reason: 'WRONG_STATE' });
    job.doAll();
    expect(ids(job)).to.deep.equal(['here-7.2.callback', 'here-7.2.archive.0', 'here-7.2.archive.2']);
    expect(sendNotice(job, 'callback')).to.include({ kind: 'refused', reason: 'NOT_OUTSTANDING' });
    expect(statusOf(job, 'callback')).to.equal('IN PROGRESS');
  });

  const repostNotices = (
    job: LedJob,
    arrived: readonly string[],
    failed: readonly string[] = [],
    run = 1,
  ) => {
    const idOf = (n: string) => `here-7.${run}.archive.${n}`;
    return job.tell({
      type: 'archiveReposted',
      arrived: arrived.map(idOf),
      failed: failed.map((n) => ({ id: idOf(n), reason: `no time for ${n}` })),
    });
  };

  it('is taken over by a repost: what has arrived so leaves the outbox, the callback stays', () => {
    const job = endedJob();
    failNotice(job, 'archive.2', 'no disk');
    expect(repostNotices(job, ['0', '2'])).to.deep.equal({ kind: 'done' });
    expect(settlementsOf(job)).to.deep.equal(['here-7.1.archive.0', 'here-7.1.archive.2']);
    expect([statusOf(job, 'archive'), statusOf(job, 'callback')]).to.deep.equal(['COMPLETE', 'IN PROGRESS']);
  });

  it('is still owed after a repost that fails: an early repost takes no later attempt away', () => {
    const job = endedJob();
    expect(repostNotices(job, ['0'], ['2'])).to.deep.equal({ kind: 'done' });
    expect(settlementsOf(job)).to.deep.equal(['here-7.1.archive.0']);
    expect(statusOf(job, 'archive')).to.equal('IN PROGRESS');
    expect(sendNotice(job, 'archive.2')).to.deep.equal({ kind: 'done' });
    expect(statusOf(job, 'archive')).to.equal('COMPLETE');
  });

  it('that ended is a failure when a repost of it fails, for the new reason', () => {
    const job = endedJob();
    failNotice(job, 'archive.2', 'no disk');
    sendNotice(job, 'archive.0');
    repostNotices(job, [], ['0', '2']);
    expect(statusOf(job, 'archive')).to.equal('ERROR: no time for 0\n\nno time for 2');
  });

  it('of a second run is not settled by a repost of the first that took its time', () => {
    const job = endedJob();
    job.tell({ type: 'resubmit', priority: 4, admitted: true, objectId: 'second' });
    job.doAll();
    expect(repostNotices(job, ['0', '2'])).to.include({ kind: 'refused', reason: 'NOT_OUTSTANDING' });
    expect(statusOf(job, 'archive')).to.equal('IN PROGRESS');
    expect(repostNotices(job, ['0', '2'], [], 2)).to.deep.equal({ kind: 'done' });
  });

  it('cannot be taken over by a repost when the job has nothing to post', () => {
    const job = LedJob.accept({ callback: { url: CALLER, method: 'GET' } }).doAll();
    expect(repostNotices(job, [])).to.include({ kind: 'refused', reason: 'NOT_OUTSTANDING' });
  });

  it('is small in the snapshot of a job of 10,000 media', () => {
    const one = LedJob.accept({ media: [{ type: 'IMAGE', archiveUrl: ARCHIVE }] }).doAll();
    const times = <T>(value: T) => Array.from({ length: 10_000 }, () => value);
    const record = { ...one.record, media: times(one.record.media[0]!) };
    const state = { ...one.state!, media: List(times(one.state!.media.first()!)) };
    const { archive, notices } = planDeliveries(record, state, one.settings, one.at);
    expect(notices).to.have.lengthOf(10_000);
    expect(JSON.stringify(archive).length, 'bytes').to.be.lessThan(3_000);
    const last = openNotice(record, { run: 1, callback: null, archive }, notices.at(-1)!.id);
    expect(markArrived(last!)).to.include({ pending: 9_999 });
  });
});

describe('callbackStatus and archiveStatus (specification 3.4)', () => {
  const delivery = (more: object) =>
    ({
      pending: 0,
      open: '0',
      slow: '0',
      failures: [],
      attempts: 0,
      lastError: null,
      nextAttempt: null,
      tried: [],
      ...more,
    }) as JobState['callback'];
  const waits = delivery({ pending: 1, open: '1' });
  const partly = delivery({ pending: 1, open: '1', failures: ['no'] });
  const slow = { pending: 1, open: '1', slow: '1', attempts: 6, lastError: 'it hung up', nextAttempt: 9 };
  const TABLE: readonly (readonly [boolean, JobState['status'], JobState['callback'], string])[] = [
    [true, 'COMPLETE', delivery(slow), 'ERROR: it hung up'],
    [true, 'COMPLETE', delivery({ ...slow, failures: ['no'] }), 'ERROR: no\n\nit hung up'],
    [false, 'IN_PROGRESS', null, 'NOT REQUESTED'],
    [false, 'COMPLETE', null, 'NOT REQUESTED'],
    [true, 'INITIALIZED', null, 'JOB RUNNING'],
    [true, 'IN_PROGRESS', null, 'JOB RUNNING'],
    [true, 'IN_PROGRESS_WARNINGS', null, 'JOB RUNNING'],
    [true, 'IN_PROGRESS_ERRORS', null, 'JOB RUNNING'],
    [true, 'CANCELLING', null, 'JOB RUNNING'],
    [true, 'COMPLETE', waits, 'IN PROGRESS'],
    [true, 'CANCELLED_BY_SHUTDOWN', waits, 'IN PROGRESS'],
    [true, 'ERROR', partly, 'IN PROGRESS'],
    [true, 'COMPLETE', delivery({}), 'COMPLETE'],
    [true, 'ERROR', delivery({}), 'COMPLETE'],
    [true, 'CANCELLED', delivery({ failures: ['no'] }), 'ERROR: no'],
    [true, 'COMPLETE_WITH_WARNINGS', delivery({ failures: ['a', 'b'] }), 'ERROR: a\n\nb'],
  ];
  for (const [wanted, status, kept, expected] of TABLE) {
    const what = kept === null ? 'none' : `${kept.pending} on the way, ${kept.failures.length} given up`;
    it(`${wanted ? 'wanted' : 'not wanted'}, job ${status}, ${what}: ${JSON.stringify(expected)}`, () =>
      expect(deliveryStatus(wanted, status, kept)).to.equal(expected));
  }

  it('to a receiver that has been failing for some time: ERROR, with its own reason if any', () => {
    expect(deliveryStatus(true, 'COMPLETE', waits, 'nobody listens')).to.equal('ERROR: nobody listens');
    const tried = delivery({ ...waits, attempts: 1, lastError: 'it hung up' });
    expect(deliveryStatus(true, 'COMPLETE', tried, 'nobody listens')).to.equal('ERROR: it hung up');
    expect(deliveryStatus(true, 'COMPLETE', delivery({}), 'nobody listens')).to.equal('COMPLETE');
    expect(deliveryStatus(true, 'IN_PROGRESS', null, 'nobody listens')).to.equal('JOB RUNNING');
  });
});
