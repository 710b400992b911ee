/**
 * Adds the given number of jobs, works on jobs with other processes of its group, and reports when none is
 * left.
 */
import { createInterface } from 'node:readline';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

/** The part of BullMQ that is used here. */
interface BullMq {
  readonly Queue: new (
    name: string,
    options: object,
  ) => {
    add(name: string, data: object, options: object): Promise<unknown>;
    getJobCounts(...states: readonly string[]): Promise<Readonly<Record<string, number>>>;
    close(): Promise<void>;
  };
  readonly Worker: new (
    name: string,
    work: () => Promise<void>,
    options: object,
  ) => {
    waitUntilReady(): Promise<unknown>;
    close(): Promise<void>;
  };
}

const AT_ONCE = 64;
const [folder = '', url = '', name = ''] = process.argv.slice(2);
const require = createRequire(pathToFileURL(`${folder}/`));
const { Queue, Worker } = require(folder) as BullMq;
const { hostname: host, port } = new URL(url);
const connection = { host, port: Number(port), maxRetriesPerRequest: null };
const queue = new Queue(name, { connection });
const worker = new Worker(name, () => Promise.resolve(), { connection, concurrency: AT_ONCE });
await worker.waitUntilReady();
process.stdout.write('up\n');
for await (const line of createInterface({ input: process.stdin })) {
  const removed = { removeOnComplete: true, removeOnFail: true };
  await Promise.all(Array.from({ length: Number(line) }, () => queue.add('job', {}, removed)));
  for (;;) {
    const counts = await queue.getJobCounts('waiting', 'active', 'prioritized');
    if (Object.values(counts).every((count) => count === 0)) break;
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  process.stdout.write('done\n');
}
await worker.close();
await queue.close();
process.exit(0);
