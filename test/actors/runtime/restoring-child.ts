/**
 * Loads the actor with the given id, like a server at its start. The states of the actors "bad" and "late"
 * crash the process.
 */
import { writeSync } from 'node:fs';
import { join } from 'node:path';
import { loadDurable } from '../../../actors/runtime/durable.ts';
import type { DurableKind } from '../../../actors/runtime/durable-kind.ts';
import { LoadMarks } from '../../../actors/runtime/load-marks.ts';
import { TimeSlices } from '../../../actors/basics/time-slices.ts';
import { SqliteStore } from '../../../store/sqlite/sqlite-store.ts';

const [folder = '', id = ''] = process.argv.slice(2);
const store = new SqliteStore(join(folder, 'test.db'));
const owner = { server: 'child', epoch: 1 };
const actor = { kind: 'test', id };
if ((await store.load(actor)) === undefined)
  await store.commit({ actor, expected: 0, owner, record: {}, snapshot: { schema: 1, body: { state: id } } });

/** A large state that is restored in two steps. The second one crashes. */
function* inTwoTurns(): Generator<void, string> {
  const timeSlices = new TimeSlices();
  while (!timeSlices.due);
  yield;
  process.exit(7);
}

interface Types {
  readonly state: string;
  readonly command: { readonly type: 'none' };
  readonly effect: never;
  readonly reply: never;
  readonly refusal: never;
  readonly context: undefined;
  readonly status: never;
}
const kind: DurableKind<object, Types> = {
  kind: 'test',
  schema: 1,
  rowsOf: () => undefined,
  restore(_, body) {
    if (body === 'bad') process.exit(7);
    return body === 'late' ? inTwoTurns() : String(body);
  },
  snapshot: (_, state) => state,
  decide: () => ({ reply: { kind: 'done' } }),
  recover: () => [],
  perform: () => Promise.resolve(),
};
const outcome = await loadDurable(kind, store, owner, id, new LoadMarks(folder)).then(
  () => 'loaded',
  (error: unknown) => (error as Error & { cause?: Error }).cause?.message ?? String(error),
);
writeSync(1, `${outcome}; stored: ${(await store.load(actor)) !== undefined}`);
await store.close();
