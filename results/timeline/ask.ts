import type { Database } from 'better-sqlite3';
import { countTracks, heatMap } from './count.ts';
import { runZones } from './zones.ts';
import { unknownMedium } from '../../domain/job/media-ids.ts';
import { UNAVAILABLE } from '../../domain/tracks/viewing.ts';
import type {
  Answers,
  BoxPage,
  Lane,
  MediaPage,
  Question,
  TrackPage,
  TrackQuery,
  ViewedBox,
  ViewedIssue,
  ViewedMedium,
  ViewedTrack,
} from '../../domain/tracks/viewing.ts';

/** Answers a question from an index. */
export function ask(db: Database, question: Question): Answers[Question['kind']] {
  switch (question.kind) {
    case 'media':
      return media(db, question);
    case 'lanes':
      return lanes(db, placeOf(db, question.medium));
    case 'tracks':
      return tracks(db, placeOf(db, question.medium), question);
    case 'boxes':
      return boxes(db, placeOf(db, question.medium), question);
    case 'counts':
      return countTracks(db, placeOf(db, question.medium), question.intervalMs);
    case 'heat':
      return heatMap(db, placeOf(db, question.medium), question);
    case 'zones':
      return runZones(db, placeOf(db, question.medium), question);
    case 'zoneRun':
      return zoneRun(db, placeOf(db, question.medium));
  }
}

/** The document has no such medium; the message says which media it has. */
export class UnknownMedium extends Error {
  override readonly name = 'UnknownMedium';
}

/** Position of a medium in the document. @throws UnknownMedium */
function placeOf(db: Database, mediaId: number): number {
  const row = db
    .prepare<[number], { n: number }>('SELECT n FROM media WHERE media_id = ? LIMIT 1')
    .get(mediaId);
  if (row !== undefined) return row.n;
  const known = db.prepare<[], { id: number }>('SELECT media_id AS id FROM media').all();
  throw new UnknownMedium(
    unknownMedium(
      mediaId,
      known.map(({ id }) => id),
    ),
  );
}

/** Maximum number of issues of a medium, or of the job, in an answer. */
const MOST_ISSUES = 100;

function media(db: Database, { limit, offset, mediaId }: Extract<Question, { kind: 'media' }>): MediaPage {
  const first = mediaId === undefined ? offset : placeOf(db, mediaId);
  const rows = db
    .prepare<
      [number, number],
      Omit<ViewedMedium, 'metadata' | 'issues' | 'findings'> & Record<'metadata' | 'findings', string>
    >(
      `SELECT n, media_id AS mediaId, parent_id AS parentMediaId, uri, mime_type AS mimeType, media_type AS mediaType, length,
         status, metadata, tracks, detections, cues, findings, zone_events AS zoneEvents FROM media ORDER BY n LIMIT ? OFFSET ?`,
    )
    .all(mediaId === undefined ? limit : 1, first);
  const issuesOf = db.prepare<[number | null, number], ViewedIssue>(
    'SELECT kind, source, code, message FROM issues WHERE media_id IS ? LIMIT ?',
  );
  const total = db.prepare<[], { total: number }>('SELECT count(*) AS total FROM media').get()!.total;
  return {
    media: rows.map((row) => ({
      ...row,
      metadata: JSON.parse(row.metadata) as ViewedMedium['metadata'],
      findings: JSON.parse(row.findings) as ViewedMedium['findings'],
      issues: issuesOf.all(row.mediaId, MOST_ISSUES),
    })),
    total,
    issues: issuesOf.all(null, MOST_ISSUES),
  };
}

/** The events in the zones of the job, as the document has them. */
function zoneRun(db: Database, medium: number): Answers['zoneRun'] {
  const row = db
    .prepare<[number], { run: string | null }>('SELECT zone_run AS run FROM media WHERE n = ?')
    .get(medium);
  const run = row?.run ?? null;
  return run === null ? UNAVAILABLE : (JSON.parse(run) as Answers['zoneRun']);
}

function lanes(db: Database, medium: number): readonly Lane[] {
  return db
    .prepare<[number], Omit<Lane, 'bins'> & { bins: string }>(
      `SELECT lane, type, action, algorithm, task, tracks, detections, bin_ms AS binMs, bins
         FROM lanes WHERE medium = ? ORDER BY lane`,
    )
    .all(medium)
    .map((row) => ({ ...row, bins: JSON.parse(row.bins) as Lane['bins'] }));
}

function tracks(db: Database, medium: number, query: TrackQuery): TrackPage {
  const { fromMs, toMs, lane, minConfidence, text, limit, offset } = query;
  const conditions = ['medium = @medium', 'start_ms <= @toMs', 'stop_ms >= @fromMs'];
  if (lane !== undefined) conditions.push('lane = @lane');
  if (minConfidence !== undefined) conditions.push('confidence >= @minConfidence');
  // SQLite folds only ASCII letters.
  if (text !== undefined)
    conditions.push(`instr(lower(coalesce(label, '') || ' ' || properties), lower(@text)) > 0`);
  const where = conditions.join(' AND ');
  const given = { medium, fromMs, toMs, lane, minConfidence, text };
  const rows = db
    .prepare<[object], Omit<ViewedTrack, 'properties'> & { properties: string }>(
      `SELECT n, lane, id, start_ms AS startMs, stop_ms AS stopMs, start_frame AS startFrame, stop_frame AS stopFrame,
         confidence, label, properties, exemplar_frame AS exemplarFrame, exemplar_ms AS exemplarMs, artifact
         FROM tracks WHERE ${where} ORDER BY start_ms, n LIMIT @limit OFFSET @offset`,
    )
    .all({ ...given, limit, offset });
  const { total } = db
    .prepare<[object], { total: number }>(`SELECT count(*) AS total FROM tracks WHERE ${where}`)
    .get(given)!;
  return {
    tracks: rows.map((row) => ({
      ...row,
      properties: JSON.parse(row.properties) as ViewedTrack['properties'],
    })),
    total,
  };
}

function boxes(
  db: Database,
  medium: number,
  { fromFrame, toFrame, limit }: Extract<Question, { kind: 'boxes' }>,
): BoxPage {
  const rows = db
    .prepare<[number, number, number, number], ViewedBox>(
      `SELECT frame, track, lane, label, x, y, width, height, boxes.confidence AS confidence, corners
         FROM boxes JOIN tracks ON tracks.medium = boxes.medium AND tracks.n = boxes.track
         WHERE boxes.medium = ? AND frame BETWEEN ? AND ? ORDER BY frame LIMIT ?`,
    )
    .all(medium, fromFrame, toFrame, limit + 1);
  if (rows.length <= limit) return { boxes: rows, toFrame };
  // The frame at which the limit is reached is left for the next answer. If that frame alone exceeds the limit, it is cut.
  const last = rows.at(-1)!.frame;
  const whole = rows.filter(({ frame }) => frame < last);
  return whole.length > 0
    ? { boxes: whole, toFrame: last - 1 }
    : { boxes: rows.slice(0, limit), toFrame: last };
}
