/** What the search is narrowed to, and the order of its hits, as they are in the address of the page. */
export const FILTERS = [
  'text',
  'type',
  'class',
  'colour',
  'sure',
  'days',
  'medium',
  'camera',
  'person',
  'sort',
] as const;

export interface Asked {
  readonly [filter: string]: string | undefined;
}

const DAY_MS = 86_400_000;

/** Words that people use for classes. */
const SINGULAR: Readonly<Record<string, string>> = { people: 'person', men: 'person', women: 'person' };

/** The conditions of the query of the REST interface. Days are counted from midnight, so that its answer can be found again. */
export function askedOf(chosen: Asked): Readonly<Record<string, string | undefined>> {
  const { text, sure, days, sort: _, ...others } = chosen;
  const midnight = new Date().setHours(0, 0, 0, 0);
  const from = days === undefined ? NaN : midnight - (Number(days) - 1) * DAY_MS;
  return {
    ...others,
    anything: text?.replace(/^(people|men|women)$/i, (word) => SINGULAR[word.toLowerCase()]!),
    minConfidence: sure,
    from: Number.isFinite(from) ? new Date(from).toISOString() : undefined,
    distinct: 'true',
  };
}

/** The conditions without these filters. */
export const without = (chosen: Asked, ...names: readonly string[]): Asked =>
  Object.fromEntries(Object.entries(chosen).filter(([name]) => !names.includes(name)));

/** The filters of a query of the REST interface. */
export const chosenOf = ({
  anything: text,
  minConfidence: sure,
  distinct: _,
  ...others
}: Readonly<Record<string, string>>): Asked => ({ ...others, text, sure });
