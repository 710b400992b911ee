/** The order of the library as SQL. */
import { mediaKeys, type MediaKey, type MediaKeyName } from '../../domain/job/media-order.ts';
import type { MediaQuery } from '../../store/search.ts';

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
/** Sort key of media without a label, which come last. No label contains this character. */
const WITHOUT_LABEL = '~';

const SQL: Readonly<Record<MediaKeyName, string>> = {
  label: `coalesce(l.label, '${WITHOUT_LABEL}')`,
  day: `cast((j.ended_at + @utcOffset * ${MINUTE_MS}) / ${DAY_MS} as integer)`,
  endedAt: 'j.ended_at',
  job: 'j.number',
  name: 'm.name',
  duration: 'coalesce(m.duration_ms, 0)',
  length: 'm.length',
  place: 'm.place',
};
const IS_RISING: ReadonlySet<MediaKeyName> = new Set<MediaKeyName>(['label', 'name', 'place']);

export interface OrderStatement {
  /** The tables from which rows are read in this order, if an index has it. */
  readonly tables: string;
  /** Columns of the keys: `k0`, `k1` and so on. */
  readonly columns: readonly string[];
  readonly orderBy: string;
  /** Condition for all rows after the cursor. Absent if there is no cursor. */
  readonly after?: string;
  readonly values: Readonly<Record<string, MediaKey>>;
}

export function orderStatement(query: MediaQuery): OrderStatement {
  const { cursor, group, sort = 'newest' } = query;
  const isOfMedia = group === undefined && sort !== 'newest';
  // The indexes of media contain the number of the job.
  const sqlOf = (key: MediaKeyName) => (isOfMedia && key === 'job' ? 'm.number' : SQL[key]);
  const keys = mediaKeys(query).map((key) => ({ sql: sqlOf(key), isRising: IS_RISING.has(key) }));
  return {
    tables: isOfMedia
      ? 'media m cross join jobs j on j.id = m.job'
      : `jobs j ${group === 'label' ? 'left join labels l on l.job = j.id ' : ''}cross join media m on m.job = j.id`,
    columns: keys.map(({ sql }, n) => `${sql} as k${n}`),
    orderBy: keys.map(({ isRising }, n) => `k${n}${isRising ? '' : ' desc'}`).join(', '),
    ...(cursor === undefined ? {} : { after: afterCursor(keys) }),
    values: Object.fromEntries((cursor ?? []).map((value, n) => [`c${n}`, value])),
  };
}

interface OrderKey {
  readonly sql: string;
  readonly isRising: boolean;
}

/** Returns the condition for rows after the cursor. The first key is also compared alone, so that its index is used. */
function afterCursor([key, ...others]: readonly OrderKey[], n = 0): string {
  const { sql, isRising } = key!;
  const beyond = `${sql} ${isRising ? '>' : '<'} @c${n}`;
  if (others.length === 0) return beyond;
  return `${sql} ${isRising ? '>=' : '<='} @c${n} and (${beyond} or (${afterCursor(others, n + 1)}))`;
}
