/** The thread of `Heartbeat`. */
import { json } from 'node:stream/consumers';
import { parentPort, workerData } from 'node:worker_threads';
import { Access } from './access.ts';
import { agentFor, exchange } from './exchange.ts';
import type { Beat, HeartbeatThread, Verdict } from './heartbeat.ts';
import type { HeartbeatAnswer, HeartbeatRequest } from '../../protocol/worker-messages.ts';

const { leases, headers, access: options, progress, token: shared } = workerData as HeartbeatThread;
const agent = agentFor(leases);
const access = new Access(options);
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
  const bearer = await access.bearer();
  const answer = await exchange(agent, `${leases}/${token}/heartbeat`, {
    method: 'POST',
    headers: { ...headers, authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
    body: JSON.stringify({ done, total } satisfies HeartbeatRequest),
    signal: AbortSignal.timeout(ASTRAY_MS),
  });
  const { statusCode } = answer;
  if (statusCode === 401) access.refused(bearer);
  if (statusCode === 409) answer.resume();
  if (statusCode === 409) return 'The lease was lost.';
  // Whatever else is no success comes from a server that is busy, or from a proxy before one that is away: the next one may arrive.
  const { go } = (await json(answer)) as Partial<HeartbeatAnswer>;
  return go === 'cancelled' ? 'The sub-job was cancelled.' : undefined;
}
