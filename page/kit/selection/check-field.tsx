import type { Selection } from './use-selection.ts';

/** A check field of a list item. A click or Space selects the item. With Shift, it selects all items from the last one to this one. */
export function CheckField({
  of: { has, press },
  place,
  id = place,
  label,
}: {
  readonly of: Pick<Selection, 'has' | 'press'>;
  /** Key of the item's place in the list. */
  readonly place: string;
  /** Absent if the id equals the place. */
  readonly id?: string;
  readonly label: string;
}) {
  return (
    <label class="choose">
      <input
        type="checkbox"
        data-place={place}
        checked={has(id)}
        aria-label={label}
        onClick={({ shiftKey }) => press(place, shiftKey)}
      />
    </label>
  );
}
