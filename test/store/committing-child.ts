/**
 * Commits to the given database forever and prints each acknowledged version. The test kills this process.
 */
import { writeSync } from 'node:fs';
import { SqliteStore } from '../../store/sqlite/sqlite-store.ts';

const ACTOR = { kind: 'job', id: '1' };
const store = new SqliteStore(process.argv[2]!);
let version = (await store.load(ACTOR))?.version ?? 0;
for (;;) {
  const number = await store.next('numbers');
  const key = String(version).padStart(9, '0');
  version = await store.commit({
    actor: ACTOR,
    expected: version,
    owner: { server: 'child', epoch: 1 },
    snapshot: { schema: 1, body: { rows: version + 1, number } },
    putRows: [{ key, body: 'x'.repeat(200) }],
    index: { live: version + 1 },
    synced: version % 3 === 0,
  });
  writeSync(1, `${version} ${number}\n`);
}
