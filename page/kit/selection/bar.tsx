import type { ComponentChildren } from 'preact';
import { useLayoutEffect } from 'preact/hooks';
import { Icon, type IconName } from '../icons.tsx';
import { TEXT } from '../text.ts';
import type { Selection } from './use-selection.ts';

/**
 * A bar over the bottom of the window, so that no content moves. Shown while something is selected, then with the result of the last
 * action.
 */
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
  /** Label of the bar for screen readers. */
  readonly label: string;
  /** Number of selected items as text. */
  readonly text: string;
  /** Replaces "Select all" when all listed items are selected. */
  readonly more?: ComponentChildren;
  /** Actions on the selected items. */
  readonly children: ComponentChildren;
  /** Result of the last action. */
  readonly outcome?: ComponentChildren;
  readonly dismiss?: () => void;
}) {
  const hasOutcome = outcome != null && outcome !== false;
  const isShown = !isEmpty || hasOutcome;
  // A class, because :has() on the whole page makes every change of a list slow.
  useLayoutEffect(() => {
    document.documentElement.classList.toggle('selecting', isShown);
    return () => document.documentElement.classList.remove('selecting');
  }, [isShown]);
  const close = () => {
    dismiss?.();
    clear();
  };
  return (
    <section class={isShown ? 'selection' : 'unseen'} aria-label={label}>
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
      {isShown && (
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

/** An action of the bar. On a phone only its icon is shown. */
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
