/** The real store of a test server. It also logs the commits of jobs, and kills its process at the commit that a test chooses. */
import { BATCH_JOB } from '../../../actors/batch-job/state/keys.ts';
import type { JobSnapshot } from '../../../actors/batch-job/state/snapshot.ts';
import type { SubJobRow } from '../../../actors/batch-job/state/state.ts';
import { OPERATION } from '../../../actors/operations/state.ts';
import { STREAMING_JOB } from '../../../actors/streaming-job/state.ts';
import type { Logger } from '../../../config/logger.ts';
import type { Commit, Store } from '../../../store/store.ts';
import type { DeathWish } from './server-main.ts';

/** The commit at which the process kills itself. `commits`: number of commits since this was requested. */
export interface Fate {
  wish: DeathWish | undefined;
  commits: number;
}

export function mortalStore(store: Store, logger: Logger, fate: Fate): Store {
  const isOfSearch = searchCommits();
  const commit = async (wanted: Commit): Promise<number> => {
    if (wanted.actor.kind === STREAMING_JOB) return committedStream(store, wanted, logger);
    if (wanted.actor.kind === OPERATION && fate.wish?.operations === true)
      return committedOperation(store, wanted, logger, fate);
    if (wanted.actor.kind !== BATCH_JOB) return store.commit(wanted);
    const { wish } = fate;
    // Commits of the search come later. Tests that count the commits of a job do not expect them.
    if (isOfSearch(wanted) && wish?.indexed !== true) return store.commit(wanted);
    const number = ++fate.commits;
    const line = { job: wanted.actor.id, number, ...contentOf(wanted) };
    const due = wish !== undefined && isMeant(wish, wanted, number) ? wish.when : undefined;
    if (due === 'before') return die(line, 'right before', logger);
    const version = await store.commit(wanted);
    logger.debug({ ...line, version }, 'committed');
    return due === 'after' ? die(line, 'right after', logger) : version;
  };
  return new Proxy(store, {
    get(target, name) {
      if (name === 'commit') return commit;
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}

async function committedOperation(store: Store, wanted: Commit, logger: Logger, fate: Fate): Promise<number> {
  const number = ++fate.commits;
  const due = fate.wish?.at === number ? fate.wish.when : undefined;
  const line = { operation: wanted.actor.id, number };
  if (due === 'before') return die(line, 'right before', logger);
  const version = await store.commit(wanted);
  return due === 'after' ? die(line, 'right after', logger) : version;
}

async function committedStream(store: Store, wanted: Commit, logger: Logger): Promise<number> {
  const version = await store.commit(wanted);
  logger.debug({ job: wanted.actor.id, version }, 'committed a stream');
  return version;
}

/** Returns for each commit whether it marks the document of a job as indexed. */
function searchCommits(): (wanted: Commit) => boolean {
  /** Jobs that have ended and are not indexed yet. */
  const unindexed = new Set<string>();
  return (wanted) => {
    const { id } = wanted.actor;
    const isTaken = unindexed.has(id) && isIndexed(wanted);
    const state = (wanted.snapshot?.body as { readonly state: JobSnapshot } | undefined)?.state;
    if (state?.unindexed === true) unindexed.add(id);
    else unindexed.delete(id);
    return isTaken;
  };
}

function isMeant({ at, indexed, operations }: DeathWish, wanted: Commit, number: number): boolean {
  if (indexed === true) return isIndexed(wanted);
  if (operations === true) return at === number;
  return at === number || (number < at && isEnd(wanted));
}

function isIndexed({ snapshot }: Commit): boolean {
  if (snapshot === null) return false;
  const { state } = snapshot.body as { readonly state: JobSnapshot };
  return state.stage.name === 'ENDED' && state.hasDocument && !state.unindexed;
}

const isEnd = (wanted: Commit) => contentOf(wanted).stage === 'ENDED';

function die(line: object, when: string, logger: Logger): Promise<never> {
  logger.debug(line, `dies ${when} a commit`);
  process.kill(process.pid, 'SIGKILL');
  return new Promise(() => undefined);
}

function contentOf({ putRows = [], snapshot }: Commit) {
  const rows = putRows.map(({ body }) => body as SubJobRow);
  const idsOf = (state: SubJobRow['state']) => rows.filter((row) => row.state === state).map(({ id }) => id);
  if (snapshot === null) return { status: 'removed' };
  const { state } = snapshot.body as { readonly state: JobSnapshot };
  return {
    run: state.run,
    status: state.status,
    stage: state.stage.name,
    progress: state.progress,
    done: idsOf('DONE'),
    failed: idsOf('FAILED'),
    made: idsOf('QUEUED'),
  };
}
