import { z } from 'zod';
import { commitAfter, type Owner, type Store } from '../../store/store.ts';
import { dayOf, usageOfDay } from '../../domain/users/usage.ts';

const ACTOR = { kind: 'usage', id: 'kept' };
const SCHEMA = 1;
const DAY_MS = 86_400_000;
const KEPT_DAYS = 400;
/** Maximum number of days that the first call checks. */
const LOOKED_BACK = 60;

const body = z.object({ until: z.number() });

/** Deletes usage counters that are older than 400 days. Fast if there are none. */
export async function forgetUsage(store: Store, owner: Owner, now: number): Promise<void> {
  const stored = await store.load(ACTOR);
  const today = Math.floor(now / DAY_MS);
  const last = today - KEPT_DAYS;
  const until = body.safeParse(stored?.snapshot.body).data?.until ?? last - LOOKED_BACK;
  if (until >= last) return;
  const counters: Record<string, number> = {};
  for (let day = until; day < last; day++)
    for (const [name, value] of await store.counters(usageOfDay(dayOf(day * DAY_MS))))
      counters[name] = -value;
  await store.commit({
    actor: ACTOR,
    ...commitAfter(stored),
    owner,
    snapshot: { schema: SCHEMA, body: { until: last } },
    ...(stored === undefined ? { record: {} } : {}),
    counters,
  });
}
