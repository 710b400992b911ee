import { useEffect, useState } from 'preact/hooks';
import type { z } from 'zod';
import type { queueInfo } from '../../http/schemas/queues.ts';
import { send } from '../kit/api.ts';
import { count, elementTitle } from '../kit/format.ts';
import { useGet } from '../kit/load.ts';
import { Risky, Shown, Table } from '../kit/parts.tsx';
import { TEXT } from '../kit/text.ts';

type Queue = z.output<typeof queueInfo>;

const EVERY_MS = 2_000;
/** Number of lengths drawn for a queue: four minutes. */
const SAMPLES = 120;

/** The queue of each component, with its lengths since the view was opened. */
export function Queues() {
  const queues = useGet<readonly Queue[]>('rest/queues', {}, EVERY_MS);
  const lengths = useLengths(queues.value);
  return (
    <section>
      <h2>{TEXT.operation.queues}</h2>
      <Shown of={queues}>
        {(all) => (
          <Table
            columns={[
              TEXT.operation.queue,
              { name: TEXT.common.waiting, isNumber: true },
              TEXT.operation.lastMinutes,
              { name: TEXT.common.actions, isUnseen: true },
            ]}
          >
            {all
              .toSorted((a, b) => b.messagesInQueue - a.messagesInQueue)
              .map((queue) => (
                <QueueRow
                  key={queue.name}
                  queue={queue}
                  lengths={lengths.get(queue.name) ?? []}
                  onChange={queues.again}
                />
              ))}
          </Table>
        )}
      </Shown>
    </section>
  );
}

/** Returns the last lengths of each queue, oldest first. */
function useLengths(queues: readonly Queue[] | undefined): ReadonlyMap<string, readonly number[]> {
  const [lengths, setLengths] = useState<ReadonlyMap<string, readonly number[]>>(new Map());
  useEffect(() => {
    if (queues === undefined) return;
    setLengths(
      (before) =>
        new Map(
          queues.map(({ name, messagesInQueue }) => [
            name,
            [...(before.get(name) ?? []), messagesInQueue].slice(-SAMPLES),
          ]),
        ),
    );
  }, [queues]);
  return lengths;
}

function QueueRow({
  queue: { name, messagesInQueue, paused },
  lengths,
  onChange,
}: {
  readonly queue: Queue;
  readonly lengths: readonly number[];
  readonly onChange: () => void;
}) {
  const verb = paused === undefined ? 'pause' : 'resume';
  const title = queueTitle(name);
  return (
    <tr>
      <th scope="row" title={name}>
        {title}
        {paused !== undefined && <small class="warn">{TEXT.operation.pausedBy(paused.by)}</small>}
      </th>
      <td data-label={TEXT.common.waiting} class="number">
        {count(messagesInQueue)}
      </td>
      <td data-label={TEXT.operation.lastMinutes}>
        <Sparkline of={lengths} />
      </td>
      <td class="actions">
        <Risky
          ask={paused === undefined ? TEXT.operation.pause(title) : TEXT.operation.resume(title)}
          act={async () => {
            await send('POST', `rest/queues/${encodeURIComponent(name)}/${verb}`);
            onChange();
          }}
        >
          {paused === undefined ? TEXT.common.pause : TEXT.common.resume}
        </Risky>
      </td>
    </tr>
  );
}

/** Returns a title such as `Face detection` for TROUPE.DETECTION_FACE_REQUEST. */
function queueTitle(name: string): string {
  const detection = /^[^.]+\.DETECTION_(.+)_REQUEST$/.exec(name)?.[1];
  if (detection !== undefined) return TEXT.operation.detection(elementTitle(detection));
  return elementTitle(name.replace(/^[^.]+\./, '').replace(/_REQUEST$/, ''));
}

/** A small chart. Its width is constant, so that nothing moves. */
function Sparkline({ of: lengths }: { readonly of: readonly number[] }) {
  const most = Math.max(1, ...lengths);
  const at = (length: number, n: number) =>
    `${SAMPLES - lengths.length + n},${(20 - (length / most) * 18).toFixed(1)}`;
  return (
    <svg class="sparkline" viewBox={`0 0 ${SAMPLES} 21`} preserveAspectRatio="none" aria-hidden="true">
      <polyline points={lengths.map(at).join(' ')} />
    </svg>
  );
}
