import { scopesOf, type Sight } from '../../domain/users/owner.ts';
import type { MediaKey } from '../../domain/job/media-order.ts';
import type Database from 'better-sqlite3';
import type {
  Finding,
  FoundMedium,
  MediaCounts,
  MediaPage,
  MediaQuery,
  ShownBox,
} from '../../store/search.ts';
import { orderStatement, type OrderStatement } from './media-order.ts';
import { WHOLE } from './schema.ts';

/** Maximum number of types and classes counted: those of most media. */
const MOST_COUNTS = 100;
/** Maximum number of users whose counts are cached. */
const MOST_SIGHTS = 100;

interface Row extends Omit<FoundMedium, 'findings' | 'boxes'>, Readonly<Record<`k${number}`, MediaKey>> {
  readonly findings: string;
  readonly boxes: string;
}

/** Lists the media of the index. */
export class MediaFinder {
  readonly #database: Database.Database;
  /** Cached counts of the current version of the index, by the sight of the user. */
  readonly #counts = new Map<string, MediaCounts>();
  #version: unknown;

  constructor(database: Database.Database) {
    this.#database = database;
  }

  page(query: MediaQuery): MediaPage {
    const order = orderStatement(query);
    const { utcOffset = 0 } = query;
    const rows = this.#database
      .prepare<[object], Row>(pageStatement(query, order))
      .all({ ...query, utcOffset, ...seenBy(query.sight), ...textsOf(query), ...order.values });
    const last = rows.length > query.limit ? rows[query.limit - 1] : undefined;
    const next = last === undefined ? null : order.columns.map((_, n) => last[`k${n}`]!);
    return { media: rows.slice(0, query.limit).map(toMedium), next };
  }

  /** Returns the counts. Counting many media takes long, so the result is cached until the index changes. */
  counts(sight: Sight): MediaCounts {
    const version = this.#database.pragma('data_version', { simple: true });
    if (version !== this.#version || this.#counts.size >= MOST_SIGHTS) this.#counts.clear();
    this.#version = version;
    const key = JSON.stringify(sight);
    const counts = this.#counts.get(key) ?? this.#countAll(sight);
    this.#counts.set(key, counts);
    return counts;
  }

  #countAll(sight: Sight): MediaCounts {
    const of = ownersSeen(sight);
    const ofTypes = this.#database
      .prepare<[object], { type: string; media: number }>(
        `select m.type, count(*) as media from media m join jobs j on j.id = m.job
         where j.state = ${WHOLE} and m.own = 1 and ${of} group by m.type`,
      )
      .all(seenBy(sight));
    const findings = this.#database
      .prepare<[object], { type: string; class: string; media: number }>(
        `select f.type, f.class, count(*) as media from findings f join jobs j on j.id = f.job
         where j.state = ${WHOLE} and ${of} group by f.type, f.class order by media desc limit ${MOST_COUNTS}`,
      )
      .all(seenBy(sight));
    const labels = this.#database
      .prepare<[object], { label: string; media: number }>(
        `select l.label, sum(m.media) as media
         from (select job, count(*) as media from media where own = 1 group by job) m
           join jobs j on j.id = m.job join labels l on l.job = m.job
         where j.state = ${WHOLE} and ${of} group by l.label order by media desc, l.label limit ${MOST_COUNTS}`,
      )
      .all(seenBy(sight));
    return {
      labels,
      total: ofTypes.reduce((sum, { media }) => sum + media, 0),
      mediaTypes: Object.fromEntries(ofTypes.map(({ type, media }) => [type, media])),
      findings: findings.map((one) => ({ ...one, class: one.class === '' ? null : one.class })),
    };
  }
}

/** Returns the SQL condition for the jobs that a user may see. A job without an owner belongs to no user. */
export const ownersSeen = (sight: Sight): string =>
  sight === 'ALL' ? 'true' : '(j.user = @seenUser or j.user_group = @seenGroup)';

export const seesNobody = (sight: Sight): boolean => sight !== 'ALL' && scopesOf(sight).length === 0;

export function seenBy(sight: Sight): {
  readonly seenUser: string | null;
  readonly seenGroup: string | null;
} {
  const { user = null, group = null } = sight === 'ALL' ? {} : sight;
  return { seenUser: user, seenGroup: group };
}

/** Returns the statement of a page. It contains only the given filters, so that each can use its index. */
function pageStatement(query: MediaQuery, order: OrderStatement): string {
  const { type, class: name, mediaType, label, from, to } = query;
  const finding = [
    ...(type === undefined ? [] : ['f.type = @type']),
    ...(name === undefined ? [] : ['f.class = @class']),
  ];
  const filters = [
    `j.state = ${WHOLE} and m.own = 1`,
    ownersSeen(query.sight),
    ...(finding.length === 0
      ? []
      : [
          `exists (select 1 from findings f where f.job = m.job and f.place = m.place and ${finding.join(' and ')})`,
        ]),
    ...(mediaType === undefined ? [] : ['m.type = @mediaType']),
    ...(query.name === undefined ? [] : [String.raw`m.uri like @name escape '\'`]),
    ...(label === undefined
      ? []
      : ['exists (select 1 from labels n where n.job = j.id and n.label = @label)']),
    ...(query.firstOf === undefined ? [] : [FIRST_OF]),
    ...(from === undefined ? [] : ['j.ended_at >= @from']),
    ...(to === undefined ? [] : ['j.ended_at < @to']),
    ...(order.after === undefined ? [] : [order.after]),
  ];
  const listed = query.group === 'label' ? 'l.label' : 'null';
  const found = `select j.id as job, m.place as place, ${listed} as label, ${order.columns.join(', ')}
    from ${order.tables} where ${filters.join(' and ')} order by ${order.orderBy} limit @limit + 1`;
  const keys = order.columns.map((_, n) => `page.k${n}`).join(', ');
  // Complete rows are read only for the media of the page.
  return `select ${keys}, page.label, j.number, j.run, j.job_id as jobId, j.external_id as externalId, j.ended_at as jobEndedAt,
      m.place as mediaIndex, m.media_id as mediaId, m.uri as mediaUri, m.type as mediaType, m.mime_type as mimeType,
      m.length, m.duration_ms as durationMs, m.width, m.height, m.frame, m.findings, m.boxes
    from (${found}) page cross join jobs j on j.id = page.job
      cross join media m on m.job = page.job and m.place = page.place
    order by ${order.orderBy}`;
}

const isKey = (name: string): boolean => /^k\d$/.test(name);

const withoutKeys = (row: Omit<Row, 'findings' | 'boxes'>) =>
  Object.fromEntries(Object.entries(row).filter(([name]) => !isKey(name))) as unknown as Omit<
    FoundMedium,
    'findings' | 'boxes'
  >;

const toMedium = ({ findings, boxes, ...row }: Row): FoundMedium => ({
  ...withoutKeys(row),
  findings: JSON.parse(findings) as readonly Finding[],
  boxes: JSON.parse(boxes) as readonly ShownBox[],
});

const FIRST_OF = `j.number in (select value from json_each(@firstOf))
  and m.place = (select min(place) from media where job = j.id and own = 1)`;

const textsOf = ({ name, firstOf }: MediaQuery) => ({
  name: likeText(name),
  firstOf: firstOf === undefined ? undefined : JSON.stringify(firstOf),
});

export const likeText = (name: string | undefined): string | undefined =>
  name === undefined ? undefined : `%${name.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;
