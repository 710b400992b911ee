/** The filters of the search and the order of its hits, as in the address of the page. */
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

/** Plural words that users type for classes. */
const SINGULAR: Readonly<Record<string, string>> = { people: 'person', men: 'person', women: 'person' };

/** Converts the filters to a REST query. Days count from midnight, so that the query stays the same during a day. */
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

/** Returns the filters except the named ones. */
export const without = (chosen: Asked, ...names: readonly string[]): Asked =>
  Object.fromEntries(Object.entries(chosen).filter(([name]) => !names.includes(name)));

/** Converts a REST query to filters. */
export const chosenOf = ({
  anything: text,
  minConfidence: sure,
  distinct: _,
  ...others
}: Readonly<Record<string, string>>): Asked => ({ ...others, text, sure });
