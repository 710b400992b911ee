import type { z } from 'zod';
import type { failureGroups } from '../../http/schemas/jobs/job-failures.ts';
import { countText } from '../kit/format.ts';
import { Icon } from '../kit/icons.tsx';
import { useGet } from '../kit/load.ts';
import { hrefOf } from '../kit/route.ts';
import { hasOutcome, OperationOutcome, useOperation } from './operation.tsx';
import { TEXT } from '../kit/text.ts';

type Group = z.output<typeof failureGroups>[number];

const EVERY_MS = 10_000;
/** Maximum number of causes shown. The page "System" shows more. */
const SHOWN = 3;

/** Causes of failed jobs, each with a button that retries its jobs. `chosen`: the cause that filters the list. */
export function Causes({ chosen }: { readonly chosen: string | null }) {
  const groups = useGet<readonly Group[]>('rest/failures', { limit: 50 }, EVERY_MS);
  const all = groups.value ?? [];
  const shown = chosen === null ? all.slice(0, SHOWN) : all.filter(({ id }) => id === chosen);
  if (shown.length === 0) return null;
  return (
    <section class="causes" aria-label={TEXT.jobs.failuresByCause}>
      {shown.map((group) => (
        <Cause key={group.id} group={group} isChosen={chosen !== null} />
      ))}
    </section>
  );
}

function Cause({ group, isChosen }: { readonly group: Group; readonly isChosen: boolean }) {
  const { id, message, advice, jobs } = group;
  const { last, busy, act } = useOperation();
  return (
    <div class="cause">
      <Icon name="alert" />
      <p class="grow">
        {isChosen ? message : <a href={hrefOf(['jobs'], { failure: id })}>{message}</a>}
        <small>{advice}</small>
      </p>
      <button
        type="button"
        disabled={busy}
        aria-label={TEXT.jobs.retry(countText(jobs, TEXT.jobs.failedJob), message)}
        onClick={() => act({ action: 'retry' }, { filter: { failure: id } })}
      >
        {TEXT.jobs.retryFailed(jobs)}
      </button>
      {hasOutcome(last) && (
        <div>
          <OperationOutcome of={last} />
        </div>
      )}
    </div>
  );
}
