/**
 * The process of a test server: the real server with additional test components, a log file of JSON lines, and a store that can kill the
 * process directly before or after a commit. The test controls it by messages of `fork`, and it ends with the test. Arguments: the log
 * file, and values of `TUNING` as JSON.
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
 * Message of the test: kill yourself at the n-th commit of a job from now on. If the job ends with fewer commits, because several answers
 * arrive together: at the commit that ends it.
 */
export interface DeathWish {
  readonly at: number;
  readonly when: 'before' | 'after';
  /** Instead of the commit of this number: the commit that marks the document of a job as indexed. */
  readonly indexed?: true;
  /** Commits of operations are counted, too. */
  readonly operations?: true;
}
export type ToServer =
  | { readonly type: 'die'; readonly wish: DeathWish }
  | { readonly type: 'log'; readonly message: string }
  | { readonly type: 'measure' }
  | { readonly type: 'collect' };
/** Memory in bytes after a garbage collection. */
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

/** Forces a garbage collection, because otherwise memory includes garbage. */
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
