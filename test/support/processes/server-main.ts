/**
 * A server process for tests: the real server, with test components beside the built-in ones, a log file of JSON lines,
 * and a store that can kill the process right before or right after a commit. Its parent talks to it over the channel of
 * `fork`; it ends with its parent. Arguments: the log file, and values of `TUNING` as JSON.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { BUILT_IN } from '../../../config/places.ts';
import { readSettings } from '../../../config/settings.ts';
import type { Tuning } from '../../../config/tuning.ts';
import { startServer } from '../../../main.ts';
import { lineLogger } from '../line-logger.ts';
import { measureBlocks } from '../longest-block.ts';
import { mortalStore, type Fate } from './crashing-store.ts';
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
  /** Commits of operations count as well as those of jobs, each at its number. */
  readonly operations?: true;
}
export type ToServer =
  | { readonly type: 'die'; readonly wish: DeathWish }
  | { readonly type: 'log'; readonly message: string }
  | { readonly type: 'measure' }
  | { readonly type: 'collect' };
/** Bytes, after all garbage was collected. */
export type UsedMemory = Readonly<Pick<NodeJS.MemoryUsage, 'heapUsed' | 'external' | 'rss'>>;
export type FromServer =
  | { readonly type: 'up'; readonly url: string }
  | { readonly type: 'failed'; readonly message: string }
  | { readonly type: 'obeyed'; readonly longestBlockMs: number }
  | { readonly type: 'collected'; readonly memory: UsedMemory };

const [logFile = '', tuning = '{}'] = process.argv.slice(2);
const logger = lineLogger(logFile);
const fate: Fate = { wish: undefined, commits: 0 };
let longestBlock = () => 0;

process.on('message', (message: ToServer) => {
  if (message.type === 'collect') return say({ type: 'collected', memory: collectGarbage() });
  if (message.type === 'die') {
    fate.wish = message.wish;
    fate.commits = 0;
  } else if (message.type === 'log') logger.debug({}, message.message);
  say({ type: 'obeyed', longestBlockMs: message.type === 'measure' ? longestBlock() : 0 });
});
process.on('disconnect', () => process.exit(1));

try {
  const componentFolders = [BUILT_IN, TEST_COMPONENTS];
  const settings = { ...readSettings(), ...(JSON.parse(tuning) as Partial<Tuning>) };
  const server = await startServer(settings, {
    logger,
    componentFolders,
    wrapStore: (store) => mortalStore(store, logger, fate),
  });
  process.once('SIGTERM', () => void server.stop().then(() => process.exit(0)));
  longestBlock = measureBlocks();
  say({ type: 'up', url: server.url });
} catch (error) {
  say({ type: 'failed', message: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  process.exitCode = 1;
  process.disconnect();
}

/** Collections that are not forced come late: until then memory holds what nobody uses. */
function collectGarbage(): UsedMemory {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
  const { heapUsed, external, rss } = process.memoryUsage();
  return { heapUsed, external, rss };
}

function say(message: FromServer): void {
  process.send?.(message);
}
