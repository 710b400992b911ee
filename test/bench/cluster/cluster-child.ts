/**
 * The actors of one cluster server with a worker. Runs empty jobs on request (`jobs media`), and reports when
 * all have ended.
 */
import { createInterface } from 'node:readline';
import { LIVE_JOBS } from '../../../actors/batch-job/state/indexes.ts';
import { RedisStore } from '../../../store/redis/redis-store.ts';
import { answerAll, emptyJob, startCore } from '../parts.ts';

/** Polling interval in milliseconds, because each poll is a measured request to Redis. */
const LOOK_MS = 50;

const [url = '', prefix = '', serverId = ''] = process.argv.slice(2);
const store = await RedisStore.open({ url, prefix, ledger: { server: serverId } });
const core = await startCore({}, { store, serverId });
const stop = new AbortController();
const answering = answerAll(core, stop.signal);
process.stdout.write('up\n');
for await (const line of createInterface({ input: process.stdin })) {
  const [jobs = 0, media = 1] = line.split(' ').map(Number);
  const job = { ...emptyJob, media: Array.from({ length: media }, () => emptyJob.media[0]!) };
  const submissions = await Promise.all(Array.from({ length: jobs }, () => core.jobService.submit(job)));
  const refused = submissions.find(({ kind }) => kind !== 'accepted');
  if (refused !== undefined) throw new Error(JSON.stringify(refused));
  // Only the process that submitted jobs polls for their end. Others would only add load.
  while (jobs > 0 && (await store.count(LIVE_JOBS)) > 0)
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  process.stdout.write('done\n');
}
stop.abort();
await answering;
await core.close();
process.exit(0);
