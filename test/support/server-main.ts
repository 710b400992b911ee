/**
 * A server process for tests: the real server, with test components beside the built-in ones, a log file of JSON lines,
 * and a store that can kill the process right before or right after a commit. Its parent talks to it over the channel of
 * `fork`; it ends with its parent.
 */
import { BATCH_JOB } from '../../actors/batch-job/keys.ts';
import { STREAMING_JOB } from '../../actors/streaming-job/state.ts';
import type { JobSnapshot } from '../../actors/batch-job/snapshot.ts';
import type { SubJobRow } from '../../actors/batch-job/state.ts';
import { BUILT_IN } from '../../config/places.ts';
import { readSettings } from '../../config/settings.ts';
import { startServer } from '../../main.ts';
import type { Commit, Store } from '../../store/store.ts';
import { lineLogger } from './line-logger.ts';
import { measureBlocks } from './longest-block.ts';
import { TEST_COMPONENTS } from './test-components.ts';

/**
 * From the parent: kill yourself at the n-th commit of a job from now on. A job of which several answers come together takes fewer: then
 * at the commit that ends it.
 */
export interface DeathWish {
  readonly at: number;
  readonly when: 'before' | 'after';
  /** Not the commit of this number, but the one by which a job says that the search has its document. */
  readonly indexed?: true;
}
export type ToServer =
  | { readonly type: 'die'; readonly wish: DeathWish }
  | { readonly type: 'log'; readonly message: string }
  | { readonly type: 'measure' };
export type FromServer =
  | { readonly type: 'up'; readonly url: string }
  | { readonly type: 'failed'; readonly message: string }
  | { readonly type: 'obeyed'; readonly longestBlockMs: number };

const [logFile = ''] = process.argv.slice(2);
const logger = lineLogger(logFile);
let wish: DeathWish | undefined;
let commits = 0;
let longestBlock = () => 0;

process.on('message', (message: ToServer) => {
  if (message.type === 'die') {
    wish = message.wish;
    commits = 0;
  } else if (message.type === 'log') logger.debug({}, message.message);
  say({ type: 'obeyed', longestBlockMs: message.type === 'measure' ? longestBlock() : 0 });
});
process.on('disconnect', () => process.exit(1));

try {
  const componentFolders = [BUILT_IN, TEST_COMPONENTS];
  const server = await startServer(readSettings(), { logger, componentFolders, wrapStore: mortal });
  process.once('SIGTERM', () => void server.stop().then(() => process.exit(0)));
  longestBlock = measureBlocks();
  say({ type: 'up', url: server.url });
} catch (error) {
  say({ type: 'failed', message: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  process.exitCode = 1;
  process.disconnect();
}

function say(message: FromServer): void {
  process.send?.(message);
}

async function committedStream(store: Store, wanted: Commit): Promise<number> {
  const version = await store.commit(wanted);
  logger.debug({ job: wanted.actor.id, version }, 'committed a stream');
  return version;
}

/** The real store, but that it logs what jobs commit, and carries out the death wish. */
function mortal(store: Store): Store {
  const commit = async (wanted: Commit): Promise<number> => {
    if (wanted.actor.kind === STREAMING_JOB) return committedStream(store, wanted);
    if (wanted.actor.kind !== BATCH_JOB) return store.commit(wanted);
    // The search takes in what ended a while ago: nobody means that who counts the commits of a job.
    if (isOfSearch(wanted) && wish?.indexed !== true) return store.commit(wanted);
    const number = ++commits;
    const isDue = wish !== undefined && isMeant(wish, wanted, number);
    const due = isDue ? wish!.when : undefined;
    if (due === 'before') return die(wanted, number, 'right before');
    const version = await store.commit(wanted);
    logger.debug({ job: wanted.actor.id, number, version, ...contentOf(wanted) }, 'committed');
    return due === 'after' ? die(wanted, number, 'right after') : version;
  };
  return new Proxy(store, {
    get(target, name) {
      if (name === 'commit') return commit;
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}

/** Jobs that have ended and are not in the search. */
const unindexed = new Set<string>();

function isOfSearch(wanted: Commit): boolean {
  const { id } = wanted.actor;
  const isTaken = unindexed.has(id) && isIndexed(wanted);
  const state = (wanted.snapshot?.body as { readonly state: JobSnapshot } | undefined)?.state;
  if (state?.unindexed === true) unindexed.add(id);
  else unindexed.delete(id);
  return isTaken;
}

function isMeant({ at, indexed }: DeathWish, wanted: Commit, number: number): boolean {
  if (indexed === true) return isIndexed(wanted);
  return at === number || (number < at && isEnd(wanted));
}

function isIndexed({ snapshot }: Commit): boolean {
  if (snapshot === null) return false;
  const { state } = snapshot.body as { readonly state: JobSnapshot };
  return state.stage.name === 'ENDED' && state.hasDocument && !state.unindexed;
}

const isEnd = (wanted: Commit) => contentOf(wanted).stage === 'ENDED';

function die(wanted: Commit, number: number, when: string): Promise<never> {
  logger.debug({ job: wanted.actor.id, number, ...contentOf(wanted) }, `dies ${when} a commit`);
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
