/** Creates and delivers notices one by one and prints each committed step. The test kills this process. */
import { writeSync } from 'node:fs';
import { SqliteStore } from '../../../store/sqlite/sqlite-store.ts';
import { noticeTo, stage } from './debtor.ts';

const [file = '', url = '', round = '', notices = ''] = process.argv.slice(2);
const say = (what: 'owes' | 'out' | 'empty', id: string) => writeSync(1, `${what} ${id}\n`);
const store = new SqliteStore(file);
const { debtors, delivery } = stage(store, {
  version: round,
  wrapReport: (report) => async (entry, told, envelopeId) => {
    const reply = await report(entry, told, envelopeId);
    if (told.type === 'noticeSent' && reply.kind === 'done') say('out', entry.id);
    return reply;
  },
});
await delivery.wakeAll();
for (let n = 0; n < Number(notices); n++) {
  const id = `${round}.${n}`;
  await debtors.ask(String(n % 7), { type: 'owe', notices: [noticeTo(`${url}/`, id)] });
  say('owes', id);
}
while ((await store.destinations({ limit: 1 })).length > 0)
  await new Promise((resolve) => setTimeout(resolve, 5));
say('empty', '');
// Runs until the parent kills it.
setInterval(() => undefined, 1_000);
