/** The cost of clients that watch jobs: CPU time of the server process while nothing else happens. */
import type { JobRequest } from '../../../actors/job-service/job-request.ts';
import { round, type Figure } from '../measure.ts';
import { emptyJob, startCore, type Core } from '../parts.ts';

const WATCHERS = 200;
const MEDIA = 10_000;
const WINDOW_MS = 5_000;

export async function measureWatching(): Promise<readonly Figure[]> {
  const core = await startCore();
  const jobs = await submit(core, WATCHERS, emptyJob);
  const idle = await share();
  const one = await watchJobs(
    core,
    Array.from({ length: WATCHERS }, () => jobs[0]!),
  );
  const each = await watchJobs(core, jobs);
  const media = Array.from({ length: MEDIA }, () => emptyJob.media[0]!);
  const large = await watchJobs(core, await submit(core, 20, { ...emptyJob, media }));
  await core.close();
  const figure = (what: string, value: number): Figure => ({ what, value: `${round(value, 1)} % of a core` });
  return [
    figure('nobody watches', idle),
    figure(`${WATCHERS} clients watch one job`, one),
    figure(`${WATCHERS} clients watch a job each`, each),
    figure(`20 clients watch a job of ${round(MEDIA)} media each`, large),
  ];
}

async function submit({ jobService }: Core, count: number, request: JobRequest): Promise<readonly number[]> {
  const submissions = await Promise.all(Array.from({ length: count }, () => jobService.submit(request)));
  return submissions.map((submission) => {
    if (submission.kind !== 'accepted') throw new Error(JSON.stringify(submission));
    return Number(/\d+$/.exec(submission.jobId)?.[0]);
  });
}

async function watchJobs({ watch }: Core, jobs: readonly number[]): Promise<number> {
  const leaves = [];
  for (const job of jobs)
    leaves.push(await watch.watch(job, { onChange: () => undefined, onEnd: () => undefined }));
  const used = await share();
  for (const leave of leaves) leave?.();
  return used;
}

/** CPU time in percent of a core, over an interval. */
async function share(): Promise<number> {
  const [cpu, start] = [process.cpuUsage(), performance.now()];
  await new Promise((resolve) => setTimeout(resolve, WINDOW_MS));
  const { user, system } = process.cpuUsage(cpu);
  return ((user + system) / 1_000 / (performance.now() - start)) * 100;
}
