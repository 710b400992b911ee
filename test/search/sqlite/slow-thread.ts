/** A thread that works at each request for the requested time; 'ever' blocks it until it is terminated. */
import { serveThread } from '../../../search/sqlite/serve-thread.ts';

export type SlowRequest = { readonly ms: number } | 'ever' | 'die';

serveThread(
  () => ({ close: () => undefined }),
  (_, request: SlowRequest): string => {
    if (request === 'die') process.exit(3);
    const never = new Int32Array(new SharedArrayBuffer(4));
    Atomics.wait(never, 0, 0, request === 'ever' ? Infinity : request.ms);
    return 'done';
  },
);
