/** An operation on many jobs, compared with a plain loop that changes them one by one with the same call. */
import { storeJob } from '../../actors/views/ended-jobs.ts';
import { until } from '../../support/until.ts';
import { measureTime, round, runInterleaved, type Figure } from '../measure.ts';
import { startCore, type Core } from '../parts.ts';

const JOBS = 10_000;
const ROUNDS = 3;

export async function bulkOperations(): Promise<readonly Figure[]> {
  const core = await startCore();
  const numbers = Array.from({ length: JOBS }, (_, n) => n + 1);
  for (const number of numbers) await storeJob(core.store, { number });
  await core.store.next('job', JOBS);
  let label = 0;
  const times = await runInterleaved(ROUNDS, {
    loop: () => measureTime(() => labelEach(core, numbers, `loop-${label++}`)),
    operation: () => measureTime(() => labelAll(core, `operation-${label++}`)),
  });
  await core.close();
  return [
    { what: `label ${round(JOBS)} jobs, one after the other`, value: `${round(times.loop)} ms` },
    {
      what: `label ${round(JOBS)} jobs by an operation with a filter`,
      value: `${round(times.operation)} ms, ratio ${round(times.operation / times.loop, 2)}`,
      aim: '<= 1.20',
    },
  ];
}

async function labelEach({ jobService }: Core, numbers: readonly number[], name: string): Promise<void> {
  for (const number of numbers) await jobService.change(number, { labels: [name] });
}

async function labelAll({ operations: { service, views } }: Core, name: string): Promise<void> {
  const number = await service.start({
    action: { type: 'label', add: [name], remove: [] },
    dryRun: false,
    startedBy: { name: 'bench', isAdmin: true },
    filter: { ...NO_FILTER, statuses: ['COMPLETE'] },
  });
  if (number === 'full') throw new Error('There are too many operations.');
  const end = await until(
    'the operation ends',
    () => views.single(number),
    (now) => now?.terminal === true,
    { withinMs: 600_000, everyMs: 5 },
  );
  if (end?.done !== JOBS) throw new Error(`${end?.done} of ${JOBS} jobs were labelled.`);
}

const NO_FILTER = {
  statuses: undefined,
  pipelineName: undefined,
  externalId: undefined,
  labels: undefined,
  medium: undefined,
  terminal: undefined,
  failure: undefined,
  started: undefined,
  ended: undefined,
} as const;
