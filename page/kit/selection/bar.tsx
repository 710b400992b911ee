import type { ComponentChildren } from 'preact';
import { Icon, type IconName } from '../icons.tsx';
import { TEXT } from '../text.ts';
import type { Selection } from './use-selection.ts';

/** Lies over the end of the window while something is selected, so that nothing moves; then with what became of the last action. */
export function SelectionBar({
  of: { isEmpty, isWhole, selectAll, clear },
  label,
  text,
  more,
  children,
  outcome,
  dismiss,
}: {
  readonly of: Selection;
  /** Of the bar, for readers by ear. */
  readonly label: string;
  /** How many are selected. */
  readonly text: string;
  /** Stands in place of "Select all" when all that is listed is selected. */
  readonly more?: ComponentChildren;
  /** What can be done with what is selected. */
  readonly children: ComponentChildren;
  /** What became of the last action. */
  readonly outcome?: ComponentChildren;
  readonly dismiss?: () => void;
}) {
  const hasOutcome = outcome != null && outcome !== false;
  const close = () => {
    dismiss?.();
    clear();
  };
  return (
    <section class={isEmpty && !hasOutcome ? 'unseen' : 'selection'} aria-label={label}>
      {hasOutcome && <div class="outcome">{outcome}</div>}
      <strong role="status">{isEmpty ? '' : text}</strong>
      {!isEmpty && (
        <>
          {isWhole ? (
            more
          ) : (
            <button type="button" class="plain" onClick={selectAll}>
              {TEXT.kit.selectAll}
            </button>
          )}
          <div class="deeds">{children}</div>
        </>
      )}
      {(!isEmpty || hasOutcome) && (
        <button
          type="button"
          class="quiet-button clear"
          aria-keyshortcuts="Escape"
          title={TEXT.kit.clearByKey}
          onClick={close}
        >
          <Icon name="close" size={16} />
          <span>{isEmpty ? TEXT.common.close : TEXT.kit.clear}</span>
        </button>
      )}
    </section>
  );
}

/** An action of the bar; on a phone its icon alone. */
export function BarButton({
  icon,
  text,
  act,
  isDisabled = false,
}: {
  readonly icon: IconName;
  readonly text: string;
  readonly act: () => void;
  readonly isDisabled?: boolean;
}) {
  return (
    <button type="button" class="deed" title={text} disabled={isDisabled} onClick={act}>
      <Icon name={icon} size={16} />
      <span>{text}</span>
    </button>
  );
}
