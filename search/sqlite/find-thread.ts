/** The thread that answers questions to the index. */
import { workerData } from 'node:worker_threads';
import { Finder, type FinderOptions } from './finder.ts';
import type { FindReply, FindRequest } from './messages.ts';
import { serveThread } from './serve-thread.ts';

serveThread(
  () => new Finder(workerData as FinderOptions),
  (finder, { find }: FindRequest): FindReply => ({ page: finder.find(find) }),
);
