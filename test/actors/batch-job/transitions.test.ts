import type { JobState } from '../../../actors/batch-job/state/state.ts';
import { expect } from 'chai';
import type { JobCommand, WorkDone, WorkFailed } from '../../../actors/batch-job/state/commands.ts';
import type { SubJobRow } from '../../../actors/batch-job/state/state.ts';
import { runPrefix } from '../../../actors/batch-job/state/keys.ts';
import { progressOf, toSnapshot } from '../../../actors/batch-job/state/snapshot.ts';
import { restore } from '../../../actors/batch-job/life-cycle/fold.ts';
import { isTerminal } from '../../../actors/batch-job/state/status.ts';
import { recover } from '../../../actors/batch-job/life-cycle/recovery.ts';
import { JOB_MACHINE } from '../../../actors/batch-job/life-cycle/transitions.ts';
import { targetsOf } from '../../docs/state-diagrams.ts';
import { failedWith, doneWith, LedJob, lose, noticeFailed, type GivenJob } from './jobs.ts';

const effectsOf = (job: LedJob) => job.effects;
const effectTypes = (job: LedJob) => effectsOf(job).map(({ type }) => type);

/**
 * A job of several pieces, put into each state of specification 3.1, with a client that waits for its end.
 */
const TWO_VIDEOS: GivenJob = {
  media: [{}, { archiveUrl: 'http://archive.example' }],
  callback: { url: 'http://caller.example/done', method: 'GET' },
};
const detect = () => LedJob.accept(TWO_VIDEOS).doAll('PREPARE');
const IN_STATE: Readonly<Record<string, () => LedJob>> = {
  INITIALIZED: () => LedJob.accept(TWO_VIDEOS, { admitted: false }),
  IN_PROGRESS: detect,
  IN_PROGRESS_WARNINGS: () => {
    const job = LedJob.accept(TWO_VIDEOS);
    return job.finish(job.row('PREPARE'), { warning: true }).doAll('PREPARE');
  },
  IN_PROGRESS_ERRORS: () => {
    const job = detect();
    return job.fail(job.row('DETECT'));
  },
  CANCELLING: () => {
    const job = detect();
    job.tell({ type: 'cancel' });
    return job;
  },
  COMPLETE: () => detect().doAll(),
  COMPLETE_WITH_WARNINGS: () => IN_STATE['IN_PROGRESS_WARNINGS']!().doAll(),
  CANCELLED: () => IN_STATE['CANCELLING']!().dropAll().doAll(),
  CANCELLED_BY_SHUTDOWN: () => {
    const job = detect();
    job.tell({ type: 'shutdown' });
    return job.dropAll().doAll();
  },
  ERROR: () => IN_STATE['IN_PROGRESS_ERRORS']!().doAll(),
};

/** The command, for an outstanding piece if there is one. */
const COMMANDS: Readonly<Record<JobCommand['type'], (job: LedJob) => JobCommand>> = {
  accept: (job) => ({
    type: 'accept',
    record: job.record,
    admitted: true,
    objectId: 'other',
    archive: 'notAsked',
  }),
  admit: () => ({ type: 'admit' }),
  cancel: () => ({ type: 'cancel' }),
  resubmit: () => ({ type: 'resubmit', priority: 4, admitted: true, objectId: 'other' }),
  retry: (job) => retryOf(job),
  change: () => ({ type: 'change', labels: ['set:night'] }),
  workDone: (job) => doneWith(job.given, job.outstanding[0] ?? past()),
  workFailed: (job) => failedWith(job.outstanding[0] ?? past()),
  workAnswered: (job) => ({
    type: 'workAnswered',
    answers: [doneWith(job.given, job.outstanding[0] ?? past())],
  }),
  adoptDocument: (job) => ({
    type: 'adoptDocument',
    ...{ objectId: job.state?.objectId ?? 'none', status: 'COMPLETE', endedAt: 5, sha256: 'ab' },
  }),
  workLost: (job) => lose(job.outstanding[0] ?? past()),
  workDropped: (job) => ({ type: 'workDropped', keys: [(job.outstanding[0] ?? past()).key] }),
  transfersDue: () => ({ type: 'transfersDue' }),
  resume: () => ({ type: 'resume' }),
  shutdown: () => ({ type: 'shutdown' }),
  archiveChecked: (job) => ({
    type: 'archiveChecked',
    run: job.state?.run ?? 1,
    answer: { kind: 'none' },
  }),
  noticeSent: () => ({ type: 'noticeSent', id: 'here-7.1.callback' }),
  noticeFailed: () => noticeFailed('here-7.1.archive.1', 'it hung up'),
  archiveReposted: () => ({ type: 'archiveReposted', arrived: [], failed: [] }),
  redeliver: (job) => ({ type: 'redeliver', run: job.state?.run ?? 1 }),
  indexed: (job) => ({ type: 'indexed', run: job.state?.run ?? 1 }),
  remove: () => ({ type: 'remove' }),
  forget: () => ({ type: 'forget' }),
};
const retryOf = (job: LedJob): JobCommand => ({
  ...{
    type: 'retry',
    what: 'FAILED_SUB_JOBS',
    ended: job.state?.run ?? 1,
    usable: new Set(),
    lost: new Set(),
  },
  ...{ priority: 4, admitted: true, objectId: 'other' },
  rows: [...job.rows]
    .filter(([key, body]) => (body as SubJobRow).key === key)
    .map(([, body]) => body as SubJobRow),
});
const past = () => LedJob.accept(TWO_VIDEOS).row('PREPARE');

/** Each line: state, command, and the next status or the refusal in lower case. */
const WORK = `
                       accept  admit        cancel      resubmit     workDone         workAnswered     workFailed          workLost         workDropped      resume  shutdown
INITIALIZED            exists  IN_PROGRESS  CANCELLING  wrong_state  wrong_state      wrong_state      wrong_state         wrong_state      wrong_state      =       CANCELLING
IN_PROGRESS            exists  wrong_state  CANCELLING  wrong_state  =                =                IN_PROGRESS_ERRORS  =                not_outstanding  =       CANCELLING
IN_PROGRESS_WARNINGS   exists  wrong_state  CANCELLING  wrong_state  =                =                IN_PROGRESS_ERRORS  =                not_outstanding  =       CANCELLING
IN_PROGRESS_ERRORS     exists  wrong_state  CANCELLING  wrong_state  =                =                =                   =                not_outstanding  =       CANCELLING
CANCELLING             exists  wrong_state  wrong_state wrong_state  =                =                =                   =                =                =       wrong_state
COMPLETE               exists  wrong_state  wrong_state IN_PROGRESS  not_outstanding  not_outstanding  not_outstanding     not_outstanding  not_outstanding  =       wrong_state
COMPLETE_WITH_WARNINGS exists  wrong_state  wrong_state IN_PROGRESS  not_outstanding  not_outstanding  not_outstanding     not_outstanding  not_outstanding  =       wrong_state
CANCELLED              exists  wrong_state  wrong_state IN_PROGRESS  not_outstanding  not_outstanding  not_outstanding     not_outstanding  not_outstanding  =       wrong_state
CANCELLED_BY_SHUTDOWN  exists  wrong_state  wrong_state IN_PROGRESS  not_outstanding  not_outstanding  not_outstanding     not_outstanding  not_outstanding  =       wrong_state
ERROR                  exists  wrong_state  wrong_state IN_PROGRESS  not_outstanding  not_outstanding  not_outstanding     not_outstanding  not_outstanding  =       wrong_state`;

/** The same for the states before and after the work. */
const AROUND = `
                       archiveChecked  noticeSent    noticeFailed  archiveReposted  remove        forget        indexed       retry         transfersDue  redeliver     change   adoptDocument
INITIALIZED            wrong_state   wrong_state   wrong_state   wrong_state   wrong_state   wrong_state   wrong_state   wrong_state   wrong_state   wrong_state   =   wrong_state
IN_PROGRESS            wrong_state   wrong_state   wrong_state   wrong_state   wrong_state   wrong_state   wrong_state   wrong_state   =             wrong_state   =   COMPLETE
IN_PROGRESS_WARNINGS   wrong_state   wrong_state   wrong_state   wrong_state   wrong_state   wrong_state   wrong_state   wrong_state   =             wrong_state   =   COMPLETE
IN_PROGRESS_ERRORS     wrong_state   wrong_state   wrong_state   wrong_state   wrong_state   wrong_state   wrong_state   wrong_state   =             wrong_state   =   COMPLETE
CANCELLING             wrong_state   wrong_state   wrong_state   wrong_state   wrong_state   wrong_state   wrong_state   wrong_state   =             wrong_state   =   COMPLETE
COMPLETE               wrong_state   =             =             =             =             wrong_state   =             nothing_failed  wrong_state   =   =   wrong_state
COMPLETE_WITH_WARNINGS wrong_state   =             =             =             =             wrong_state   =             nothing_failed  wrong_state   =   =   wrong_state
CANCELLED              wrong_state   =             =             =             =             wrong_state   =             nothing_failed  wrong_state   =   =   wrong_state
CANCELLED_BY_SHUTDOWN  wrong_state   =             =             =             =             wrong_state   =             nothing_failed  wrong_state   =   =   wrong_state
ERROR                  wrong_state   =             =             =             =             wrong_state   =             IN_PROGRESS   wrong_state   =   =   wrong_state`;

const cellsOf = (table: string) =>
  table
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/));

describe('Each command to a batch job', () => {
  const tables = [WORK, AROUND].map(cellsOf);
  const all = tables.flatMap(([head, ...lines]) =>
    lines.flatMap(([from, ...cells]) => cells.map((cell, index) => [head![index]!, from!, cell] as const)),
  );
  for (const [command, from, cell] of all) {
    const type = command as JobCommand['type'];
    const refused = cell === cell.toLowerCase() && cell !== '=';
    const name = refused
      ? `is refused: ${type} in ${from} (${cell})`
      : `is carried out: ${type} in ${from} leads to ${cell === '=' ? from : cell}`;
    it(name, () => {
      const job = IN_STATE[from]!();
      expect(job.status, 'the state to begin with').to.equal(from);
      const reply = job.tell(COMMANDS[type](job));
      if (refused) {
        expect(reply).to.deep.equal({ kind: 'refused', reason: cell.toUpperCase(), status: from });
        expect(job.last?.change, 'a refusal changes nothing').to.equal(undefined);
      } else {
        expect(reply).to.deep.equal({ kind: 'done' });
        expect(job.status).to.equal(cell === '=' ? from : cell);
        const life = JOB_MACHINE.statusOf(job.state!);
        expect(targetsOf(JOB_MACHINE.on[type].to, from), 'the declared states').to.include(life);
      }
    });
  }

  it('covers every command of the table', () => {
    expect(tables.flatMap(([head]) => head)).to.have.members(Object.keys(JOB_MACHINE.on));
  });

  for (const type of Object.keys(COMMANDS) as JobCommand['type'][])
    if (type !== 'accept')
      it(`is refused when there is no such job: ${type}`, () => {
        expect(new LedJob().tell(COMMANDS[type](detect()))).to.deep.equal({
          kind: 'refused',
          reason: 'NO_SUCH_JOB',
          status: 'UNKNOWN',
        });
      });
});

describe('A job whose document lies there already', () => {
  const adopt = (job: LedJob, status: 'COMPLETE' | 'ERROR' | 'CANCELLED', objectId = job.state!.objectId) =>
    job.tell({ type: 'adoptDocument', objectId, status, endedAt: 7, sha256: 'ab' });

  for (const status of ['COMPLETE', 'ERROR', 'CANCELLED'] as const)
    it(`ends as the document says (${status}), and nothing is done again`, () => {
      const job = detect();
      expect(adopt(job, status)).to.deep.equal({ kind: 'done' });
      const { stage, hasDocument, documentHash, endedAt, failedMedia, outstanding } = job.state!;
      expect([job.status, stage.name]).to.deep.equal([status, 'ENDED']);
      expect([hasDocument, documentHash, endedAt, failedMedia]).to.deep.equal([true, 'ab', 7, null]);
      expect(outstanding.size).to.equal(0);
      expect(effectTypes(job)).to.include('deliver').and.not.include('offer');
    });

  it('takes no document of another run', () => {
    const job = detect();
    expect(adopt(job, 'COMPLETE', 'other')).to.include({ kind: 'refused' });
    expect(job.status).to.equal('IN_PROGRESS');
  });
});

describe('Answers that come together', () => {
  const IMAGE = { type: 'IMAGE' } as const;
  const GIVEN: GivenJob = { media: [{}, { frames: 25 }, {}, { type: 'AUDIO' }], tasks: [1, 2] };

  /** Runs a whole job with `atOnce` answers per command. */
  function leadJob(atOnce: number, window: number): LedJob {
    const job = LedJob.accept(GIVEN, { window });
    while (job.outstanding.length > 0) {
      const rows = job.outstanding.slice(0, atOnce);
      const answers = rows.map((row) =>
        row.key.includes('000002/t000') ? failedWith(row) : doneWith(GIVEN, row),
      );
      const reply = job.tell(
        atOnce === 1 ? answers[0]! : { type: 'workAnswered', answers: answers as (WorkDone | WorkFailed)[] },
      );
      expect(reply).to.deep.equal({ kind: 'done' });
    }
    return job;
  }

  /** Several answers in one command share one time, so times are not compared. */
  const withoutTimes = ({ startedAt: _, endedAt: __, causes = [], ...state }: JobState) => ({
    ...state,
    causes: causes.map(({ first: ___, last: ____, ...cause }) => cause),
  });

  it('make of a job what they make of it one after the other, whatever the window', () => {
    for (const window of [1, 4, 100]) {
      const one = leadJob(1, window);
      for (const atOnce of [2, 3, 64]) {
        const together = leadJob(atOnce, window);
        const state = withoutTimes(together.state!);
        const expected = withoutTimes(one.state!);
        expect(state.status).to.equal('ERROR');
        expect(state).to.deep.equal(expected);
        expect([...together.rows.keys()]).to.have.members([...one.rows.keys()]);
      }
    }
  });

  it('are stored in one step, with the work that follows from them', () => {
    const job = LedJob.accept({ media: [IMAGE, IMAGE, IMAGE] }).doAll('PREPARE');
    const answers = job.outstanding.map((row) => doneWith(job.given, row));
    job.tell({ type: 'workAnswered', answers });
    const { rows, effects } = job.last!.change!;
    expect(rows.map(({ kind, state }) => [kind, state])).to.deep.equal([
      ['DETECT', 'DONE'],
      ['FINISH', 'QUEUED'],
      ['DETECT', 'DONE'],
      ['FINISH', 'QUEUED'],
      ['DETECT', 'DONE'],
      ['FINISH', 'QUEUED'],
    ]);
    expect(effects.map(({ type }) => type)).to.deep.equal(['offer', 'offer', 'offer']);
  });

  it('are taken but for those that are not outstanding any more', () => {
    const job = LedJob.accept({ media: [IMAGE, IMAGE] }).doAll('PREPARE');
    const [first, second] = job.outstanding.map((row) => doneWith(job.given, row));
    job.tell(first!);
    expect(job.tell({ type: 'workAnswered', answers: [first!, second!] })).to.deep.equal({ kind: 'done' });
    expect(job.outstanding.map(({ kind }) => kind)).to.deep.equal(['FINISH', 'FINISH']);
    expect(job.tell({ type: 'workAnswered', answers: [first!, second!] })).to.include({
      reason: 'NOT_OUTSTANDING',
    });
  });

  it('leave no row behind when the job ends with them', () => {
    const job = LedJob.accept({ media: [{}, {}], buildOutput: false }).doAll('PREPARE', 'DETECT');
    job.tell({ type: 'workAnswered', answers: job.outstanding.map((row) => doneWith(job.given, row)) });
    expect(job.status).to.equal('COMPLETE');
    expect([...job.rows.keys()]).to.deep.equal([]);
    expect(effectTypes(job)).to.deep.equal(['ended', 'removeFiles']);
  });
});

describe('A batch job', () => {
  it('is accepted as IN_PROGRESS, asks at once for the preparation of media, and is synced', () => {
    const job = LedJob.accept({ media: [{}, {}] });
    expect(job.status).to.equal('IN_PROGRESS');
    expect(job.outstanding.map(({ kind, medium }) => [kind, medium])).to.deep.equal([
      ['PREPARE', 0],
      ['PREPARE', 1],
    ]);
    expect(effectTypes(job)).to.deep.equal(['offer']);
    expect(job.last?.change?.synced).to.equal(true);
  });

  it('is accepted as IN_PROGRESS_ERRORS if some media cannot be used, and uses the others', () => {
    const job = LedJob.accept({ media: [{ problem: true }, {}] });
    expect(job.status).to.equal('IN_PROGRESS_ERRORS');
    expect(job.outstanding.map(({ medium }) => medium)).to.deep.equal([1]);
    expect(job.doAll().status).to.equal('ERROR');
  });

  it('that waits for admission does nothing until it is admitted', () => {
    const job = LedJob.accept({}, { admitted: false });
    expect(job.outstanding).to.deep.equal([]);
    expect(effectsOf(job)).to.deep.equal([]);
    job.tell({ type: 'admit' });
    expect(job.outstanding.map(({ kind }) => kind)).to.deep.equal(['PREPARE']);
  });

  describe('of which some media are inspected', () => {
    const FOUR: GivenJob = { media: [{ type: 'IMAGE' }, { problem: true }, { frames: 25 }, {}] };
    const kindsOf = (job: LedJob) => job.outstanding.map(({ kind, medium }) => `${kind} ${medium}`);

    it('looks at these while the others are still inspected, in the order of the media', () => {
      const job = LedJob.accept(FOUR);
      const [first, second, third] = job.outstanding;
      job.finish(third!);
      expect(kindsOf(job), 'nothing before the first').to.deep.equal(['PREPARE 0', 'PREPARE 2']);
      job.finish(first!);
      expect(kindsOf(job)).to.deep.equal(['PREPARE 2', 'DETECT 0']);
      expect(job.state!.stage).to.deep.equal({ name: 'TASK', index: 0 });
      job.finish(second!);
      expect(kindsOf(job)).to.deep.equal(['DETECT 0', 'DETECT 2', 'DETECT 2', 'DETECT 2']);
      expect(job.doAll().status).to.equal('ERROR');
    });

    it('has as many of them inspected at a time as the window allows, and as many pieces looked at', () => {
      const media = Array.from({ length: 9 }, () => ({ frames: 100 }));
      const job = LedJob.accept({ media }, { window: 3 });
      job.finish(job.outstanding[0]!);
      const three = (kind: string, media: readonly number[]) => media.map((medium) => `${kind} ${medium}`);
      expect(kindsOf(job)).to.have.members([...three('PREPARE', [1, 2, 3]), ...three('DETECT', [0, 0, 0])]);
      job.finish(job.row('PREPARE'));
      expect(kindsOf(job)).to.have.members([...three('PREPARE', [2, 3, 4]), ...three('DETECT', [0, 0, 0])]);
    });

    it('tells of progress once all are inspected, when it is known how much there is to do', () => {
      const job = LedJob.accept({ media: [{ type: 'IMAGE' }, { frames: 100 }] });
      job.finish(job.row('PREPARE')).finish(job.row('DETECT'));
      expect(progressOf(job.record, job.state!)).to.equal(0);
      job.finish(job.row('PREPARE'));
      expect(progressOf(job.record, job.state!)).to.be.closeTo(100 / 11, 1e-9);
    });

    it('looks at none before all are inspected when an archive is to be asked about them', () => {
      const job = LedJob.accept({ media: [{}, {}] }, { archive: 'later' });
      job.finish(job.outstanding[0]!);
      expect(kindsOf(job)).to.deep.equal(['PREPARE 1']);
    });

    it('goes on with both after a restart', () => {
      const job = LedJob.accept(FOUR);
      job.finish(job.outstanding[0]!);
      job.state = restore(job.record, toSnapshot(job.record, job.state!), [...job.rows.values()] as never);
      expect(kindsOf(job)).to.have.members(['PREPARE 2', 'PREPARE 3', 'DETECT 0']);
      expect(job.doAll().status).to.equal('ERROR');
      expect(job.state.hasDocument).to.equal(true);
    });

    it('drops both when it is cancelled, and finishes what was found', () => {
      const job = LedJob.accept({ media: [{ type: 'IMAGE' }, {}, {}] }, { window: 1 });
      job.finish(job.row('PREPARE')).finish(job.row('DETECT'));
      expect(kindsOf(job)).to.deep.equal(['PREPARE 1', 'FINISH 0']);
      job.tell({ type: 'cancel' });
      expect(effectsOf(job)).to.have.nested.property('[0].type', 'cancelWork');
      job.dropAll();
      expect(kindsOf(job)).to.deep.equal(['FINISH 0']);
      expect(job.doAll().status).to.equal('CANCELLED');
    });
  });

  it('cuts a video into its segments, all of which are detected before the action is finished', () => {
    const job = LedJob.accept({ media: [{ frames: 25 }] }).doAll('PREPARE');
    expect(job.outstanding.map(({ kind, range }) => [kind, range.start, range.stop])).to.deep.equal([
      ['DETECT', 0, 9],
      ['DETECT', 10, 19],
      ['DETECT', 20, 24],
    ]);
    for (let piece = 0; piece < 3; piece++) {
      expect(job.outstanding.some(({ kind }) => kind === 'FINISH')).to.equal(false);
      job.finish(job.row('DETECT'));
    }
    expect(job.outstanding.map(({ kind }) => kind)).to.deep.equal(['FINISH']);
  });

  it('looks, in a later task, only where the first action of the task before found tracks', () => {
    const job = LedJob.accept(
      { media: [{ frames: 100 }, { frames: 100 }], tasks: [1, 1] },
      { window: 100 },
    ).doAll('PREPARE', 'DETECT');
    const [first, second] = job.outstanding;
    job.finish(first!, {
      found: [
        { start: 3, stop: 5 },
        { start: 40, stop: 55 },
      ],
    });
    job.finish(second!, { found: [] });
    expect(job.state?.stage).to.deep.equal({ name: 'TASK', index: 1 });
    expect(job.outstanding.map(({ medium, range }) => [medium, range.start, range.stop])).to.deep.equal([
      [0, 3, 5],
      [0, 40, 49],
      [0, 50, 55],
    ]);
  });

  it('joins the tracks of the task before over small gaps', () => {
    const properties = { MIN_GAP_BETWEEN_SEGMENTS: '10', TARGET_SEGMENT_LENGTH: '0' };
    const job = LedJob.accept({ media: [{ frames: 100 }], tasks: [1, 1], properties }).doAll(
      'PREPARE',
      'DETECT',
    );
    job.finish(job.row('FINISH'), {
      found: [
        { start: 3, stop: 5 },
        { start: 15, stop: 20 },
        { start: 31, stop: 33 },
      ],
    });
    expect(job.outstanding.map(({ range }) => range)).to.deep.equal([
      { start: 3, stop: 20 },
      { start: 31, stop: 33 },
    ]);
  });

  describe('with a sound', () => {
    const pieces = (seconds: number, declares: readonly string[], length: string) =>
      LedJob.accept({
        media: [{ type: 'AUDIO', seconds }],
        properties: { AUDIO_TARGET_SEGMENT_LENGTH: length },
        declares,
      })
        .doAll('PREPARE')
        .outstanding.map(({ range, time }) => [range, time]);
    const whole = { start: 0, stop: -1 };
    const known = ['AUDIO_TARGET_SEGMENT_LENGTH'];

    it('cuts it for an algorithm that declares so; a rest below half a piece joins the last one', () => {
      expect(pieces(24, known, '10')).to.deep.equal([
        [whole, { start: 0, stop: 9_999 }],
        [whole, { start: 10_000, stop: 23_999 }],
      ]);
    });

    it('says of a piece that failed when it is', () => {
      const job = LedJob.accept({
        media: [{ type: 'AUDIO', seconds: 24 }],
        properties: { AUDIO_TARGET_SEGMENT_LENGTH: '10' },
        declares: known,
      }).doAll('PREPARE');
      job.fail(job.outstanding[1]!);
      const error = job.last?.change?.rows[0]?.error;
      expect(error).to.include({ startTime: 10_000, stopTime: 23_999 });
      expect(error?.range).to.deep.equal(whole);
    });

    it('leaves it whole for others, without the property, if short, or if its length is unknown', () => {
      for (const job of [
        pieces(24, [], '10'),
        pieces(24, known, '0'),
        pieces(14, known, '10'),
        pieces(0, known, '1'),
      ])
        expect(job).to.deep.equal([[whole, undefined]]);
    });
  });

  for (const type of ['VIDEO', 'IMAGE', 'AUDIO', 'UNKNOWN'] as const)
    it(`goes straight to its document when the first task found nothing: ${type}`, () => {
      const job = LedJob.accept({ media: [{ type }], tasks: [1, 1, 2] }).doAll('PREPARE', 'DETECT');
      job.finish(job.row('FINISH'), { found: [] });
      expect(job.outstanding.map(({ kind }) => kind)).to.deep.equal(['DOCUMENT']);
      expect(job.doAll().status).to.equal('COMPLETE');
    });

  it('knows without asking what to finish where detectors found nothing and reported nothing', () => {
    const job = LedJob.accept({ media: [{ frames: 15 }, {}], tasks: [1, 1] }, { window: 100 });
    job.doAll('PREPARE');
    const [first, second] = job.outstanding;
    job.finish(first!, { found: [] });
    expect(job.outstanding.some(({ kind }) => kind === 'FINISH')).to.equal(false);
    job.finish(second!, { found: [] });
    expect(job.last!.change!.rows.map(({ kind, state, work }) => [kind, state, work])).to.deep.equal([
      ['DETECT', 'DONE', null],
      ['FINISH', 'DONE', null],
    ]);
    expect(effectTypes(job)).to.deep.equal([]);
    expect(job.state!.media.get(0)!.processed).to.deep.equal([{ task: 0, file: '', tracks: 0, ranges: [] }]);
    job.doAll('DETECT', 'FINISH');
    expect(job.doAll().status).to.equal('COMPLETE');
  });

  it('finishes an action of which any piece found or reported something', () => {
    for (const answer of [{ tracks: 1 }, { warnings: 1 }]) {
      const job = LedJob.accept({ media: [{ frames: 15 }] }).doAll('PREPARE');
      const [first, second] = job.outstanding.map((row) => doneWith(job.given, row, { found: [] }));
      job.tell({ ...first!, result: { ...first!.result, ...answer } as WorkDone['result'] });
      job.tell(second!);
      expect(job.outstanding.map(({ kind }) => kind)).to.deep.equal(['FINISH']);
    }
  });

  it('asks for the finishing of what was not found where a file or an annotator has a say in it', () => {
    const properties = { FEED_FORWARD_TYPE: 'REGION' };
    const annotated = LedJob.accept({ media: [{}], tasks: [1, 1], annotates: true, properties });
    annotated.doAll('PREPARE');
    while (annotated.state!.stage.name === 'TASK' && annotated.state!.stage.index === 0)
      annotated.finish(annotated.outstanding[0]!);
    const rollUp = { ROLL_UP_FILE: '/roll-up.json' };
    for (const job of [annotated, LedJob.accept({ media: [{}], properties: rollUp })]) {
      job.doAll('PREPARE', 'FEED');
      for (const row of job.outstanding) job.finish(row, { found: [] });
      while (job.outstanding.some(({ kind }) => kind === 'DETECT'))
        job.finish(job.row('DETECT'), { found: [] });
      expect(job.outstanding.map(({ kind }) => kind)).to.deep.equal(['FINISH']);
    }
  });

  it('warns of a threshold that is no number also where nothing was found', () => {
    const job = LedJob.accept({ properties: { QUALITY_SELECTION_THRESHOLD: 'high' } }).doAll('PREPARE');
    while (job.state!.stage.name === 'TASK') job.finish(job.outstanding[0]!, { found: [] });
    expect(job.status).to.equal('IN_PROGRESS_WARNINGS');
    expect(job.doAll().status).to.equal('COMPLETE_WITH_WARNINGS');
  });

  it('finishes what other pieces found when one piece failed, and skips that medium later', () => {
    const job = LedJob.accept({ media: [{}, {}], tasks: [1, 1] }, { window: 100 }).doAll('PREPARE');
    job.fail(job.row('DETECT'));
    expect(job.status).to.equal('IN_PROGRESS_ERRORS');
    job.doAll('DETECT');
    expect(job.outstanding.map(({ kind, medium }) => [kind, medium])).to.deep.equal([
      ['FINISH', 0],
      ['FINISH', 1],
    ]);
    job.doAll('FINISH');
    expect(new Set(job.outstanding.map(({ medium }) => medium))).to.deep.equal(new Set([1]));
    expect(job.doAll().status).to.equal('ERROR');
  });

  it('does not finish an action of which every piece failed', () => {
    const job = LedJob.accept({ media: [{ type: 'IMAGE' }] }).doAll('PREPARE');
    job.fail(job.row('DETECT'));
    expect(job.outstanding.map(({ kind }) => kind)).to.deep.equal(['DOCUMENT']);
  });

  it('ends ERROR, with a document, when no medium could be prepared', () => {
    const job = LedJob.accept({ media: [{}, {}] });
    job.fail(job.row('PREPARE')).fail(job.row('PREPARE'));
    expect(job.outstanding.map(({ kind }) => kind)).to.deep.equal(['DOCUMENT']);
    expect(job.doAll().status).to.equal('ERROR');
    expect(job.state?.hasDocument).to.equal(true);
  });

  it('ends ERROR and names the reason when its document cannot be written', () => {
    const job = LedJob.accept().doAll('PREPARE', 'DETECT', 'FINISH');
    job.fail(job.row('DOCUMENT'));
    expect(job.status).to.equal('ERROR');
    expect(job.state?.hasDocument).to.equal(false);
    expect(job.state?.issues.map(({ message }) => message)).to.deep.equal([
      'Failed to create the output object due to: It did not work.',
    ]);
  });

  it('writes no document when none is wanted', () => {
    const job = LedJob.accept({ buildOutput: false }).doAll('PREPARE', 'DETECT', 'FINISH');
    expect(job.status).to.equal('COMPLETE');
    expect(job.state?.hasDocument).to.equal(false);
  });

  it('tries a lost piece again, and gives it up as DEAD_LETTER at the third loss', () => {
    const job = LedJob.accept().doAll('PREPARE');
    const { key } = job.row('DETECT');
    for (const attempts of [1, 2]) {
      job.lose(job.state!.outstanding.get(key)!);
      expect(job.state?.outstanding.get(key)?.attempts).to.equal(attempts);
      expect(effectsOf(job)).to.deep.equal([{ type: 'offer', rows: [job.state?.outstanding.get(key)] }]);
      expect(job.status).to.equal('IN_PROGRESS');
    }
    job.lose(job.state!.outstanding.get(key)!);
    const row = job.last?.change?.rows.find((candidate) => candidate.key === key);
    expect(row).to.include({ state: 'FAILED', attempts: 3 });
    expect(row?.error).to.include({ code: 'DEAD_LETTER', algorithm: 'ALGORITHM 0.0' });
    expect(job.status).to.equal('IN_PROGRESS_ERRORS');
  });

  it('names frames and times of a piece that failed', () => {
    const job = LedJob.accept({ media: [{ frames: 25 }] }).doAll('PREPARE');
    job.fail(job.outstanding[1]!);
    expect(job.last?.change?.rows[0]?.error).to.include({
      startTime: 1_000,
      stopTime: 1_900,
      code: 'DETECTION_FAILED',
    });
  });

  it('takes no answer of an earlier run', () => {
    const job = LedJob.accept({ media: [{ type: 'IMAGE' }] });
    const early = job.row('PREPARE');
    job.doAll();
    job.tell({ type: 'resubmit', priority: 9, admitted: true, objectId: 'second' });
    expect(job.tell(doneWith(job.given, early))).to.include({ reason: 'NOT_OUTSTANDING' });
    expect(job.row('PREPARE').key).to.not.equal(early.key);
  });

  it('that is resubmitted starts over as the next run; its old files go once that is stored', () => {
    const job = IN_STATE['ERROR']!();
    job.tell({ type: 'resubmit', priority: 9, admitted: true, objectId: 'second' });
    expect(job.state).to.include({
      status: 'IN_PROGRESS',
      run: 2,
      priority: 9,
      objectId: 'second',
      hasDocument: false,
      endedAt: null,
    });
    expect(effectsOf(job)[0]).to.deep.equal({ type: 'removeFiles', run: 1, files: 'ALL' });
    expect(job.last?.change?.synced).to.equal(true);
    expect(job.doAll().status).to.equal('COMPLETE');
  });

  it('that is resubmitted while the server is busy waits for its turn', () => {
    const job = IN_STATE['COMPLETE']!();
    job.tell({ type: 'resubmit', priority: 4, admitted: false, objectId: 'second' });
    expect(job.status).to.equal('INITIALIZED');
    job.tell({ type: 'admit' });
    expect(job.doAll().status).to.equal('COMPLETE');
  });
});

describe('A cancelled batch job', () => {
  it('tells whoever holds its pieces to stop, and makes no new ones', () => {
    const job = LedJob.accept({ media: [{ frames: 100 }] }, { window: 2 }).doAll('PREPARE');
    const held = job.outstanding;
    job.tell({ type: 'cancel' });
    expect(effectsOf(job)).to.deep.equal([{ type: 'cancelWork', rows: held }]);
    job.finish(held[0]!);
    expect(job.outstanding).to.deep.equal([held[1]]);
  });

  it('finishes what was found before, writes its document and ends CANCELLED', () => {
    const job = LedJob.accept({ media: [{ frames: 100 }] }, { window: 2 }).doAll('PREPARE');
    job.finish(job.row('DETECT'));
    job.tell({ type: 'cancel' });
    job.dropAll();
    expect(job.outstanding.map(({ kind }) => kind)).to.deep.equal(['FINISH']);
    job.doAll('FINISH');
    expect(job.outstanding.map(({ kind }) => kind)).to.deep.equal(['DOCUMENT']);
    job.doAll();
    expect(job.state).to.include({ status: 'CANCELLED', hasDocument: true });
  });

  it('ends at once when it waited for admission and no document is wanted', () => {
    const job = LedJob.accept({ buildOutput: false }, { admitted: false });
    job.tell({ type: 'cancel' });
    expect(job.status).to.equal('CANCELLED');
    expect(effectTypes(job)).to.deep.equal(['ended', 'removeFiles']);
  });

  it('ends CANCELLED even when its document cannot be written', () => {
    const job = IN_STATE['CANCELLING']!().dropAll();
    job.fail(job.row('DOCUMENT'));
    expect(job.state).to.include({ status: 'CANCELLED', hasDocument: false });
  });

  it('ends CANCELLED though pieces failed before', () => {
    const job = IN_STATE['IN_PROGRESS_ERRORS']!();
    job.tell({ type: 'cancel' });
    expect(job.dropAll().doAll().status).to.equal('CANCELLED');
  });

  it('keeps an answer that came before the news that its piece was dropped', () => {
    const job = LedJob.accept({ media: [{ frames: 30 }] }).doAll('PREPARE');
    job.tell({ type: 'cancel' });
    const [answered, other] = job.outstanding;
    job.finish(answered!);
    const repeated = job.tell({ type: 'workDropped', keys: [answered!.key] });
    expect(repeated).to.include({ kind: 'refused', reason: 'NOT_OUTSTANDING' });
    expect(job.last?.change?.removed ?? [], 'rows that go').to.not.include(answered!.key);
    job.tell({ type: 'workDropped', keys: [answered!.key, other!.key] });
    expect(job.last?.change?.removed).to.deep.equal([other!.key]);
  });

  it('that has nothing left in anybody’s hands leaves no row behind', () => {
    const job = LedJob.accept({ buildOutput: false });
    job.tell({ type: 'cancel' });
    job.dropAll();
    expect(job.status).to.equal('CANCELLED');
    expect(job.last?.change?.removed).to.include('');
    expect(job.last?.change?.rows).to.deep.equal([]);
  });
});

describe('The end of a batch job', () => {
  for (const status of ['COMPLETE', 'COMPLETE_WITH_WARNINGS', 'CANCELLED', 'CANCELLED_BY_SHUTDOWN'])
    it(`removes every row, frees its place, and only then clears up: ${status}`, () => {
      const job = IN_STATE[status]!();
      expect(job.last?.change?.removed).to.deep.equal(['']);
      expect(job.last?.change?.rows, 'rows written after the removal would stay for ever').to.deep.equal([]);
      expect(effectsOf(job)).to.deep.equal([
        { type: 'ended' },
        { type: 'deliver', destinations: ['http://caller.example', 'http://archive.example'] },
        { type: 'index' },
        { type: 'removeFiles', run: 1, files: 'WORK' },
      ]);
      expect(job.state?.endedAt).to.be.a('number');
      expect(progressOf(job.record, job.state!)).to.equal(100);
    });

  it('keeps all rows and the spool for a retry when something failed', () => {
    const job = IN_STATE['ERROR']!();
    expect(job.last?.change?.removed).to.deep.equal([]);
    expect(job.last?.change?.rows.map(({ kind, state }) => [kind, state])).to.deep.equal([
      ['DOCUMENT', 'DONE'],
    ]);
    expect(effectsOf(job).at(-1)).to.deep.equal({ type: 'removeFiles', run: 1, files: 'MEDIA' });
    expect(job.state).to.include({ retryable: true, status: 'ERROR' });
  });
});

describe('What a loaded batch job stands for', () => {
  it('is the offer of all that is outstanding', () => {
    const job = detect();
    expect(recover(job.state!)).to.deep.equal([{ type: 'offer', rows: job.outstanding }]);
  });

  it('is, while it is cancelled, the stop of what is detected and the offer of what is finished', () => {
    const job = LedJob.accept({ media: [{ frames: 5 }, { frames: 25 }] }, { window: 4 }).doAll('PREPARE');
    job.finish(job.row('DETECT'));
    const finish = job.row('FINISH');
    job.tell({ type: 'cancel' });
    const dropped = job.outstanding.filter(({ kind }) => kind === 'DETECT');
    expect(recover(job.state!)).to.deep.equal([
      { type: 'offer', rows: [finish] },
      { type: 'cancelWork', rows: dropped },
    ]);
  });

  for (const status of Object.keys(IN_STATE).filter(
    (name) => name === 'INITIALIZED' || isTerminal(name as never),
  ))
    it(`is nothing in ${status} but what it owes and the search for a document that it does not have`, () => {
      const { state } = IN_STATE[status]!();
      const isOwing = { ...state!, callback: { ...state!.callback!, pending: 1 } };
      const owesNothing = { ...state!, callback: { ...state!.callback!, pending: 0 }, archive: null };
      const isLive = status === 'INITIALIZED';
      expect(recover(owesNothing)).to.deep.equal(isLive ? [] : [{ type: 'index' }]);
      expect(recover({ ...owesNothing, unindexed: false })).to.deep.equal([]);
      expect(recover({ ...isOwing, unindexed: false })).to.deep.equal(
        isLive ? [] : [{ type: 'deliverPending' }],
      );
    });

  it('is the same whether it is told to resume or loaded afresh', () => {
    const job = detect();
    const rows = job.outstanding.filter(({ key }) => key.startsWith(runPrefix(1)));
    const loaded = restore(job.record, toSnapshot(job.record, job.state!), rows);
    job.tell({ type: 'resume' });
    expect(effectsOf(job)).to.deep.equal(recover(loaded));
    expect(job.last?.change?.silent).to.equal(true);
  });
});
