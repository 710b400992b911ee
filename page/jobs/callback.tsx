import { send } from '../kit/api.ts';
import { moment } from '../kit/format.ts';
import { useGet } from '../kit/load.ts';
import { Risky } from '../kit/parts.tsx';
import type { DeliveryPage, JobInfo } from './types.ts';
import { TEXT } from '../kit/text.ts';

const EVERY_MS = 5_000;

/** The attempts to deliver the callback of an ended job, with a button that sends the callback again. */
export function Callback({ job: { jobId } }: { readonly job: JobInfo }) {
  const found = useGet<DeliveryPage>('rest/deliveries', { job: jobId }, EVERY_MS);
  const delivery = found.value?.deliveries[0];
  if (delivery === undefined) return null;
  return (
    <section class="callback">
      <h2>{TEXT.jobs.callback}</h2>
      <p>
        {`${delivery.method} ${delivery.url}: ${STATES[delivery.state]} `}
        <Risky
          ask={TEXT.jobs.sendTheCallbackOfAgain(jobId)}
          act={async () => {
            await send('POST', `rest/deliveries/${encodeURIComponent(delivery.id)}/redeliver`);
            found.again();
          }}
        >
          {TEXT.jobs.sendAgain}
        </Risky>
      </p>
      <ul>
        {delivery.attempts.map(({ at, status, error }) => (
          <li key={at}>
            <time dateTime={at}>{moment(at)}</time> {error ?? TEXT.jobs.acceptedWithStatus(status ?? '')}
          </li>
        ))}
      </ul>
      {delivery.nextAttempt !== null && (
        <p class="hint">{TEXT.jobs.theNextAttemptIsAt(moment(delivery.nextAttempt))}</p>
      )}
    </section>
  );
}

const STATES = { PENDING: 'pending.', DELIVERED: 'delivered.', FAILED: 'failed.' };
