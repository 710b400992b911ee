/** Small components that all views use. */
import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { ApiError } from './answer.ts';
import type { Watching } from './events.ts';
import { duration, words } from './format.ts';
import type { Loaded } from './load.ts';
import { hrefOf } from './route.ts';
import { TEXT } from './text.ts';

/** Returns the category of a status, which determines its colour. */
function moodOf(status: string): 'good' | 'bad' | 'warn' | 'busy' | 'quiet' {
  if (/ERROR|FAIL|DUPLICATE|DEAD/.test(status)) return 'bad';
  if (/WARN|STALLED|UNHEALTHY|CANCELLING/.test(status)) return 'warn';
  if (/^(COMPLETE|TERMINATED|RUNNING|LIVE)$/i.test(status)) return 'good';
  if (/PROGRESS|START|PAUSED|IDLE|PREPAR/.test(status)) return 'busy';
  return 'quiet';
}

export function Status({ of }: { readonly of: string }) {
  return <span class={`status ${moodOf(of)}`}>{words(of)}</span>;
}

export function Progress({ percent, label }: { readonly percent: number; readonly label: string }) {
  const shown = `${percent.toFixed(percent > 0 && percent < 10 ? 1 : 0)} %`;
  return (
    <span class="progress">
      <progress max={100} value={percent} aria-label={`${label}: ${shown}`} />
      <span aria-hidden="true">{shown}</span>
    </span>
  );
}

/** An error message next to the element that it is about. */
export function Problem({
  children,
  again,
}: {
  readonly children: ComponentChildren;
  readonly again?: (() => void) | undefined;
}) {
  return (
    <p class="problem" role="alert">
      {children}{' '}
      {again !== undefined && (
        <button type="button" onClick={again}>
          {TEXT.kit.tryAgain}
        </button>
      )}
    </p>
  );
}

/** A loaded value. Shows a skeleton while it is loading, and on failure the message with a button to try again. */
export function Shown<T>({
  of,
  title,
  children,
}: {
  readonly of: Loaded<T>;
  /** Heading of a whole view while there is no value. */
  readonly title?: string;
  readonly children: (value: T) => ComponentChildren;
}) {
  const { value, error, again } = of;
  return (
    <>
      {value === undefined && title !== undefined && <h1>{title}</h1>}
      {error !== undefined &&
        (title !== undefined && isUnknown(error) ? (
          <p class="problem" role="alert">
            {TEXT.kit.doesNotExistOrWas(title)} <a href={hrefOf([])}>{TEXT.kit.toTheLibrary}</a>
          </p>
        ) : (
          <Problem again={again}>{error.message}</Problem>
        ))}
      {value !== undefined ? children(value) : error === undefined && <Skeleton rows={4} />}
    </>
  );
}

/** True if the job is unknown. The specification requires 400 for an unknown job. */
const isUnknown = (error: Error) =>
  error instanceof ApiError && (error.status === 400 || error.status === 404);

/** A placeholder for a list that is loading. */
export function Skeleton({ rows }: { readonly rows: number }) {
  return (
    <div class="skeleton-rows" role="status" aria-label={TEXT.kit.loading}>
      {Array.from({ length: rows }, (_, n) => (
        <span key={n} class="skeleton" />
      ))}
    </div>
  );
}

/** Shows that the connection is lost. */
export function Connection({ live, lastSeen }: Watching) {
  const [, tick] = useState(0);
  useEffect(() => {
    if (live) return undefined;
    const timer = setInterval(() => tick((n) => n + 1), 1_000);
    return () => clearInterval(timer);
  }, [live]);
  if (live || lastSeen === undefined) return null;
  return (
    <p class="problem" role="status">
      {TEXT.kit.theConnectionIsLostLast(duration(Date.now() - lastSeen))}
    </p>
  );
}

/** A button for an irreversible action. It asks for confirmation, and the question names the object of the action. */
export function Risky({
  children,
  label,
  ask,
  act,
  isDisabled = false,
}: {
  readonly children: ComponentChildren;
  readonly isDisabled?: boolean;
  /** Description of the button if `children` is an icon. */
  readonly label?: string;
  readonly ask: string;
  readonly act: () => Promise<unknown>;
}) {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  const onClick = async () => {
    if (!confirm(ask)) return;
    setBusy(true);
    setProblem(undefined);
    try {
      await act();
    } catch (error) {
      setProblem((error as Error).message);
    }
    setBusy(false);
  };
  return (
    <>
      <button
        type="button"
        disabled={busy || isDisabled}
        aria-label={label}
        title={label}
        onClick={() => void onClick()}
      >
        {children}
      </button>
      {problem !== undefined && <Problem>{problem}</Problem>}
    </>
  );
}

/** A list of names with values. Empty values are omitted. */
export function Facts({ of }: { readonly of: readonly (readonly [string, ComponentChildren])[] }) {
  const shown = of.filter(
    ([, value]) => value !== undefined && value !== null && value !== '' && value !== false,
  );
  if (shown.length === 0) return null;
  return (
    <dl class="facts">
      {shown.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

export interface Column {
  readonly name: string;
  readonly isNumber?: true;
  /** For screen readers only. */
  readonly isUnseen?: true;
}

/** A table whose rows become cards on a narrow screen. The attribute `data-label` of each cell names its column. */
export function Table({
  columns,
  children,
}: {
  readonly columns: readonly (string | Column)[];
  readonly children: ComponentChildren;
}) {
  return (
    <table class="cards">
      <thead>
        <tr>
          {columns
            .map((column): Column => (typeof column === 'string' ? { name: column } : column))
            .map(({ name, isNumber, isUnseen }) => (
              <th key={name} scope="col" class={isNumber === true ? 'number' : undefined}>
                {isUnseen === true ? <span class="unseen">{name}</span> : name}
              </th>
            ))}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  );
}

/** A field with a button. `act` receives the text, and the field is cleared after a success. */
export function OneField({
  label,
  button,
  act,
}: {
  readonly label: string;
  readonly button: string;
  /** @throws Error with a sentence for the reader */
  readonly act: (text: string) => Promise<void>;
}) {
  const [text, setText] = useState('');
  const [problem, setProblem] = useState<string>();
  const submit = async () => {
    try {
      await act(text.trim());
      setText('');
      setProblem(undefined);
    } catch (error) {
      setProblem((error as Error).message);
    }
  };
  return (
    <form
      class="line"
      onSubmit={(event) => {
        event.preventDefault();
        if (text.trim() !== '') void submit();
      }}
    >
      <label class="grow">
        <span>{label}</span>
        <input type="text" value={text} onInput={({ currentTarget }) => setText(currentTarget.value)} />
      </label>
      <button type="submit">{button}</button>
      {problem !== undefined && <Problem>{problem}</Problem>}
    </form>
  );
}
