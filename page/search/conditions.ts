/** Filters of findings, as in the address of the page. */
const FILTERS = [
  'text',
  'type',
  'class',
  'colour',
  'sure',
  'days',
  'from',
  'to',
  'medium',
  'camera',
  'person',
  'inJob',
] as const;

/** Returns the filters and other values with these names in the address. */
export const chosenIn = (query: URLSearchParams, others: readonly string[]): Asked =>
  Object.fromEntries(
    [...FILTERS, ...others].flatMap((name) => (query.get(name) ? [[name, query.get(name)!]] : [])),
  );

export interface Asked {
  readonly [filter: string]: string | undefined;
}

const DAY_MS = 86_400_000;
/** Numbers of days that the search offers. */
export const DAYS = [1, 7, 30] as const;

/** Returns the midnight at which the last days began. It stays the same during a day, and so does the query. */
export const startOf = (days: number): number => new Date().setHours(0, 0, 0, 0) - (days - 1) * DAY_MS;

/** Plural words that users type for classes. */
const SINGULAR: Readonly<Record<string, string>> = { people: 'person', men: 'person', women: 'person' };

/** Converts the filters to a REST query. `from` and `to` are local times such as 2026-11-28T14:00. */
export function askedOf(chosen: Asked): Readonly<Record<string, string | undefined>> {
  const { text, sure, days, from, to, inJob, sort: _, alike: __, ...others } = chosen;
  return {
    ...others,
    anything: text?.replace(/^(people|men|women)$/i, (word) => SINGULAR[word.toLowerCase()]!),
    job: inJob,
    minConfidence: sure,
    from: isoOf(days === undefined ? from : startOf(Number(days))),
    to: isoOf(to),
    distinct: 'true',
  };
}

/** Converts the filters to the filter and the minimum similarity of a search for similar findings. */
export function similarFilterOf(chosen: Asked): object {
  const filter = askedOf(chosen);
  const numberOf = (text: string | undefined) => (text === undefined ? undefined : Number(text));
  return {
    filter: { ...filter, minConfidence: numberOf(filter['minConfidence']), distinct: true },
    minSimilarity: numberOf(chosen['alike']),
  };
}

function isoOf(time: string | number | undefined): string | undefined {
  const date = new Date(time ?? NaN);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}

/** Converts a time to the form of a field for local date and time. */
function localTime(iso: string): string {
  const date = new Date(iso);
  return new Date(date.getTime() - date.getTimezoneOffset() * MINUTE_MS)
    .toISOString()
    .slice(0, 'yyyy-mm-ddThh:mm'.length);
}
const MINUTE_MS = 60_000;

/** Returns the filters except the named ones. */
export const without = (chosen: Asked, ...names: readonly string[]): Asked =>
  Object.fromEntries(Object.entries(chosen).filter(([name]) => !names.includes(name)));

/** Converts a REST query to filters. */
export const chosenOf = ({
  anything: text,
  minConfidence: sure,
  from,
  to,
  job: inJob,
  distinct: _,
  ...others
}: Readonly<Record<string, string>>): Asked => ({
  ...{ ...others, text, sure, inJob },
  from: from && localTime(from),
  to: to && localTime(to),
});
