/** A thread that works at each request as long as the request says; at 'ever' it works until it is ended. */
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
