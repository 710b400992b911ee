/** The thread of `Heartbeat`. */
import { json } from 'node:stream/consumers';
import { parentPort, workerData } from 'node:worker_threads';
import { agentFor, exchange } from './exchange.ts';
import type { Beat, HeartbeatThread, Verdict } from './heartbeat.ts';
import type { HeartbeatAnswer, HeartbeatRequest } from '../../protocol/worker-protocol.ts';

const { leases, headers, progress, token: shared } = workerData as HeartbeatThread;
const agent = agentFor(leases);
/** A heartbeat that got no answer in this time went astray: the next one goes without it. */
const ASTRAY_MS = 5_000;

let timer: NodeJS.Timeout | undefined;

parentPort!.on('message', (beat: Beat) => {
  clearInterval(timer);
  timer = beating(beat);
});

function beating({ heartbeatMs }: Beat): NodeJS.Timeout {
  let waiting = false;
  return setInterval(() => {
    const token = String.fromCharCode(...shared.subarray(1, 1 + (shared[0] ?? 0)));
    if (waiting || token === '') return;
    waiting = true;
    void send(token)
      .then((why) => why !== undefined && parentPort!.postMessage({ token, why } satisfies Verdict))
      // The server is away: the lease is long enough for the next ones.
      .catch(() => undefined)
      .finally(() => (waiting = false));
  }, heartbeatMs);
}

async function send(token: string): Promise<Verdict['why'] | undefined> {
  const [done = 0, total = 0] = progress;
  const answer = await exchange(agent, `${leases}/${token}/heartbeat`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ done, total } satisfies HeartbeatRequest),
    signal: AbortSignal.timeout(ASTRAY_MS),
  });
  const { go } = (await json(answer)) as Partial<HeartbeatAnswer>;
  if (answer.statusCode === 409) return 'The lease was lost.';
  return go === 'cancelled' ? 'The sub-job was cancelled.' : undefined;
}
