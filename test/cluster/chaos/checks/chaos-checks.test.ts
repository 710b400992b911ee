/** The checks of a chaos run find histories that break a rule. */
import { expect } from 'chai';
import { violationsOf } from './chaos-checks.ts';
import type { Call, History } from '../chaos-history.ts';

const JOB = { jobId: 'host-7', key: 'k', shape: 'picture', callback: true };
const SEEN = { jobStatus: 'COMPLETE', terminal: true, endDate: 'then' };
const line = (time: number, message: string, facts: object) => ({
  ...{ time, message, level: 'debug', pid: 1, server: 0 },
  ...facts,
});
const commitLine = (time: number, version: number, status: string, run = 1) =>
  line(time, 'committed', { job: '7', version, run, status });
const handedOut = (time: number, attempt: number, kind = 'DETECT') =>
  line(time, 'handed out a sub-job', { subJob: 'host-7.1.0', attempt, kind, worker: 'w#1' });
const call = (at: number, what: Call['what'], more: Partial<Call> = {}): Call => ({
  ...{ at, until: at + 1, client: 0, server: 0, what, job: 'host-7', status: 200 },
  ...more,
});
const callback = (run: number, status: string) => ({
  path: '/k?jobid=host-7',
  key: `host-7.${run}.callback`,
  headers: { 'troupe-job-status': status },
});

const WELL: History = {
  calls: [call(0, 'submit', { status: 201, key: 'k' }), call(50, 'read', { saw: SEEN })],
  jobs: [JOB],
  streams: [],
  registered: [],
  faults: [],
  log: [commitLine(1, 1, 'IN_PROGRESS'), handedOut(2, 1), commitLine(3, 2, 'COMPLETE')],
  callbacks: [callback(1, 'COMPLETE')],
  last: new Map([['host-7', { ...SEEN, callbackStatus: 'COMPLETE', document: { a: 1 }, mediaIds: [1] }]]),
  expected: new Map([['picture', { a: 1 }]]),
  left: [],
  leaseMs: 1_000,
};
const stream = (statuses: readonly string[]) => ({
  ...{ key: 's', jobId: 1, ids: [1] },
  seen: statuses.map((jobStatus, at) => ({
    ...{ at, until: at, jobStatus, terminal: jobStatus === 'CANCELLED', segments: 0 },
  })),
});
const streamCommitLine = (version: number) => line(5, 'committed a stream', { job: '1', version });
const rules = (more: Partial<History>) => violationsOf({ ...WELL, ...more }).map(({ rule }) => rule);
const lastWith = (more: object) => new Map([['host-7', { ...WELL.last.get('host-7')!, ...more }]]);
const killed = { at: 3, until: 3, kind: 'killComponent', server: 0, worker: 'w#1' };

describe('The promises that a run of faults is held against', () => {
  it('are kept by a job that comes to its end and says so', () => {
    expect(rules({})).to.deep.equal([]);
  });

  const BROKEN: readonly (readonly [string, Partial<History>])[] = [
    ['ids never collide', { jobs: [JOB, { ...JOB, key: 'other', callback: false }], calls: [] }],
    ['an accepted job ends', { last: lastWith({ terminal: false, jobStatus: 'IN_PROGRESS' }) }],
    ['no commit but on the last version', { log: [...WELL.log, commitLine(4, 2, 'COMPLETE')] }],
    ['a run ends once', { log: [...WELL.log, commitLine(4, 3, 'ERROR')] }],
    ['runs follow each other', { log: [commitLine(0, 0, 'COMPLETE', 2), ...WELL.log] }],
    ['a resubmission makes one run', { calls: [...WELL.calls, call(9_000, 'resubmit')] }],
    [
      'what has ended does not change',
      { calls: [...WELL.calls, call(99, 'read', { saw: { ...SEEN, endDate: 'later' } })] },
    ],
    ['who waits for a job hears of its end', { callbacks: [] }],
    ['who waits for a job hears of its end', { callbacks: [callback(1, 'ERROR'), callback(1, 'COMPLETE')] }],
    ['one key for each run', { callbacks: [callback(1, 'COMPLETE'), callback(2, 'COMPLETE')] }],
    [
      'no attempt is counted for the death of a server or of Redis',
      { log: [...WELL.log, handedOut(4, 2)], faults: [{ at: 3, until: 5, kind: 'killServer', server: 0 }] },
    ],
    [
      'a cancelled job hands out no work',
      { log: [...WELL.log, commitLine(2, 1, 'CANCELLING'), handedOut(9_000, 1)] },
    ],
    [
      'nobody cancels a job but who asks for that',
      {
        last: lastWith({ jobStatus: 'CANCELLED' }),
        log: [commitLine(3, 2, 'CANCELLED')],
        callbacks: [callback(1, 'CANCELLED')],
      },
    ],
    ['a disturbed job has the document of an undisturbed one', { last: lastWith({ document: { a: 2 } }) }],
    [
      'who cannot be served is told to come again',
      { calls: [...WELL.calls, call(99, 'read', { status: 500 })] },
    ],
    [
      'no actor fails for what happens around it',
      { log: [...WELL.log, line(9, 'an actor failed too often', {})] },
    ],
    ['nothing is left behind', { left: ['spool/host-7.1'] }],
    [
      'no file of a live run is removed',
      { log: [...WELL.log, line(2, 'removing files of a job that has ended', { folder: 'spool/host-7.1' })] },
    ],
    ['a stream ends once', { streams: [stream(['CANCELLED', 'IN_PROGRESS'])] }],
    ['a stream ends once', { streams: [stream(['IN_PROGRESS'])] }],
    ['ids never collide', { streams: [{ ...stream(['CANCELLED']), ids: [1, 2] }] }],
    ['no commit but on the last version', { log: [...WELL.log, streamCommitLine(1), streamCommitLine(1)] }],
    [
      'what is registered is known to all',
      {
        registered: [
          {
            path: '/p',
            shownAt: '/p',
            isThere: true,
            isUnclear: false,
            answers: ['201: '],
            last: [200, 404],
          },
        ],
      },
    ],
  ];
  for (const [rule, more] of BROKEN)
    it(`show when this one is broken: ${rule}`, () => {
      expect(rules(more)).to.include(rule);
    });

  it('excuse the attempt that a component lost that was killed', () => {
    expect(rules({ log: [...WELL.log, handedOut(4, 2)], faults: [killed] })).to.deep.equal([]);
  });

  it('excuse files that go after an end of which nobody heard that it was stored', () => {
    const removed = line(3, 'removing files of a job that has ended', { folder: 'spool/host-7.1' });
    const log = [commitLine(1, 1, 'IN_PROGRESS'), handedOut(2, 1), removed, commitLine(4, 3, 'COMPLETE')];
    expect(rules({ log })).to.deep.equal([]);
  });

  it('excuse a change after the end that somebody has asked for', () => {
    const again = { jobStatus: 'IN_PROGRESS', terminal: false, endDate: null };
    const calls = [...WELL.calls, call(60, 'resubmit'), call(99, 'read', { saw: again })];
    const log = [...WELL.log, commitLine(61, 3, 'IN_PROGRESS', 2), commitLine(99, 4, 'COMPLETE', 2)];
    expect(rules({ calls, log, callbacks: [callback(2, 'COMPLETE')] })).to.deep.equal([]);
  });
});
