/** Start-up time with many ended jobs compared with few: it must depend only on live jobs. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { BATCH_JOB } from '../../../actors/batch-job/state/keys.ts';
import { ALL_JOBS } from '../../../actors/batch-job/state/indexes.ts';
import { JOB_SCHEMA, type JobSnapshot } from '../../../actors/batch-job/state/snapshot.ts';
import { SqliteStore } from '../../../store/sqlite/sqlite-store.ts';
import { runInterleaved, round, measureTime, type Figure } from '../measure.ts';

const FEW = 1_000;
const MANY = 100_000;

export async function startUp(): Promise<readonly Figure[]> {
  const folder = mkdtempSync(path.join(tmpdir(), 'troupe-bench-'));
  const few = path.join(folder, 'few');
  const many = path.join(folder, 'many');
  await fill(few, FEW);
  await fill(many, MANY);
  const times = await runInterleaved(9, { few: () => start(few), many: () => start(many) });
  rmSync(folder, { recursive: true, force: true });
  return [
    { what: `start-up with ${round(FEW)} finished jobs`, value: `${round(times.few)} ms` },
    {
      what: `start-up with ${round(MANY)} finished jobs`,
      value: `${round(times.many)} ms, ratio ${round(times.many / times.few, 2)}`,
      aim: '<= 1.2',
    },
  ];
}

/** Time from the start of the process until it reports that it is ready. */
function start(dataDir: string): Promise<number> {
  return measureTime(async () => {
    const main = fileURLToPath(new URL('../../../cli/main.js', import.meta.url));
    const env = { ...process.env, DATA_DIR: dataDir, PORT: '0' };
    const child = spawn(process.execPath, [main, 'serve'], { env, stdio: ['ignore', 'pipe', 'inherit'] });
    for await (const line of createInterface({ input: child.stdout }))
      if (line.includes('Troupe is up')) break;
    child.kill('SIGKILL');
    await once(child, 'exit');
  });
}

async function fill(dataDir: string, jobs: number): Promise<void> {
  const store = new SqliteStore(path.join(dataDir, 'troupe.db'));
  const ended: JobSnapshot = {
    status: 'COMPLETE',
    run: 1,
    outdated: null,
    priority: 4,
    stage: { name: 'ENDED' },
    startedAt: 0,
    endedAt: 1,
    endedBy: null,
    trace: null,
    objectId: '00000000-0000-0000-0000-000000000000',
    hasDocument: true,
    unindexed: false,
    cancelledBy: null,
    checkArchive: false,
    pastOutput: null,
    pastStatus: null,
    documentHash: null,
    outputUri: null,
    timing: [],
    versions: [],
    callback: null,
    archive: null,
    removed: false,
    issues: [],
    firstError: null,
    failedMedia: null,
    progress: 100,
  };
  const first = await store.next('job', jobs);
  for (let i = 0; i < jobs; i += 1_000)
    await Promise.all(
      Array.from({ length: 1_000 }, (_, k) => {
        const number = first + i + k;
        return store.commit({
          actor: { kind: BATCH_JOB, id: String(number) },
          expected: 0,
          owner: { server: 'bench', epoch: 1 },
          snapshot: { schema: JOB_SCHEMA, body: { state: ended, seen: [] } },
          record: { number, jobId: `bench-${number}`, text: 'x'.repeat(2_000) },
          index: { [ALL_JOBS]: number },
        });
      }),
    );
  await store.close();
}
