/** The check fields of a list in the page. */

type Root = HTMLElement | null;

const FIELD = 'input[data-place]';

export const placeOf = (field: HTMLInputElement): string => field.dataset['place'] ?? '';

export const fieldsIn = (root: Root): readonly HTMLInputElement[] =>
  root === null ? [] : [...root.querySelectorAll<HTMLInputElement>(FIELD)];

/** Returns the check field of the item to which a link belongs. `isOwn`: a check field returns itself. */
export function fieldBeside(
  target: EventTarget | null,
  root: Root,
  isOwn = false,
): HTMLInputElement | undefined {
  const element = target as HTMLElement;
  if (element.matches(FIELD)) return isOwn ? (element as HTMLInputElement) : undefined;
  let at = element.closest<HTMLElement>('a');
  for (; at !== null && at !== root; at = at.parentElement) {
    const field = at.querySelector<HTMLInputElement>(FIELD);
    if (field !== null) return field;
  }
  return undefined;
}

/** Maximum difference between the upper edges of fields in one row: pixels. */
const ROW = 8;

/** Returns the field for an arrow key: the one beside, or the nearest one in the next row. */
export function neighbourOf(field: HTMLInputElement, root: Root, key: string): HTMLInputElement | undefined {
  const fields = fieldsIn(root);
  const at = fields.indexOf(field);
  if (key === 'ArrowRight') return fields[at + 1];
  if (key === 'ArrowLeft') return fields[at - 1];
  if (key !== 'ArrowDown' && key !== 'ArrowUp') return undefined;
  const sign = key === 'ArrowDown' ? 1 : -1;
  const { left, top } = field.getBoundingClientRect();
  const ahead = fields
    .map((one) => ({ one, rect: one.getBoundingClientRect() }))
    .map(({ one, rect }) => ({ one, down: (rect.top - top) * sign, aside: Math.abs(rect.left - left) }))
    .filter(({ down }) => down > ROW);
  const row = Math.min(...ahead.map(({ down }) => down));
  return ahead.filter(({ down }) => down < row + ROW).toSorted((a, b) => a.aside - b.aside)[0]?.one;
}
