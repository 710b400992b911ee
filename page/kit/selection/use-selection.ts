/** What is selected in a list: by pointer, with Shift for a range, and by keys. */
import type { RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { idsBetween, NOTHING, withIds, type Choice, type Place } from './choice.ts';
import { fieldBeside, fieldsIn, neighbourOf, placeOf } from './fields.ts';

export interface Selection {
  /** Only what is listed. */
  readonly choice: Choice;
  readonly isEmpty: boolean;
  /** Whether everything listed is selected. */
  readonly isWhole: boolean;
  readonly has: (id: string) => boolean;
  /** Selects one, or takes it away. `isRange`: everything from the last one on gets the state of that one. */
  readonly press: (key: string, isRange: boolean) => void;
  readonly selectAll: () => void;
  /** Selects what matches the filters, also beyond what is listed. */
  readonly selectMatching: () => void;
  readonly clear: () => void;
  /** For the element around the list. */
  readonly list: {
    readonly ref: RefObject<HTMLDivElement | null>;
    /** Whether check fields are shown everywhere. */
    readonly 'data-choosing': boolean;
    readonly onClick: (event: MouseEvent) => void;
    readonly onKeyDown: (event: KeyboardEvent) => void;
  };
}

/** @param key of the list: with other filters, or on another page, nothing is selected */
export function useSelection(places: readonly Place[], key = ''): Selection {
  const [last, setLast] = useState<{ readonly key: string; readonly choice: Choice }>();
  const list = useRef<HTMLDivElement>(null);
  const anchor = useRef<string>(undefined);
  const stored = last?.key === key ? last.choice : NOTHING;
  const listed = new Set(places.map(({ id }) => id));
  const chosen = stored === 'all' ? listed : new Set([...stored].filter((id) => listed.has(id)));
  const isEmpty = stored !== 'all' && chosen.size === 0;
  const has = (id: string) => stored === 'all' || chosen.has(id);
  const idOf = (wanted: string) => places.find((place) => place.key === wanted)?.id;
  const choose = (choice: Choice) => setLast({ key, choice });
  const press = (at: string, isRange: boolean) => {
    const [id, from] = [idOf(at), anchor.current];
    if (id === undefined) return;
    const ids = isRange && from !== undefined ? idsBetween(places, from, at) : [];
    choose(ids.length > 0 ? withIds(chosen, ids, has(idOf(from!) ?? id)) : withIds(chosen, [id], !has(id)));
    if (isRange) getSelection()?.removeAllRanges();
    anchor.current = at;
  };
  /** The range from where it began ends at another place. */
  const extend = (from: string, to: string) => {
    const start = anchor.current !== undefined && has(idOf(anchor.current) ?? '') ? anchor.current : from;
    const without = withIds(chosen, idsBetween(places, start, from), false);
    choose(withIds(without, idsBetween(places, start, to), true));
    anchor.current = start;
  };
  const selectAll = () => choose(listed);
  const clear = () => {
    const isInBar = document.activeElement?.closest('.selection') != null;
    choose(NOTHING);
    const fields = fieldsIn(list.current);
    if (isInBar) (fields.find((field) => placeOf(field) === anchor.current) ?? fields[0])?.focus();
    anchor.current = undefined;
  };
  useEscape(!isEmpty, clear);
  return {
    ...{ choice: stored === 'all' ? stored : chosen, isEmpty, has, press, selectAll, clear },
    isWhole: listed.size > 0 && chosen.size === listed.size,
    selectMatching: () => choose('all'),
    list: {
      ref: list,
      'data-choosing': !isEmpty,
      onClick: (event) => {
        const field = event.shiftKey && !isEmpty ? fieldBeside(event.target, list.current) : undefined;
        if (field === undefined) return;
        event.preventDefault();
        press(placeOf(field), true);
      },
      onKeyDown: (event) => {
        const field = fieldBeside(event.target, list.current, true);
        if (field === undefined) return;
        const next = event.shiftKey ? neighbourOf(field, list.current, event.key) : undefined;
        if (next !== undefined) {
          extend(placeOf(field), placeOf(next));
          next.focus();
        } else if (event.key === ' ' && event.target !== field) press(placeOf(field), event.shiftKey);
        else if (event.key === 'a' && (event.ctrlKey || event.metaKey)) {
          anchor.current = placeOf(field);
          selectAll();
        } else return;
        event.preventDefault();
      },
    },
  };
}

/** Escape is for what is open above the list, and for a text that is being typed, first. */
const BUSY = 'dialog[open], details.menu[open]';
const TYPED = 'input:not([type=checkbox]), textarea, select';

function useEscape(isOn: boolean, act: () => void): void {
  const latest = useRef(act);
  latest.current = act;
  useEffect(() => {
    if (!isOn) return undefined;
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || document.querySelector(BUSY) !== null) return;
      if (!(event.target as Element).matches(TYPED)) latest.current();
    };
    // Before a menu is closed by the same key.
    addEventListener('keydown', onKey, true);
    return () => removeEventListener('keydown', onKey, true);
  }, [isOn]);
}
