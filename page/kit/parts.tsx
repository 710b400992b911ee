/** Small parts that all views are made of. */
import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { ApiError } from './answer.ts';
import type { Watching } from './events.ts';
import { duration, words } from './format.ts';
import type { Loaded } from './load.ts';
import { hrefOf } from './route.ts';
import { TEXT } from './text.ts';

/** How good news a status is; its colour is the same everywhere. */
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

/** A sentence about what went wrong, on the thing that it is about. */
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

/** What was loaded; before that a hint that it is on its way, and on failure the sentence with a way to try again. */
export function Shown<T>({
  of,
  title,
  children,
}: {
  readonly of: Loaded<T>;
  /** Of a whole view: what it is about, as its heading while there is no value. */
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

/** The specification answers 400 about a job that there is not. */
const isUnknown = (error: Error) =>
  error instanceof ApiError && (error.status === 400 || error.status === 404);

/** Stands where a list will be. */
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

/** A button for what cannot be undone: it asks once more, in words that name what it acts on. */
export function Risky({
  children,
  label,
  ask,
  act,
  isDisabled = false,
}: {
  readonly children: ComponentChildren;
  readonly isDisabled?: boolean;
  /** What the button does, where `children` is a picture. */
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

/** A list of names with what they are. Empty values are left out. */
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
  /** For readers by ear alone. */
  readonly isUnseen?: true;
}

/** A table whose rows become cards on a narrow screen: cells say with `data-label` what they are. */
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

/** A field and its button: `act` is given what was typed, and the field is empty again when that went well. */
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
