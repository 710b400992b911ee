/**
 * Three servers with one Redis and default settings: the time from the kill of one until others continue its
 * work. KILLS= (50). Alternately kills the server that runs a sub-job, reads a camera, or sends a callback.
 * LOAD_S= (0): seconds of full load afterwards, to see whether a busy server is declared dead.
 */
import { round, type Figure } from '../measure.ts';
import { TakeOverCluster, WORK, type TakenOver, type Work } from './take-over-cluster.ts';

const KILLS = Number(process.env['KILLS'] ?? 50);
const LOAD_S = Number(process.env['LOAD_S'] ?? 0);
const WHAT: Readonly<Record<Work, string>> = {
  job: 'its sub-job is handed out',
  stream: 'its stream is handed out',
  delivery: 'its callback is posted again',
  home: 'a command to its job is carried out',
};

export async function takeOver(): Promise<readonly Figure[]> {
  const cluster = await TakeOverCluster.start();
  const all: TakenOver[] = [];
  for (let kill = 0; kill < KILLS; kill++) all.push(await cluster.kill(kill));
  const jobs = await cluster.work(LOAD_S);
  const { falseAlarms } = cluster;
  await cluster.close();
  const figures = WORK.flatMap((work) =>
    figuresOf(
      work,
      all.flatMap((one) => one.get(work) ?? []),
    ),
  );
  const loaded = `${KILLS} kills and ${LOAD_S} s of full load (${round(jobs)} jobs)`;
  const what = `servers taken for dead that were there, in ${loaded}`;
  return [...figures, { what, value: round(falseAlarms), aim: '0' }];
}

function figuresOf(work: Work, times: readonly number[]): readonly Figure[] {
  if (times.length === 0) return [];
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number) =>
    `${round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]! / 1_000, 2)} s`;
  const name = `from kill -9 of a server until ${WHAT[work]}`;
  return [
    { what: `${name}, p50 of ${times.length}`, value: at(0.5) },
    { what: `${name}, p99`, value: at(0.99), aim: '1 s' },
    { what: `${name}, shortest and longest`, value: `${at(0)}, ${at(1)}` },
  ];
}
