import { createHash } from 'node:crypto';
import {
  changesSince,
  following,
  isStill,
  newCommitId,
  NotStorable,
  rowsOfCommit,
  StoreDamaged,
  VersionConflict,
  type ActorKey,
  type Changed,
  type Commit,
  type Committed,
  type Owner,
  type Row,
  type Store,
  type StoredActor,
} from '../../store/store.ts';
import { delay, systemClock, type Clock } from './clock.ts';
import { TransientError } from './errors.ts';
import type { LoadMarks } from './load-marks.ts';
import type { ActorTypes, Decision, Reply } from './machine.ts';
import { inTurns, type Steps } from './steps.ts';
import type { Behavior, Envelope } from './system.ts';

/**
 * A durable actor: a pure decision between a load and one atomic commit. The reply leaves only after the commit; effects
 * are performed after it and derived again at load, so there is no log of them.
 */
export interface DurableKind<R, T extends ActorTypes> {
  readonly kind: string;
  /** Number of the snapshot schema this code writes. */
  readonly schema: number;
  /** `upcasters[n]` turns a body of schema n into one of n + 1. */
  readonly upcasters: Readonly<Record<number, (body: unknown) => unknown>>;
  /** Throws when the stored parts make no sense: the actor is then put into quarantine. */
  restore(record: R, body: unknown, rows: readonly Row[]): T['state'] | Steps<T['state']>;
  /** Rows that `restore` wants to see; undefined: none. */
  rowsOf(body: unknown): string | undefined;
  /** What an actor that cannot be restored was counted as, to be taken off again; it makes what it can of anything. */
  uncounted?(record: unknown, body: unknown): Commit['counters'];
  /**
   * A state goes on with what other servers have committed since: its new body, and the rows that they have written. Only where no effect
   * follows from their commits but what the store has done with them. Undefined: it is restored from all that is stored.
   */
  follow?(record: R, state: T['state'], body: unknown, rows: readonly Row[]): T['state'] | undefined;
  snapshot(record: R, state: T['state']): unknown;
  /** Long work that the next decision will need, done in turns with that of others; `decide` does what is left of it. */
  ahead?(record: R, state: T['state']): Steps<void> | undefined;
  /** The first decision that changes something brings the record, unless `newRecord` makes it. */
  decide(record: R | undefined, state: T['state'] | undefined, envelope: Envelope<T['command']>): Decision<T>;
  newRecord?(at: number): R;
  /** Parts of the record that many actors of the kind have in common. */
  readonly common?: readonly string[];
  /** Effects that the loaded state stands for. */
  recover(state: T['state']): readonly T['effect'][];
  perform(record: R, state: T['state'], effects: readonly T['effect'][]): Promise<void>;
  /** How an actor in this state stands, in a word, for people. */
  status?(state: T['state']): string;
}

interface Loaded<R, T extends ActorTypes> {
  readonly version: number;
  /** Of the commit that wrote it; '' when there is none. */
  readonly commit: string;
  readonly record: R | undefined;
  readonly state: T['state'] | undefined;
  readonly seen: readonly Seen<T>[];
}
interface Seen<T extends ActorTypes> {
  readonly id: string;
  readonly reply: Reply<T>;
}

/** Replies that are kept to answer a redelivered command as the first time. */
const SEEN = 32;

const NOTHING = { version: 0, commit: '', record: undefined, state: undefined, seen: [] } as const;

/** For so long a command that others come before is decided again. */
const CONFLICTS_MS = 10_000;
const FIRST_PAUSE_MS = 3;
const LONGEST_PAUSE_MS = 250;

export async function loadDurable<R, T extends ActorTypes>(
  kind: DurableKind<R, T>,
  store: Store,
  owner: Owner,
  id: string,
  marks?: LoadMarks,
  clock: Clock = systemClock,
): Promise<Behavior<T['command'], Reply<T>>> {
  const actor: ActorKey = { kind: kind.kind, id };
  let current: Loaded<R, T>;
  const perform = async (effects: readonly T['effect'][]) => {
    if (effects.length > 0 && current.record !== undefined && current.state !== undefined)
      await kind.perform(current.record, current.state, effects);
  };
  const begin = async (loaded: Loaded<R, T>) => {
    current = loaded;
    if (current.state !== undefined) await perform(kind.recover(current.state));
  };
  const reload = async () => begin(await load(kind, store, actor, marks));
  await reload();
  /** Takes in what others have committed; false: there was nothing. */
  const catchUp = async () => {
    if (kind.follow === undefined) {
      const changed = await changedSince(kind, store, actor, current, marks);
      if (changed !== undefined) await begin(changed);
      return changed !== undefined;
    }
    const since = await read(() => changesSince(store, actor, current));
    if (since === 'nothing') return false;
    const followed = since === 'unknown' ? undefined : followedBy(kind, current, since);
    if (followed === undefined) await reload();
    else current = followed;
    return true;
  };

  return {
    get status() {
      return current.state === undefined ? undefined : kind.status?.(current.state);
    },
    async handle(envelope) {
      let again: ReturnType<typeof inBetween> | undefined;
      /** Effects of a decision whose commit was refused. */
      let refused: readonly T['effect'][] = [];
      let isFresh = !store.shared;
      const refresh = async () => {
        isFresh = true;
        return catchUp();
      };
      for (;;) {
        const seen = current.seen.find((earlier) => earlier.id === envelope.id);
        if (seen !== undefined) {
          if (!isFresh && (await refresh())) continue;
          // After a refusal this is our own commit, of which the store did not tell us: what follows from it is still to be done.
          await perform(refused);
          return seen.reply;
        }
        const steps = stepsAhead(kind, current);
        if (steps !== undefined) await inTurns(steps);
        const decision = decided(kind, current, envelope);
        const isChange = 'reply' in decision && (decision.state !== undefined || decision.gone === true);
        // A commit is refused when another server has changed the actor, or the store has lost what came last; all else has to be looked at.
        if (!isFresh && !isChange && (await refresh())) continue;
        if (!('reply' in decision)) throw decision.error;
        const { reply, effects = [] } = decision;
        try {
          if (isChange) current = await commit(kind, store, owner, actor, current, envelope, decision);
        } catch (error) {
          if (!(error instanceof VersionConflict)) throw error;
          // Somebody else took a decision in between: look at the new state and decide again.
          refused = isFresh ? effects : [];
          isFresh = true;
          again ??= inBetween(clock, `${owner.server} ${id}`, kind.follow === undefined ? 0 : FIRST_PAUSE_MS);
          await again(error, current.version);
          await catchUp();
          continue;
        }
        if (effects.length > 0) await perform(effects);
        return reply;
      }
    },
  };
}

/** What is known may be outdated, so that nothing makes sense of it. */
function decided<R, T extends ActorTypes>(
  kind: DurableKind<R, T>,
  { record, state }: Loaded<R, T>,
  envelope: Envelope<T['command']>,
): Decision<T> | { readonly error: unknown } {
  try {
    return kind.decide(record, state, envelope);
  } catch (error) {
    return { error };
  }
}

/**
 * A pause before the next try: meanwhile the others take several commands, which are then looked at in one go. From the second time on
 * servers pause for different times, so that those who are in each other's way part.
 * @param firstMs 0: the first time at once, as most often there is nobody any more @throws TransientError after too long
 */
function inBetween(
  clock: Clock,
  who: string,
  firstMs: number,
): (conflict: VersionConflict, version: number) => Promise<void> {
  const until = clock.steady() + CONFLICTS_MS;
  let longest = 0;
  return async (conflict, version) => {
    if (clock.steady() >= until)
      throw new TransientError('Others changed the state again and again.', { cause: conflict });
    const pause = longest === 0 ? firstMs : shareOf(`${who} ${version} ${longest}`) * longest;
    if (pause > 0) await delay(clock, pause);
    longest = Math.min(LONGEST_PAUSE_MS, Math.max(FIRST_PAUSE_MS, 2 * longest));
  };
}

/** A number from 0 to 1 that is any for anybody else, and always the same for the same text. */
const shareOf = (text: string): number => createHash('sha256').update(text).digest().readUInt32BE() / 2 ** 32;

const stepsAhead = <R, T extends ActorTypes>(
  kind: DurableKind<R, T>,
  { record, state }: Loaded<R, T>,
): Steps<void> | undefined =>
  record === undefined || state === undefined ? undefined : kind.ahead?.(record, state);

async function commit<R, T extends ActorTypes>(
  kind: DurableKind<R, T>,
  store: Store,
  owner: Owner,
  actor: ActorKey,
  current: Loaded<R, T>,
  { id, at }: Envelope<T['command']>,
  { reply, state, effects: _, record: created, gone, ...rest }: Decision<T>,
): Promise<Loaded<R, T>> {
  if (gone === true) {
    await stored(store, { ...rest, ...following(current), actor, owner, snapshot: null });
    return NOTHING;
  }
  const made =
    current.record === undefined ? ((created ?? kind.newRecord?.(at)) as R | undefined) : undefined;
  const record = current.record ?? made;
  if (record === undefined)
    throw new Error(`${actor.kind}/${actor.id} has no record: its first change must bring one.`);
  const seen = [...current.seen.slice(1 - SEEN), { id, reply }];
  const commitId = newCommitId();
  const version = await stored(store, {
    actor,
    ...following(current),
    id: commitId,
    owner,
    snapshot: { schema: kind.schema, body: { state: kind.snapshot(record, state), seen } },
    ...rest,
    ...(made === undefined ? {} : { record: made, common: kind.common ?? [] }),
  });
  return { version, commit: commitId, record, state, seen };
}

/** A store that cannot write is no fault of the actor. */
async function stored(store: Store, commit: Commit): Promise<number> {
  try {
    return await store.commit(commit);
  } catch (error) {
    const isOwn = [VersionConflict, NotStorable, StoreDamaged].some((kind) => error instanceof kind);
    if (isOwn) throw error;
    throw new TransientError('The state could not be stored.', { cause: error });
  }
}

async function load<R, T extends ActorTypes>(
  kind: DurableKind<R, T>,
  store: Store,
  actor: ActorKey,
  marks: LoadMarks | undefined,
): Promise<Loaded<R, T>> {
  return (await changedSince(kind, store, actor, undefined, marks))!;
}

/** An actor as it is stored; undefined: it is as it was seen. */
async function changedSince<R, T extends ActorTypes>(
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

/** Undefined: what is stored has to be read as a whole. */
function followedBy<R, T extends ActorTypes>(
  kind: DurableKind<R, T>,
  { record, state }: Loaded<R, T>,
  { version, commit, snapshot, rows }: Changed,
): Loaded<R, T> | undefined {
  if (record === undefined || state === undefined || snapshot.schema !== kind.schema) return undefined;
  try {
    const { state: body, seen } = upcast(kind, snapshot.schema, snapshot.body);
    const prefix = kind.rowsOf(body);
    const ownRows = prefix === undefined ? [] : rows.filter(({ key }) => key.startsWith(prefix));
    const followed = kind.follow?.(record, state, body, ownRows);
    return followed && { version, commit, record, state: followed, seen: seen as readonly Seen<T>[] };
  } catch {
    // What makes no sense here is looked at as a whole, and put aside if it makes none then.
    return undefined;
  }
}

/** Undefined when somebody has committed meanwhile. @throws when what is stored makes no sense */
async function loadedAs<R, T extends ActorTypes>(
  kind: DurableKind<R, T>,
  store: Store,
  actor: ActorKey,
  { version, commit, snapshot, record: stored }: StoredActor,
  marks: LoadMarks | undefined,
): Promise<Loaded<R, T> | undefined> {
  const { state: body, seen } = upcast(kind, snapshot.schema, snapshot.body);
  const prefix = kind.rowsOf(body);
  const rows =
    prefix === undefined ? [] : await read(() => rowsOfCommit(store, actor, prefix, { version, commit }));
  if (rows === undefined) return undefined;
  const record = stored as R;
  const state = await restored(kind, actor, { record, body, rows }, marks);
  return { version, commit, record, state, seen: seen as readonly Seen<T>[] };
}

/** @throws Error when the actor is in quarantine now, and not when somebody else has changed it since it was looked at */
async function putAside<R, T extends ActorTypes>(
  kind: DurableKind<R, T>,
  store: Store,
  actor: ActorKey,
  stored: StoredActor | undefined,
  error: unknown,
): Promise<void> {
  const reason = error instanceof Error ? error.message : String(error);
  const body = (stored?.snapshot.body as { readonly state?: unknown } | null | undefined)?.state;
  const counters = kind.uncounted?.(stored?.record, body);
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

/** What one turn of the restoring does is noted, so that a state that ends the server is found out. */
async function restored<R, T extends ActorTypes>(
  kind: DurableKind<R, T>,
  { kind: name, id }: ActorKey,
  { record, body, rows }: { readonly record: R; readonly body: unknown; readonly rows: readonly Row[] },
  marks: LoadMarks | undefined,
): Promise<T['state']> {
  const noted = <T>(work: () => T): T => (marks === undefined ? work() : marks.during(`${name}/${id}`, work));
  try {
    const found = noted(() => kind.restore(record, body, rows));
    return isSteps(found) ? await inTurns(found, noted) : found;
  } finally {
    marks?.over(`${name}/${id}`);
  }
}

const isSteps = <S>(found: S | Steps<S>): found is Steps<S> =>
  typeof found === 'object' && found !== null && Symbol.iterator in found && 'next' in found;

/** A store that cannot read just now is no reason for quarantine; text in it that is no JSON, or what no store writes, is. */
async function read<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof StoreDamaged) throw error;
    throw new TransientError('The state could not be read.', { cause: error });
  }
}

/** The stored snapshot was written by a newer version of the product: other servers can read it, or this one after its upgrade. */
export class NewerSchema extends TransientError {}

function upcast(
  kind: {
    readonly kind: string;
    readonly schema: number;
    readonly upcasters: Readonly<Record<number, (body: unknown) => unknown>>;
  },
  schema: number,
  stored: unknown,
): { state: unknown; seen: readonly unknown[] } {
  if (schema > kind.schema)
    throw new NewerSchema(
      `A ${kind.kind} was stored by a newer version of Troupe (schema ${schema}, this version knows ${kind.schema}).`,
    );
  const { state, seen } = stored as { state: unknown; seen?: readonly unknown[] };
  return { state: upcastBody(kind, schema, state), seen: seen ?? [] };
}

/** A body of an earlier schema as one of today's. */
export function upcastBody(
  { schema: today, upcasters }: Pick<DurableKind<never, never>, 'schema' | 'upcasters'>,
  schema: number,
  body: unknown,
): unknown {
  let current = body;
  for (let step = schema; step < today; step++) {
    const upcaster = upcasters[step];
    if (upcaster === undefined) throw new Error(`There is no way from schema ${step} to ${step + 1}.`);
    current = upcaster(current);
  }
  return current;
}
