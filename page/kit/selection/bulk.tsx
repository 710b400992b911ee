/** One action on all selected items, with one request per item. */
import { useState } from 'preact/hooks';
import { count, countText } from '../format.ts';
import { TEXT } from '../text.ts';

/** An action on items. */
interface Deed<T> {
  /** Question for confirmation. Undefined if no confirmation is needed. */
  readonly ask?: string | undefined;
  /** Returns why an item is skipped. Returns undefined if it is processed. */
  readonly refuse?: (item: T) => string | undefined;
  /** @throws Error with a sentence for the reader */
  readonly act: (item: T) => Promise<unknown>;
}

interface Report<T> {
  readonly deed: Deed<T>;
  readonly total: number;
  readonly done: number;
  readonly failures: readonly Failure<T>[];
  /** Items for which a second attempt would also fail. */
  readonly refused: readonly Failure<T>[];
}

interface Failure<T> {
  readonly item: T;
  readonly message: string;
}

/** Words for the items of a list. */
interface Words<T> {
  readonly nameOf: (item: T) => string;
  readonly one: string;
  readonly many?: string;
}

/** Performs an action on items one by one. `onEnd`: called after the last. */
export function useBulk<T>(words: Words<T>, onEnd: () => void) {
  const [report, setReport] = useState<Report<T>>();
  const [isBusy, setBusy] = useState(false);
  const work = async (deed: Deed<T>, items: readonly T[]) => {
    if (deed.ask !== undefined && !confirm(deed.ask)) return;
    setBusy(true);
    const judged = items.map((item) => ({ item, message: deed.refuse?.(item) }));
    const refused = judged.flatMap(({ item, message }) => (message === undefined ? [] : [{ item, message }]));
    let now: Report<T> = { deed, total: items.length, done: 0, failures: [], refused };
    setReport(now);
    for (const { item } of judged.filter(({ message }) => message === undefined)) {
      try {
        await deed.act(item);
        now = { ...now, done: now.done + 1 };
      } catch (error) {
        now = { ...now, failures: [...now.failures, { item, message: (error as Error).message }] };
      }
      setReport(now);
    }
    setBusy(false);
    onEnd();
  };
  const again = () => {
    if (report === undefined) return;
    const { deed, failures } = report;
    void work(
      { act: deed.act },
      failures.map(({ item }) => item),
    );
  };
  return {
    isBusy,
    run: (deed: Deed<T>, items: readonly T[]) => void work(deed, items),
    outcome: report && <Done report={report} words={words} again={isBusy ? undefined : again} />,
    dismiss: () => setReport(undefined),
  };
}

function Done<T>({
  report: { total, done, failures, refused },
  words: { nameOf, one, many },
  again,
}: {
  readonly report: Report<T>;
  readonly words: Words<T>;
  readonly again: (() => void) | undefined;
}) {
  const names = Map.groupBy([...failures, ...refused], ({ message }) => message);
  return (
    <Outcome
      text={TEXT.kit.ofDone(count(done), countText(total, one, many))}
      failures={[...names].map(([message, some]) =>
        TEXT.kit.failureOf(listText(some.map(({ item }) => nameOf(item))), message),
      )}
      again={failures.length === 0 ? undefined : again}
    />
  );
}

/** Maximum number of names in a message. */
const NAMES = 5;

const listText = (names: readonly string[]): string =>
  names.length <= NAMES
    ? names.join(', ')
    : `${names.slice(0, NAMES).join(', ')} ${TEXT.common.and(countText(names.length - NAMES, TEXT.common.other))}`;

/** The number of processed items, and the failures with their reasons. */
export function Outcome({
  text,
  failures,
  again,
}: {
  readonly text: string;
  /** One sentence per failure. */
  readonly failures: readonly string[];
  readonly again?: (() => void) | undefined;
}) {
  return (
    <div role="status">
      <p>
        {text}{' '}
        {again !== undefined && (
          <button type="button" onClick={again}>
            {TEXT.kit.tryAgain}
          </button>
        )}
      </p>
      {failures.map((failure) => (
        <p class="hint" key={failure}>
          {failure}
        </p>
      ))}
    </div>
  );
}
