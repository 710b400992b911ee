import {
  changesSince,
  commitAfter,
  newCommitId,
  NotStorable,
  StoreDamaged,
  VersionConflict,
  type ActorKey,
  type Commit,
  type Owner,
  type Store,
} from '../../store/store.ts';
import { systemClock, type Clock } from '../basics/clock.ts';
import { FIRST_PAUSE_MS, inBetween } from './conflict-pauses.ts';
import { NOTHING, type DurableKind, type Loaded } from './durable-kind.ts';
import { TransientError } from '../basics/errors.ts';
import type { LoadMarks } from './load-marks.ts';
import { changedSince, followedBy, load, read } from './load-actor.ts';
import type { ActorTypes, Decision, Reply } from './machine.ts';
import { inTurns, type Steps } from './steps.ts';
import type { Behavior, Envelope } from './system.ts';

/** Replies that are kept, so that a redelivered command gets its first reply. */
const SEEN = 32;

export async function loadDurable<R, T extends ActorTypes>(
  kind: DurableKind<R, T>,
  store: Store,
  owner: Owner,
  id: string,
  marks?: LoadMarks,
  clock: Clock = systemClock,
  isNew = false,
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
  if (isNew) await begin(NOTHING);
  else await reload();
  /** Applies commits of other servers. Returns false if there were none. */
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
      /** Effects of a decision whose commit conflicted. */
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
          // After a conflict, this was our own commit that the store did not confirm. Its effects must still be performed.
          await perform(refused);
          return seen.reply;
        }
        const steps = stepsAhead(kind, current);
        if (steps !== undefined) await inTurns(steps);
        const decision = decide(kind, current, envelope);
        const isChange = 'reply' in decision && (decision.state !== undefined || decision.gone === true);
        // A commit conflicts if another server has changed the actor or the store lost its last commits. Other decisions must check that.
        if (!isFresh && !isChange && (await refresh())) continue;
        if (!('reply' in decision)) throw decision.error;
        const { reply, effects = [] } = decision;
        try {
          if (isChange) current = await commit(kind, store, owner, actor, current, envelope, decision);
        } catch (error) {
          if (!(error instanceof VersionConflict)) throw error;
          // Another server committed first. Loads the new state and decides again.
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

/** Decides, and returns an exception as a value: it may be due to an outdated state. */
function decide<R, T extends ActorTypes>(
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
    await commitToStore(store, { ...rest, ...commitAfter(current), actor, owner, snapshot: null });
    return NOTHING;
  }
  const first = current.record === undefined ? kind.newRecord?.(at) : undefined;
  const made = (created ?? first) as R | undefined;
  const record = made ?? current.record;
  if (record === undefined)
    throw new Error(`${actor.kind}/${actor.id} has no record: its first change must bring one.`);
  const seen = [...current.seen.slice(1 - SEEN), { id, reply }];
  const commitId = newCommitId();
  const version = await commitToStore(store, {
    actor,
    ...commitAfter(current),
    id: commitId,
    owner,
    snapshot: {
      schema: kind.schemaOf?.(state) ?? kind.schema,
      body: { state: kind.snapshot(record, state), seen },
    },
    ...rest,
    ...(made === undefined ? {} : { record: made, common: kind.common ?? [] }),
  });
  return { version, commit: commitId, record, state, seen };
}

/** Commits. A store that cannot write is no fault of the actor, so the error is transient. */
async function commitToStore(store: Store, commit: Commit): Promise<number> {
  try {
    return await store.commit(commit);
  } catch (error) {
    const isOwn = [VersionConflict, NotStorable, StoreDamaged].some((kind) => error instanceof kind);
    if (isOwn) throw error;
    throw new TransientError('The state could not be stored.', { cause: error });
  }
}
