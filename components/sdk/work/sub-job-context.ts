/** The context of a sub-job: everything except its work. */
import type { Assignment } from '../../../protocol/worker-protocol.ts';
import type { WorkerClient } from '../connection/client.ts';
import type { Heartbeat } from './heartbeat.ts';
import type { MediaCache } from '../media/media-cache.ts';
import type { WorkContext } from './work-context.ts';

export function contextOf(
  { client, cache }: { readonly client: WorkerClient; readonly cache?: MediaCache },
  heartbeat: Heartbeat,
  { token, traceparent }: Pick<Assignment, 'token' | 'traceparent'>,
  signal: AbortSignal,
): WorkContext {
  /** Number of activity reports while a medium is fetched or another service is awaited. Later progress counts on from there. */
  let waited = 0;
  let last = { done: 0, total: 0 };
  const tell = () => {
    const { done, total } = last;
    heartbeat.progress(waited + done, total > 0 ? waited + total : 0);
  };
  const working = () => {
    waited++;
    tell();
  };
  return {
    signal,
    ...(traceparent === undefined ? {} : { traceparent }),
    working,
    progress: (done, total) => {
      last = { done, total };
      tell();
    },
    input: (path) => client.input(path, signal),
    ...(cache === undefined
      ? {}
      : {
          medium: (medium) => cache.local(medium, { signal, working }),
          sendFile: (name, path) => client.sendFile(token, name, path, signal),
        }),
  };
}
