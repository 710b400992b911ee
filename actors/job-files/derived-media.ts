/** Derivative media of a running job, read from the rows of their source media. */
import type { Store } from '../../store/store.ts';
import { TimeSlices } from '../basics/time-slices.ts';
import { derives } from '../batch-job/plan/effective-properties.ts';
import { BATCH_JOB, unitPrefix } from '../batch-job/state/keys.ts';
import { baseRunOf } from '../batch-job/state/record.ts';
import type { SubJobRow } from '../batch-job/state/state.ts';
import type { StoredJob } from '../batch-job/state/stored-job.ts';
import { asRequested } from './document-input.ts';
import type { MediumRows } from './document-outputs.ts';

/** A medium without its sub-jobs. */
export type NamedMedium = Omit<MediumRows, 'rows'>;

/** Derivative media in the order of their creation, which is the order of their places in the job. Fast if no action derives media. */
export async function derivedMedia(store: Store, job: StoredJob): Promise<readonly NamedMedium[]> {
  const { record, snapshot } = job;
  const deriving = record.plan.tasks.flatMap(({ actions }, task) =>
    actions.flatMap((action, number) => (derives(action) ? [{ task, number }] : [])),
  );
  if (deriving.length === 0) return [];
  const actor = { kind: BATCH_JOB, id: String(record.number) };
  const found: NamedMedium[] = [];
  const slices = new TimeSlices();
  for (const [medium, requested] of record.media.entries())
    for (const { task, number } of deriving) {
      if (slices.due) await slices.next();
      const key = `${unitPrefix(baseRunOf(snapshot), task, { medium, action: number })}f`;
      const [row] = await store.rows(actor, { prefix: key, limit: 1 });
      const { summary, derivedAt = 0 } = (row?.body ?? {}) as Partial<SubJobRow>;
      for (const [n, one] of (summary?.derived ?? []).entries())
        found.push({
          index: derivedAt + n,
          medium: asRequested(one, requested),
          parentMediaId: requested.mediaId,
          madeIn: task,
        });
    }
  return found.toSorted((a, b) => a.index - b.index);
}
