/** Guarantees that are checked in the logs of the servers. */
import { isTerminal, type BatchJobStatus } from '../../../../actors/batch-job/state/status.ts';
import { FAR } from '../chaos-node.ts';
import { numberOf, type ChaosJob, type History, type Violation } from '../chaos-history.ts';

/** Tolerance for delays of the work ledger and of logs of other processes. */
export const SLACK_MS = 2_000;
/** Kinds of sub-jobs that a cancelled job still runs. */
const SURVIVES_CANCEL = new Set(['FINISH', 'DOCUMENT', 'UPLOAD']);

/** The message in the logs of servers under test. */
export const COMMITTED_STREAM = 'committed a stream';

export interface Committed {
  readonly time: number;
  readonly version: number;
  readonly run: number;
  readonly status: BatchJobStatus;
}

export function committedOf({ log }: History, { jobId }: ChaosJob): readonly Committed[] {
  const job = numberOf(jobId);
  const lines = log.filter((line) => line.message === 'committed' && line['job'] === job && 'run' in line);
  return (lines as unknown as readonly Committed[]).toSorted((a, b) => a.version - b.version);
}

/** Each version of a job or stream is committed once. */
export function versionsOf({ log }: History): Violation[] {
  const found: Violation[] = [];
  for (const message of ['committed', COMMITTED_STREAM]) {
    const made = new Set<string>();
    for (const line of log) {
      if (line.message !== message) continue;
      const version = `${String(line['job'])} v${String(line['version'])}`;
      if (made.has(version))
        found.push({ rule: 'no commit but on the last version', says: `${message} twice: ${version}` });
      made.add(version);
    }
  }
  return found;
}

/** Runs follow each other, and each run ends once. */
export function runsOf(history: History, job: ChaosJob): Violation[] {
  const { jobId } = job;
  const commits = committedOf(history, job);
  const found: Violation[] = [];
  const ends = new Map<number, BatchJobStatus>();
  commits.forEach(({ run, status }, n) => {
    const before = commits[n - 1];
    if (before !== undefined && run < before.run)
      found.push({
        rule: 'runs follow each other',
        job: jobId,
        says: `run ${run} of ${jobId} comes after run ${before.run}`,
      });
    const end = ends.get(run);
    if (end !== undefined && end !== status)
      found.push({
        rule: 'a run ends once',
        job: jobId,
        says: `run ${run} of ${jobId} was ${end} and then ${status}`,
      });
    if (isTerminal(status)) ends.set(run, status);
  });
  const resubmits = history.calls.filter(({ what, job: of }) => what === 'resubmit' && of === jobId);
  const sure = resubmits.filter(({ status }) => status === 200).length;
  const perhaps = resubmits.filter(({ status }) => status === 'broken' || status === 503).length;
  const runs = commits.at(-1)?.run ?? 1;
  if (runs < 1 + sure || runs > 1 + sure + perhaps)
    found.push({
      rule: 'a resubmission makes one run',
      job: jobId,
      says: `${jobId} has ${runs} runs after ${sure} resubmissions and ${perhaps} of which nobody knows`,
    });
  return found;
}

/** Attempts are counted only when a component was killed, or was unreachable for as long as a lease lasts. */
export function attemptsOf({ log, faults, leaseMs }: History, { jobId }: ChaosJob): Violation[] {
  const isOf = (line: Readonly<Record<string, unknown>>) => String(line['subJob']).startsWith(`${jobId}.`);
  const handedOut = log.filter((line) => line.message === 'handed out a sub-job' && isOf(line));
  const found: Violation[] = [];
  for (const later of handedOut) {
    const attempt = later['attempt'] as number;
    if (attempt < 2) continue;
    const before = handedOut.filter(
      (line) => line['subJob'] === later['subJob'] && line['attempt'] === attempt - 1,
    );
    const isFar = before.some((line) => String(line['worker']).startsWith(`${FAR}:`));
    const isExcused = faults.some(
      ({ kind, worker, server, at, until }) =>
        // A component on another host that was unreachable for as long as a lease lasts.
        (kind.endsWith('Node') &&
          isFar &&
          before.some((line) => later.time - line.time >= leaseMs && at < later.time && until > line.time)) ||
        (kind === 'killComponent' &&
          before.some((line) => line['worker'] === worker && line.server === server)) ||
        (kind === 'freezeServer' &&
          until - at >= leaseMs &&
          before.some((line) => line.server === server && line.time < until)),
    );
    if (!isExcused)
      found.push({
        rule: 'no attempt is counted for the death of a server or of Redis',
        job: jobId,
        says: `${String(later['subJob'])} was handed out for attempt ${attempt}`,
      });
  }
  return found;
}

export function workAfterCancel(history: History, job: ChaosJob): Violation[] {
  const { jobId } = job;
  const found: Violation[] = [];
  const stood = history.faults.filter(({ kind }) => kind !== 'killComponent');
  for (const { run, time } of committedOf(history, job).filter(({ status }) => status === 'CANCELLING')) {
    const late = history.log.find(
      (line) =>
        line.message === 'handed out a sub-job' &&
        String(line['subJob']).startsWith(`${jobId}.${run}.`) &&
        !SURVIVES_CANCEL.has(String(line['kind'])) &&
        line.time > time + SLACK_MS &&
        // A frozen server may log its claim much later.
        !stood.some(({ at, until }) => at < line.time && until > time - SLACK_MS),
    );
    if (late !== undefined)
      found.push({
        rule: 'a cancelled job hands out no work',
        job: jobId,
        says: `${String(late['subJob'])} was handed out ${late.time - time} ms after the cancel`,
      });
  }
  return found.slice(0, 1);
}

/** The cleanup of a server deletes no files of a current run. */
export function filesOfLiveRuns(history: History): Violation[] {
  const removals = history.log.filter(({ message }) => message === 'removing files of a job that has ended');
  return removals.flatMap(({ folder, time }) => {
    const [, jobId, run] = /([^/]+-\d+)\.(\d+)(?:\.m\d+(?:\.part)?)?$/.exec(String(folder)) ?? [];
    const job = history.jobs.find((one) => one.jobId === jobId);
    if (job === undefined) return [];
    const commits = committedOf(history, job).filter((commit) => commit.run === Number(run));
    const began = commits[0]?.time ?? Infinity;
    const end = commits.find(({ status }) => isTerminal(status));
    const live = commits.findLast(({ status }) => !isTerminal(status));
    // A commit whose response was lost has no log line, so the job may have ended at any time after the
    // previous commit.
    const isEndSeen = end !== undefined && end.version === (live?.version ?? 0) + 1;
    const ended = isEndSeen ? end.time : (live?.time ?? Infinity);
    if (time < began || time >= ended) return [];
    return [
      {
        rule: 'no file of a live run is removed',
        job: job.jobId,
        says: `${String(folder)} was removed while it was used`,
      },
    ];
  });
}

const NEVER = [
  'an actor failed too often',
  'ended a job that failed again and again',
  'could not end a job that fails again and again',
];

export function failedActors({ log }: History): Violation[] {
  return log
    .filter(({ message }) => NEVER.includes(message))
    .map((line) => ({ rule: 'no actor fails for what happens around it', says: JSON.stringify(line) }));
}
