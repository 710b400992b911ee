/** Labels: short words by which users group their jobs. */

export const MAX_LABELS = 16;
/** Form of a label. */
export const LABEL_FORM = /^[A-Za-z0-9._:-]{1,64}$/;

/** Labels to add to a job, and labels to remove from it. */
export interface LabelChange {
  readonly add: readonly string[];
  readonly remove: readonly string[];
}

/** The labels after the change, sorted and without duplicates. There may be too many of them. */
export function changeLabels(labels: readonly string[], { add, remove }: LabelChange): readonly string[] {
  const gone = new Set(remove);
  return [...new Set([...labels.filter((label) => !gone.has(label)), ...add])];
}
