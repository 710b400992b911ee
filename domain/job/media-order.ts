/** Orders of media in the library, with the sort keys of each medium by priority. */

export const MEDIA_SORTS = ['newest', 'name', 'length'] as const;
/** newest: the last ended job first. name: by file name. length: the longest, or those with most pages, first. */
export type MediaSort = (typeof MEDIA_SORTS)[number];

export const MEDIA_GROUPS = ['day', 'job', 'label'] as const;
/** Groups: media of the newest day or job first, or by label. A medium appears under each label of its job. */
export type MediaGroup = (typeof MEDIA_GROUPS)[number];

export interface MediaOrder {
  /** Absent: newest. */
  readonly sort?: MediaSort | undefined;
  /** Grouping. The sort order applies within each group. */
  readonly group?: MediaGroup | undefined;
}

export type MediaKeyName = 'label' | 'day' | 'endedAt' | 'job' | 'name' | 'duration' | 'length' | 'place';
export type MediaKey = string | number;
/** End of a page. Every index of the same documents can continue from it. */
export type MediaPlace = readonly MediaKey[];

type Keys = readonly MediaKeyName[];
const JOB: Keys = ['endedAt', 'job'];
const SORTED: Readonly<Record<MediaSort, Keys>> = {
  newest: JOB,
  name: ['name', 'job'],
  length: ['duration', 'length', 'job'],
};

/** Media in the order of jobs are also in the order of days. */
export function mediaKeys({ sort = 'newest', group }: MediaOrder): Keys {
  const day: Keys = sort === 'newest' ? [] : ['day'];
  const grouped: Readonly<Record<MediaGroup, Keys>> = { label: ['label'], day, job: JOB };
  return [...new Set([...(group === undefined ? [] : grouped[group]), ...SORTED[sort], 'place' as const])];
}

export const isTextKey = (key: MediaKeyName): boolean => key === 'label' || key === 'name';

/** True if a page in this order can end at this place. */
export function isMediaPlace(place: MediaPlace, order: MediaOrder): boolean {
  const keys = mediaKeys(order);
  return (
    place.length === keys.length &&
    keys.every((key, n) => typeof place[n] === (isTextKey(key) ? 'string' : 'number'))
  );
}

/** Number of compared characters of a name. */
const NAME_CHARACTERS = 200;

/** The file name in lower case. */
export function sortedName(uri: string): string {
  const path = uri.split(/[?#]/)[0]!;
  let end = path.length;
  while (path[end - 1] === '/') end--;
  const name = path.slice(path.lastIndexOf('/', end - 1) + 1, end);
  return decodeName(name === '' ? uri : name)
    .toLowerCase()
    .slice(0, NAME_CHARACTERS);
}

function decodeName(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
