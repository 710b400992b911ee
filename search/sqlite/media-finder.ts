import { scopesOf, type Sight } from '../../domain/users/owner.ts';
import type Database from 'better-sqlite3';
import type {
  Finding,
  FoundMedium,
  MediaCounts,
  MediaPage,
  MediaQuery,
  ShownBox,
} from '../../store/search.ts';
import { WHOLE } from './schema.ts';

/** Types and classes that are counted: those of most media. */
const MOST_COUNTS = 100;

interface Row extends Omit<FoundMedium, 'findings' | 'boxes'> {
  readonly findings: string;
  readonly boxes: string;
}

/** Lists the media of the index. */
export class MediaFinder {
  readonly #database: Database.Database;

  constructor(database: Database.Database) {
    this.#database = database;
  }

  page(query: MediaQuery): MediaPage {
    const rows = this.#database
      .prepare<[object], Row>(pageStatement(query))
      .all({ ...query.cursor, ...query, ...seenBy(query.sight), ...textsOf(query) });
    const media = rows.slice(0, query.limit).map(toMedium);
    const last = rows.length > query.limit ? media.at(-1) : undefined;
    const next =
      last === undefined ? null : { endedAt: last.jobEndedAt, job: last.number, place: last.mediaIndex };
    return { media, next };
  }

  counts(sight: Sight): MediaCounts {
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
    return {
      total: ofTypes.reduce((sum, { media }) => sum + media, 0),
      mediaTypes: Object.fromEntries(ofTypes.map(({ type, media }) => [type, media])),
      findings: findings.map((one) => ({ ...one, class: one.class === '' ? null : one.class })),
    };
  }
}

/** Whose jobs are meant: a job without an owner is nobody's. */
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

/** Only the filters that are given, so that each uses its index. */
function pageStatement(query: MediaQuery): string {
  const { type, class: name, mediaType, from, to, cursor } = query;
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
    ...(query.firstOf === undefined ? [] : [FIRST_OF]),
    ...(from === undefined ? [] : ['j.ended_at >= @from']),
    ...(to === undefined ? [] : ['j.ended_at < @to']),
    ...(cursor === undefined
      ? []
      : [
          `(j.ended_at, j.number) <= (@endedAt, @job) and ((j.ended_at, j.number) < (@endedAt, @job) or m.place > @place)`,
        ]),
  ];
  return `select j.number, j.run, j.job_id as jobId, j.external_id as externalId, j.ended_at as jobEndedAt,
      m.place as mediaIndex, m.media_id as mediaId, m.uri as mediaUri, m.type as mediaType, m.mime_type as mimeType,
      m.length, m.duration_ms as durationMs, m.width, m.height, m.frame, m.findings, m.boxes
    from jobs j cross join media m on m.job = j.id where ${filters.join(' and ')}
    order by j.ended_at desc, j.number desc, m.place limit @limit + 1`;
}

const toMedium = ({ findings, boxes, ...row }: Row): FoundMedium => ({
  ...row,
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
