/** The arrangement of the library, as in the address of the page. */

export const VIEWS = ['grid', 'list'] as const;
export type View = (typeof VIEWS)[number];
export const SORTS = ['newest', 'name', 'length'] as const;
export type Sort = (typeof SORTS)[number];
export const GROUPS = ['day', 'job', 'label', 'none'] as const;
export type Group = (typeof GROUPS)[number];

export interface Arrangement {
  readonly view: View;
  readonly sort: Sort;
  readonly group: Group;
}

export const ARRANGED = ['view', 'sort', 'group'] as const;

/**
 * Returns the arrangement from the address. The default replaces missing or invalid values. A list sorted by name has no headings of days.
 */
export function arrangementOf(query: URLSearchParams): Arrangement {
  const sort = oneOf(SORTS, query.get('sort')) ?? 'newest';
  return {
    view: oneOf(VIEWS, query.get('view')) ?? 'grid',
    sort,
    group: oneOf(GROUPS, query.get('group')) ?? (sort === 'newest' ? 'day' : 'none'),
  };
}

/** Returns the query of `rest/library`. */
export const orderQuery = ({ sort, group }: Arrangement) => ({
  sort,
  group: group === 'none' ? undefined : group,
  utcOffset: group === 'day' ? -new Date().getTimezoneOffset() : undefined,
});

const oneOf = <T extends string>(values: readonly T[], given: string | null): T | undefined =>
  values.find((value) => value === given);
