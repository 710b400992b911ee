/** The thread that builds the files of vectors, which takes long. */
import { workerData } from 'node:worker_threads';
import { serveThread } from '../serve-thread.ts';
import { Builder, type BuilderOptions, type BuildProgress } from './builder.ts';

export type BuildRequest = 'check' | 'build';
export type BuildReply = BuildProgress | undefined;

serveThread(
  () => new Builder(workerData as BuilderOptions),
  async (builder, request: BuildRequest): Promise<BuildReply> => {
    if (request === 'build') return builder.build();
    await builder.check();
    return undefined;
  },
);
