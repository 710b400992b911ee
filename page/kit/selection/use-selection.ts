/** Selection in a list: by pointer, with Shift for a range, and by keys. */
import type { RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { idsBetween, NOTHING, withIds, type Choice, type Place } from './choice.ts';
import { fieldBeside, fieldsIn, neighbourOf, placeOf } from './fields.ts';

export interface Selection {
  /** Selected ids among the listed items, or all that match the filters. */
  readonly choice: Choice;
  readonly isEmpty: boolean;
  /** True if all listed items are selected. */
  readonly isWhole: boolean;
  readonly has: (id: string) => boolean;
  /** Selects or deselects an item. `isRange`: all items since the last one get the state of the last one. */
  readonly press: (key: string, isRange: boolean) => void;
  readonly selectAll: () => void;
  /** Selects all items that match the filters, including those that are not listed. */
  readonly selectMatching: () => void;
  readonly clear: () => void;
  /** Properties for the element around the list. */
  readonly list: {
    readonly ref: RefObject<HTMLDivElement | null>;
    /** True if all check fields are visible. */
    readonly 'data-choosing': boolean;
    readonly onClick: (event: MouseEvent) => void;
    readonly onKeyDown: (event: KeyboardEvent) => void;
  };
}

/** @param key of the list. A list with other filters or another page has another key, and starts without a selection */
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
  /** Changes the end of a range. The start of the range stays. */
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

/** Elements that handle Escape first: open dialogs and menus, and text fields. */
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
    // Runs before the same key closes a menu.
    addEventListener('keydown', onKey, true);
    return () => removeEventListener('keydown', onKey, true);
  }, [isOn]);
}
