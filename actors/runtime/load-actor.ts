/**
 * Reads a durable actor from the store, completely or only the changes of other servers. A state that cannot be read moves to
 * quarantine.
 */
import {
  isStill,
  rowsOfCommit,
  StoreDamaged,
  type ActorKey,
  type Changed,
  type Committed,
  type Row,
  type Store,
  type StoredActor,
} from '../../store/store.ts';
import { NOTHING, type DurableKind, type Loaded, type Seen } from './durable-kind.ts';
import { TransientError } from '../basics/errors.ts';
import type { LoadMarks } from './load-marks.ts';
import type { ActorTypes } from './machine.ts';
import { inTurns, type Steps } from './steps.ts';

/** The stored snapshot was written by a newer version of Troupe. Other servers can read it, or this one after its upgrade. */
export class NewerSchema extends TransientError {}

/** Content of a snapshot: the state, and the recent commands with their replies. */
interface StoredBody {
  readonly state: unknown;
  readonly seen?: readonly unknown[];
}

/** @throws TransientError if the store cannot be read now, Error if the actor was moved to quarantine */
export async function load<R, T extends ActorTypes>(
  kind: DurableKind<R, T>,
  store: Store,
  actor: ActorKey,
  marks: LoadMarks | undefined,
): Promise<Loaded<R, T>> {
  return (await changedSince(kind, store, actor, undefined, marks))!;
}

/** Loads an actor if it has changed since `seen`. Returns undefined if it has not. */
export async function changedSince<R, T extends ActorTypes>(
  kind: DurableKind<R, T>,
  store: Store,
  actor: ActorKey,
  seen: Committed | undefined,
  marks: LoadMarks | undefined,
): Promise<Loaded<R, T> | undefined> {
  for (;;) {
    let stored: StoredActor | undefined;
    try {
      stored = await read(() => store.load(actor));
      if (seen !== undefined && isStill(seen, stored)) return undefined;
      if (stored === undefined) return NOTHING;
      const loaded = await loadedAs(kind, store, actor, stored, marks);
      if (loaded !== undefined) return loaded;
    } catch (error) {
      if (error instanceof NewerSchema || error instanceof TransientError) throw error;
      await putAside(kind, store, actor, stored, error);
    }
  }
}

/** Applies the changes of other servers. Returns undefined if the actor must be read completely. */
export function followedBy<R, T extends ActorTypes>(
  kind: DurableKind<R, T>,
  { record, state }: Loaded<R, T>,
  { version, commit, snapshot, rows }: Changed,
): Loaded<R, T> | undefined {
  if (record === undefined || state === undefined || snapshot.schema > kind.schema) return undefined;
  try {
    const { state: body, seen = [] } = snapshot.body as StoredBody;
    const prefix = kind.rowsOf(body);
    const ownRows = prefix === undefined ? [] : rows.filter(({ key }) => key.startsWith(prefix));
    const followed = kind.follow?.(record, state, body, ownRows);
    return followed && { version, commit, record, state: followed, seen: seen as readonly Seen<T>[] };
  } catch {
    // Invalid changes make the actor load completely. If that fails, it moves to quarantine.
    return undefined;
  }
}

/** Returns undefined if another server has committed meanwhile. @throws Error if the stored data is invalid */
async function loadedAs<R, T extends ActorTypes>(
  kind: DurableKind<R, T>,
  store: Store,
  actor: ActorKey,
  { version, commit, snapshot, record: stored }: StoredActor,
  marks: LoadMarks | undefined,
): Promise<Loaded<R, T> | undefined> {
  if (snapshot.schema > kind.schema)
    throw new NewerSchema(
      `A ${kind.kind} was stored by a newer version of Troupe (schema ${snapshot.schema}, this version knows ${kind.schema}).`,
    );
  const { state: body, seen = [] } = snapshot.body as StoredBody;
  const prefix = kind.rowsOf(body);
  const rows =
    prefix === undefined ? [] : await read(() => rowsOfCommit(store, actor, prefix, { version, commit }));
  if (rows === undefined) return undefined;
  const record = stored as R;
  const state = await restoreState(kind, actor, { record, body, rows }, marks);
  return { version, commit, record, state, seen: seen as readonly Seen<T>[] };
}

/** Moves an actor to quarantine, unless it has changed since it was read. @throws Error if it was moved */
async function putAside<R, T extends ActorTypes>(
  kind: DurableKind<R, T>,
  store: Store,
  actor: ActorKey,
  stored: StoredActor | undefined,
  error: unknown,
): Promise<void> {
  const reason = error instanceof Error ? error.message : String(error);
  const body = (stored?.snapshot.body as { readonly state?: unknown } | null | undefined)?.state;
  const counters = kind.countersWithout?.(stored?.record, body);
  const moved = await read(() =>
    store.quarantine(actor, reason, {
      ...(stored === undefined ? {} : { seen: stored }),
      ...(counters === undefined ? {} : { counters }),
    }),
  );
  if (!moved && stored !== undefined) return;
  throw new Error(`${actor.kind}/${actor.id} could not be read and was put into quarantine.`, {
    cause: error,
  });
}

/** Restores a state and marks each time slice on disk, to detect a state that ends the server. */
async function restoreState<R, T extends ActorTypes>(
  kind: DurableKind<R, T>,
  { kind: name, id }: ActorKey,
  { record, body, rows }: { readonly record: R; readonly body: unknown; readonly rows: readonly Row[] },
  marks: LoadMarks | undefined,
): Promise<T['state']> {
  const runNoted = <T>(work: () => T): T =>
    marks === undefined ? work() : marks.runDuring(`${name}/${id}`, work);
  try {
    const found = runNoted(() => kind.restore(record, body, rows));
    return isSteps(found) ? await inTurns(found, runNoted) : found;
  } finally {
    marks?.over(`${name}/${id}`);
  }
}

const isSteps = <S>(found: S | Steps<S>): found is Steps<S> =>
  typeof found === 'object' && found !== null && Symbol.iterator in found && 'next' in found;

/** Reads from the store. A failed read is transient, and no reason for quarantine; invalid JSON or damaged data is. */
export async function read<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof StoreDamaged) throw error;
    throw new TransientError('The state could not be read.', { cause: error });
  }
}
