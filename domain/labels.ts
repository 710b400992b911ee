/** Labels: short words by which users group their jobs. */

export const MAX_LABELS = 16;
/** Of one label. */
export const LABEL_FORM = /^[A-Za-z0-9._:-]{1,64}$/;

/** Labels to be put on a job, and labels to be taken off it. */
export interface LabelChange {
  readonly add: readonly string[];
  readonly remove: readonly string[];
}

/** The labels after the change, each once and in order; there may be too many of them. */
export function changeLabels(labels: readonly string[], { add, remove }: LabelChange): readonly string[] {
  const gone = new Set(remove);
  return [...new Set([...labels.filter((label) => !gone.has(label)), ...add])];
}
