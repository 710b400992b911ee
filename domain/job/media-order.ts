/** The order of media in the library: what tells the place of a medium, the first key first. */

export const MEDIA_SORTS = ['newest', 'name', 'length'] as const;
/** Of the job that ended last first; or by the name of the file; or the longest, and those of most pages, first. */
export type MediaSort = (typeof MEDIA_SORTS)[number];

export const MEDIA_GROUPS = ['day', 'job', 'label'] as const;
/** Media of the newest day or job first; or by label, where a medium is listed under each label of its job. */
export type MediaGroup = (typeof MEDIA_GROUPS)[number];

export interface MediaOrder {
  /** Absent: newest. */
  readonly sort?: MediaSort | undefined;
  /** What stays together; within it the sort holds. */
  readonly group?: MediaGroup | undefined;
}

export type MediaKeyName = 'label' | 'day' | 'endedAt' | 'job' | 'name' | 'duration' | 'length' | 'place';
export type MediaKey = string | number;
/** Where a page ended. Every index of the same documents understands it. */
export type MediaPlace = readonly MediaKey[];

type Keys = readonly MediaKeyName[];
const JOB: Keys = ['endedAt', 'job'];
const SORTED: Readonly<Record<MediaSort, Keys>> = {
  newest: JOB,
  name: ['name', 'job'],
  length: ['duration', 'length', 'job'],
};

/** Media in the order of jobs are in the order of days as well. */
export function mediaKeys({ sort = 'newest', group }: MediaOrder): Keys {
  const day: Keys = sort === 'newest' ? [] : ['day'];
  const grouped: Readonly<Record<MediaGroup, Keys>> = { label: ['label'], day, job: JOB };
  return [...new Set([...(group === undefined ? [] : grouped[group]), ...SORTED[sort], 'place' as const])];
}

export const isTextKey = (key: MediaKeyName): boolean => key === 'label' || key === 'name';

/** Whether a page in this order can end there. */
export function isMediaPlace(place: MediaPlace, order: MediaOrder): boolean {
  const keys = mediaKeys(order);
  return (
    place.length === keys.length &&
    keys.every((key, n) => typeof place[n] === (isTextKey(key) ? 'string' : 'number'))
  );
}

/** Characters of a name that are compared. */
const NAME_CHARACTERS = 200;

/** The name of the file, in lower case. */
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
