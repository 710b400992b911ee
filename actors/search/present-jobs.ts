import type { IndexedJob } from '../../store/search.ts';
import type { Store } from '../../store/store.ts';
import { isTerminal } from '../batch-job/state/status.ts';
import { readableJob } from '../batch-job/state/stored-job.ts';
import { storedStream } from '../streaming-job/stored-stream.ts';

/** What an index has of a job, or of a streaming job. */
export interface Indexed extends IndexedJob {
  /** Of a streaming job; absent: a batch job. */
  readonly stream?: object | null;
}

/** Of a live stream each segment is a run. */
const ALL_RUNS = Number.MAX_SAFE_INTEGER;

/** The run of a job that has ended and is still stored. */
export async function presentRun(store: Store, number: number): Promise<number | undefined> {
  const job = await readableJob(store, number);
  return job !== undefined && isTerminal(job.snapshot.status) ? job.snapshot.run : undefined;
}

/**
 * Tells what of these is still stored, and has ended with this run if it is a batch job. @param onGone is told of all else: the number of
 * the job and the run that the index has of it
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
