import type { IndexedJob } from '../../store/search.ts';
import type { Store } from '../../store/store.ts';
import { isTerminal } from '../batch-job/state/status.ts';
import { readableJob } from '../batch-job/state/stored-job.ts';
import { storedStream } from '../streaming-job/stored-stream.ts';

/** A job or a streaming job as the index knows it. */
export interface Indexed extends IndexedJob {
  /** Data of a streaming job. Absent for a batch job. */
  readonly stream?: object | null;
}

/** In the index, each segment of a live stream is a run. */
const ALL_RUNS = Number.MAX_SAFE_INTEGER;

/** The run of a job that has ended and is still stored. */
export async function presentRun(store: Store, number: number): Promise<number | undefined> {
  const job = await readableJob(store, number);
  return job !== undefined && isTerminal(job.snapshot.status) ? job.snapshot.run : undefined;
}

/**
 * Returns a test whether a job is still stored and, if it is a batch job, has ended with the indexed run. @param onGone is called for all
 * others with the number of the job and the indexed run
 */
export async function findPresent(
  store: Store,
  indexed: readonly Indexed[],
  onGone: (number: number, run: number) => void,
): Promise<(one: Indexed) => boolean> {
  const isOfStream = ({ stream }: Indexed) => (stream ?? null) !== null;
  const batch = new Map(indexed.filter((one) => !isOfStream(one)).map(({ number, run }) => [number, run]));
  const runs = new Map(
    await Promise.all(
      [...batch.keys()].map(async (number) => [number, await presentRun(store, number)] as const),
    ),
  );
  for (const [number, run] of batch) if (runs.get(number) !== run) onGone(number, run);
  const streams = new Set<number>();
  for (const number of new Set(indexed.filter(isOfStream).map((one) => one.number)))
    if ((await storedStream(store, number)) !== undefined) streams.add(number);
    else onGone(number, ALL_RUNS);
  return (one) => (isOfStream(one) ? streams.has(one.number) : runs.get(one.number) === one.run);
}
