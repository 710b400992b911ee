/** Checks at the end of a simulation: final statuses, results and callbacks of jobs. */
import type { WantedJob } from './clients.ts';
import type { Promises, SeenJob } from './promises.ts';
import { runUndisturbed } from './shapes.ts';

/** A delivered callback. */
export interface Callback {
  /** Key of the request. */
  readonly key: string;
  /** Its Idempotency-Key. */
  readonly id: string;
  readonly status: string;
}

interface Ends {
  readonly seed: number;
  readonly promises: Promises;
}

export function checkEnds(jobs: readonly WantedJob[], callbacks: readonly Callback[], ends: Ends): void {
  for (const job of jobs) {
    const { key, number } = job;
    const seen = ends.promises.jobs.get(String(number));
    if (seen === undefined) ends.promises.breaks('an accepted job is there', `${key} is ${number}`);
    else {
      idOf(job, seen, ends);
      runsOf(job, seen, ends);
      callbacksOf(job, seen, callbacks, ends);
      if (!job.cancelled || !seen.cancelled.has(seen.run)) foundBy(job, seen, ends);
    }
  }
}

function idOf({ key, number }: WantedJob, { record }: SeenJob, { promises }: Ends): void {
  if (record.externalId !== key)
    promises.breaks('ids never collide', `${number} stands for ${key} and for ${record.externalId}`);
}

function runsOf({ key, resubmitted }: WantedJob, { run }: SeenJob, { promises }: Ends): void {
  const { sure, perhaps } = resubmitted;
  if (run < 1 + sure || run > 1 + sure + perhaps)
    promises.breaks(
      'a resubmission makes one run',
      `${key} has ${run} runs after ${sure} resubmissions and ${perhaps} of which nobody knows`,
    );
}

function callbacksOf(
  { key, calls }: WantedJob,
  { record: { jobId }, run, ends }: SeenJob,
  callbacks: readonly Callback[],
  { promises }: Ends,
): void {
  const came = callbacks.filter((one) => one.key === key);
  const says = `${jobId} (${key}) had ${came.map(({ id, status }) => `${id}: ${status}`).join(', ')}`;
  if (calls && !came.some(({ id }) => id === `${jobId}.${run}.callback`))
    promises.breaks('who waits for a job hears of its end', says);
  for (const { id, status } of came) {
    const of = Number(id.slice(jobId.length + 1).split('.')[0]);
    if (id !== `${jobId}.${of}.callback` || ends.get(of) !== status)
      promises.breaks('a callback has one key, and says how its run has ended', says);
  }
}

function foundBy({ key, shape }: WantedJob, seen: SeenJob, { seed, promises }: Ends): void {
  const { run, status, found, cancelled } = seen;
  if (cancelled.has(run)) return promises.breaks('nobody cancels a job but who asks for that', key);
  const expected = runUndisturbed(seed, key, shape);
  if (status !== expected.status)
    promises.breaks('a disturbed job ends as it would have', `${key}: ${status}, not ${expected.status}`);
  if (found.join() !== expected.found.join())
    promises.breaks(
      'a disturbed job finds what it would have',
      `${key}: ${found.join()} instead of ${expected.found.join()}`,
    );
}
