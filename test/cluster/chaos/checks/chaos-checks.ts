/** Checks the guarantees of a cluster against the history of a run. */
import { isDeepStrictEqual } from 'node:util';
import { isTerminal } from '../../../../actors/batch-job/state/status.ts';
import type { Call, ChaosJob, History, Violation } from '../chaos-history.ts';
import { endsOfStreams, idsOfStreams, whatIsRegistered } from './chaos-other-checks.ts';
import {
  attemptsOf,
  committedOf,
  failedActors,
  filesOfLiveRuns,
  runsOf,
  SLACK_MS,
  versionsOf,
  workAfterCancel,
} from './chaos-log-checks.ts';

type Check = (history: History) => readonly Violation[];
const ofEachJob =
  (...checks: readonly ((history: History, job: ChaosJob) => readonly Violation[])[]): Check =>
  (history) =>
    history.jobs.flatMap((job) => checks.flatMap((check) => check(history, job)));

/** The guarantees, each with its check. */
export const PROMISES: Readonly<Record<string, Check>> = {
  'an accepted job reaches exactly one terminal state': ofEachJob(endOf, runsOf),
  'a terminal state never changes': ofEachJob(changesAfterEnd),
  'no commit on any version but the last': versionsOf,
  'every terminal job with a callback gets at least one, all of a run with one key': ofEachJob(callbacksOf),
  'ids never collide': idsThatCollide,
  'no attempt is counted for the death of a server': ofEachJob(attemptsOf),
  'the document of a disturbed job equals the undisturbed one but for times and ids': ofEachJob(documentOf),
  'a cancelled job sends nothing to a detector afterwards': ofEachJob(workAfterCancel, cancelledUnasked),
  'no file of a live run is removed': filesOfLiveRuns,
  'no file, work or notice is left after the end': (history) =>
    history.left
      .filter((says) => !isKeptForRetry(history, says))
      .map((says) => ({ rule: 'nothing is left behind', says })),
  'a stream ends once, and as its client wants it': endsOfStreams,
  'what is registered is there on every server, and what was taken away is not': whatIsRegistered,
  'who cannot be served is told to come again': strangeAnswers,
  'no actor fails for what happens around it': failedActors,
};

export const violationsOf = (history: History): readonly Violation[] =>
  Object.values(PROMISES).flatMap((check) => check(history));

const STOPPED = ['CANCELLED', 'CANCELLED_BY_SHUTDOWN'];

/** Results of a failed job are kept for a retry. */
function isKeptForRetry({ last }: History, left: string): boolean {
  const [, jobId] = /^spool\/(.+)\.\d+$/.exec(left) ?? [];
  const status = last.get(jobId ?? '')?.jobStatus;
  return status !== undefined && status !== 'COMPLETE' && !STOPPED.includes(status);
}

function idsThatCollide(history: History): Violation[] {
  const { jobs, calls, last } = history;
  const rule = 'ids never collide';
  const found: Violation[] = [...idsOfStreams(history)];
  const keys = new Map<string, string>();
  for (const { jobId, key } of jobs) {
    const other = keys.get(jobId);
    if (other !== undefined)
      found.push({ rule, job: jobId, says: `${jobId} stands for two requests: ${other} and ${key}` });
    keys.set(jobId, key);
  }
  for (const { key, job } of calls)
    if (key !== undefined && job !== undefined && keys.get(job) !== key)
      found.push({
        rule,
        job,
        says: `the request ${key} was answered with ${job}, which stands for ${keys.get(job)}`,
      });
  const media = new Map<number, string>();
  for (const [jobId, { mediaIds }] of last)
    for (const id of mediaIds) {
      if (media.has(id))
        found.push({ rule, job: jobId, says: `the medium ${id} is of ${jobId} and of ${media.get(id)}` });
      media.set(id, jobId);
    }
  return found;
}

function endOf({ last }: History, { jobId }: ChaosJob): Violation[] {
  const seen = last.get(jobId);
  if (seen?.terminal === true) return [];
  return [
    {
      rule: 'an accepted job ends',
      job: jobId,
      says: `${jobId} is ${seen?.jobStatus ?? 'unknown'} at the end`,
    },
  ];
}

/** After the end of a job, every read shows the same end until a client runs the job again. */
function changesAfterEnd({ calls }: History, { jobId }: ChaosJob): Violation[] {
  const reads = calls.filter(({ what, job, saw }) => what === 'read' && job === jobId && saw !== undefined);
  const resubmits = calls.filter(
    ({ what, job, status }) => what === 'resubmit' && job === jobId && status !== 400,
  );
  const found: Violation[] = [];
  for (const first of reads) {
    if (first.saw?.terminal !== true) continue;
    for (const later of reads) {
      if (later.at < first.until || isDeepStrictEqual(first.saw, later.saw)) continue;
      if (resubmits.some(({ at, until }) => at < later.until && until + SLACK_MS > first.at)) continue;
      const says = `${jobId} was seen as ${JSON.stringify(first.saw)}, and later as ${JSON.stringify(later.saw)}`;
      found.push({ rule: 'what has ended does not change', job: jobId, says });
    }
  }
  return found.slice(0, 1);
}

function callbacksOf(history: History, job: ChaosJob): Violation[] {
  const { jobId, key, callback } = job;
  const rule = 'who waits for a job hears of its end';
  const seen = history.last.get(jobId);
  if (!callback || seen?.terminal !== true) return [];
  const came = history.callbacks.filter(({ path }) => path.startsWith(`/${key}?`));
  const commits = committedOf(history, job);
  const run = commits.at(-1)?.run ?? 1;
  const found: Violation[] = [];
  if (!came.some((one) => one.key === `${jobId}.${run}.callback`))
    found.push({
      rule,
      job: jobId,
      says: `${jobId} has ended (run ${run}), and no callback came of that; it says ${seen.callbackStatus}`,
    });
  for (const one of came) {
    const of = Number(new RegExp(`^${jobId}\\.(\\d+)\\.callback$`).exec(one.key)?.[1]);
    const ends = commits.filter((commit) => commit.run === of && isTerminal(commit.status));
    const says = String(one.headers['troupe-job-status']);
    if (!(of >= 1 && of <= run))
      found.push({
        rule: 'one key for each run',
        job: jobId,
        says: `a callback of ${jobId} has the key ${one.key}`,
      });
    else if (ends.length > 0 && ends.every(({ status }) => status !== says))
      found.push({
        rule,
        job: jobId,
        says: `the callback of run ${of} of ${jobId} says ${says}, and it ended ${ends[0]!.status}`,
      });
  }
  return found;
}

function cancelledUnasked({ last, calls }: History, { jobId }: ChaosJob): Violation[] {
  const isCancelled = STOPPED.includes(last.get(jobId)?.jobStatus ?? '');
  const isAsked = calls.some(({ what, job, status }) => what === 'cancel' && job === jobId && status !== 400);
  if (!isCancelled || isAsked) return [];
  return [{ rule: 'nobody cancels a job but who asks for that', job: jobId, says: `${jobId} is cancelled` }];
}

function documentOf({ last, expected, faults }: History, { jobId, shape }: ChaosJob): Violation[] {
  const seen = last.get(jobId);
  if (seen?.terminal !== true || STOPPED.includes(seen.jobStatus)) return [];
  // When the disk is full, writes fail and the job reports it.
  if (seen.jobStatus !== 'COMPLETE' && faults.some(({ kind }) => kind === 'fillFolder')) return [];
  const rule = 'a disturbed job has the document of an undisturbed one';
  if (seen.jobStatus !== 'COMPLETE')
    return [
      {
        rule,
        job: jobId,
        says: `${jobId} ended ${seen.jobStatus}: ${JSON.stringify(seen.document)?.slice(0, 600)}`,
      },
    ];
  if (isDeepStrictEqual(seen.document, expected.get(shape))) return [];
  return [
    {
      rule,
      job: jobId,
      says: `${jobId} (${shape}): ${JSON.stringify(seen.document)} instead of ${JSON.stringify(expected.get(shape))}`,
    },
  ];
}

const EXPECTED: Readonly<Record<Call['what'], readonly (number | 'broken')[]>> = {
  submit: [201, 503, 'broken'],
  cancel: [200, 400, 503, 'broken'],
  resubmit: [200, 400, 503, 'broken'],
  read: [200, 503, 'broken'],
};

function strangeAnswers({ calls }: History): Violation[] {
  const strange = calls.filter(({ what, status }) => !EXPECTED[what].includes(status));
  return strange.map(({ job, ...call }) => ({
    rule: 'who cannot be served is told to come again',
    says: `${call.what} was answered ${call.status}: ${call.text ?? ''}`,
    ...(job === undefined ? {} : { job }),
  }));
}
