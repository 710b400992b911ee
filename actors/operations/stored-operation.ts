import type { Store } from '../../store/store.ts';
import { OPERATION, operationSchema, type OperationRecord, type OperationState } from './state.ts';

export interface StoredOperation {
  readonly record: OperationRecord;
  readonly state: OperationState;
}

/** Reads an operation from the store, without loading its actor. */
export async function storedOperation(store: Store, number: number): Promise<StoredOperation | undefined> {
  const stored = await store.load({ kind: OPERATION, id: String(number) });
  if (stored === undefined) return undefined;
  const { state } = stored.snapshot.body as { readonly state: unknown };
  return { record: stored.record as OperationRecord, state: operationSchema.parse(state) };
}
