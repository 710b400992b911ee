import { useEffect, useRef } from 'preact/hooks';
import type { z } from 'zod';
import type { serviceLog } from '../../http/schemas/nodes.ts';
import { moment } from '../kit/format.ts';
import { useGet } from '../kit/load.ts';
import { Shown } from '../kit/parts.tsx';
import { TEXT } from '../kit/text.ts';

type ServiceLog = z.output<typeof serviceLog>;

const EVERY_MS = 2_000;
/** Distance from the end within which the list scrolls to new lines: pixels. */
const NEAR = 30;

/** The last lines of a service, with new lines as they arrive, until the reader closes them. */
export function LogDialog({ service, close }: { readonly service: string; readonly close: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  const log = useGet<ServiceLog>(`rest/nodes/services/${encodeURIComponent(service)}/log`, {}, EVERY_MS);
  return (
    <dialog ref={dialog} class="wide" onClose={close} aria-labelledby="log-title">
      <h2 id="log-title">{TEXT.nodes.lastLinesOf(service)}</h2>
      <Shown of={log}>{({ lines }) => <Lines of={lines} />}</Shown>
      <form method="dialog">
        <button type="submit">{TEXT.common.close}</button>
      </form>
    </dialog>
  );
}

/** The lines. The list does not scroll while the reader looks at earlier lines. */
function Lines({ of }: { readonly of: ServiceLog['lines'] }) {
  const list = useRef<HTMLOListElement>(null);
  const isAtEnd = useRef(true);
  useEffect(() => {
    if (isAtEnd.current) list.current?.scrollTo({ top: list.current.scrollHeight });
  }, [of]);
  if (of.length === 0) return <p class="hint">{TEXT.nodes.itHasWrittenNothingSince}</p>;
  return (
    <ol
      ref={list}
      class="lines"
      tabIndex={0}
      aria-label={TEXT.nodes.linesTheNewestLast}
      onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) => {
        isAtEnd.current = scrollHeight - scrollTop - clientHeight < NEAR;
      }}
    >
      {of.map(({ at, process, source, text }, n) => (
        <li key={n} class={source}>
          <time dateTime={at} title={process}>
            {moment(at)}
          </time>{' '}
          {text}
        </li>
      ))}
    </ol>
  );
}
