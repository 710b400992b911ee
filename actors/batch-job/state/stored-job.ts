import { z } from 'zod';
import { StoreDamaged, type Store, type StoredActor } from '../../../store/store.ts';
import { ALL_JOBS } from './indexes.ts';
import { BATCH_JOB } from './keys.ts';
import type { JobRecord } from './record.ts';
import { jobSnapshotSchema, type JobSnapshot } from './snapshot.ts';

export interface StoredJob {
  readonly record: JobRecord;
  readonly snapshot: JobSnapshot;
}

/** Cache of parsed jobs. A store that still has an actor in its cache returns the same object, which need not be parsed again. */
const READ = new WeakMap<StoredActor, StoredJob>();

/** Reads a job from the store, without loading its actor. */
export async function storedJob(store: Store, number: number): Promise<StoredJob | undefined> {
  const stored = await store.load({ kind: BATCH_JOB, id: String(number) });
  if (stored === undefined) return undefined;
  const job = READ.get(stored) ?? read(stored);
  READ.set(stored, job);
  return job.snapshot.removed ? undefined : job;
}

function read({ snapshot: { body }, record }: StoredActor): StoredJob {
  const snapshot = jobSnapshotSchema.parse((body as { state: unknown }).state);
  return { record: record as JobRecord, snapshot };
}

/** Reads a job from the store. Returns undefined if this version cannot read it, so that one such job does not break a list. */
export async function readableJob(store: Store, number: number): Promise<StoredJob | undefined> {
  try {
    return await storedJob(store, number);
  } catch (error) {
    // The stored job has no valid snapshot, is no JSON, or is missing. All other errors are errors of the store.
    const unreadable = [z.ZodError, SyntaxError, TypeError, StoreDamaged].some(
      (kind) => error instanceof kind,
    );
    if (unreadable) return undefined;
    throw error;
  }
}

/** Returns the number of the newest job in the store, or 0 if there is none. */
export async function newestJob(store: Store): Promise<number> {
  const [newest] = await store.list(ALL_JOBS, { limit: 1, descending: true });
  return Number(newest?.id ?? 0);
}
