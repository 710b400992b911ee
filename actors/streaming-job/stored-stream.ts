import type { Store } from '../../store/store.ts';
import { STREAMING_JOB, type StreamingJobRecord, type StreamingJobState } from './state.ts';

export interface StoredStream {
  readonly record: StreamingJobRecord;
  readonly state: StreamingJobState;
}

/** Reads a streaming job from the store, without loading its actor. */
export async function storedStream(store: Store, number: number): Promise<StoredStream | undefined> {
  const stored = await store.load({ kind: STREAMING_JOB, id: String(number) });
  if (stored === undefined) return undefined;
  const { state } = stored.snapshot.body as { readonly state: StreamingJobState };
  return state.removed ? undefined : { record: stored.record as StreamingJobRecord, state };
}
