/** Builds the index of a detection document for queries of viewers, by time and by frame. */
import { rm } from 'node:fs/promises';
import type { Database, Statement } from 'better-sqlite3';
import { cornersInFrame, isEmptyBox, orientationOf } from '../../domain/geometry/geometry.ts';
import type { Properties } from '../../domain/types.ts';
import type { ReportedRun } from '../../domain/zones/dry-run.ts';
import { makeWhole, PART } from '../../files/part-file.ts';
import { cueTextOf } from '../exports/cue-text.ts';
import { rewriteDocument } from '../exports/document-walk.ts';
import { isObject } from '../document/found-values.ts';
import type { FoundDetection, FoundMedium, FoundTrack, Writer } from '../document/findings.ts';
import { Density } from './lane.ts';
import { Findings } from './findings.ts';
import { createIndex, finishIndex } from './schema.ts';

/** Number of rows in a transaction. */
const BATCH = 50_000;
/** Maximum characters of a property in lists. */
const LONGEST_VALUE = 2_000;
/** Properties for the label of a track. The first one that it has is used. */
const LABELS = [
  'CLASSIFICATION',
  'TEXT',
  'TRANSCRIPT',
  'TRANSLATION',
  'TRANSLATED_AUDIO',
  'BARCODE_VALUE',
  'LANGUAGE',
  'ISO_LANGUAGE',
];

/** Builds an index and renames it when it is complete. @throws DocumentError */
export async function buildIndex(document: AsyncIterable<Uint8Array>, file: string): Promise<void> {
  const part = `${file}${PART}`;
  await rm(part, { force: true });
  await makeWhole(file, () => fillIndex(document, part), { part });
}

async function fillIndex(document: AsyncIterable<Uint8Array>, part: string): Promise<void> {
  const db = createIndex(part);
  try {
    const writer = new IndexWriter(db);
    // The writer makes no text, only rows.
    for await (const _ of rewriteDocument(document, writer));
    writer.close();
    finishIndex(db);
  } finally {
    db.close();
  }
}

/** Errors or warnings of one medium, or of the job as a whole. */
interface DocumentIssues {
  readonly mediaId?: number;
  readonly details: readonly { readonly source: string; readonly code: string; readonly message: string }[];
}

interface Lane {
  readonly number: number;
  readonly track: FoundTrack;
  readonly density: Density;
  tracks: number;
  detections: number;
}

class IndexWriter implements Writer {
  readonly #db: Database;
  readonly #insert: Readonly<Record<'medium' | 'issue' | 'lane' | 'track' | 'box', Statement>>;
  #rows = 0;
  #medium = -1;
  #track = -1;
  #detections = 0;
  #cues = 0;
  #zoneRun: ReportedRun | undefined;
  #findings = new Findings();
  /** Time of the first detection of the track in milliseconds, until there is a second one. */
  #onlyMs: number | undefined;
  #detectionsOfTrack = 0;
  #lanes = new Map<string, Lane>();
  #lane: Lane | undefined;

  constructor(db: Database) {
    this.#db = db;
    const row = (table: string, columns: number) =>
      db.prepare(`INSERT INTO ${table} VALUES (${Array(columns).fill('?').join(', ')})`);
    this.#insert = {
      medium: row('media', 15),
      issue: row('issues', 5),
      lane: row('lanes', 10),
      track: row('tracks', 14),
      box: row('boxes', 10),
    };
    db.exec('BEGIN');
  }

  ofJob(field: string, value: unknown): void {
    if (field !== 'errors' && field !== 'warnings') return;
    for (const { mediaId = null, details } of value as readonly DocumentIssues[])
      for (const { source, code, message } of details)
        this.#row(this.#insert.issue, [mediaId, field, source, code, message]);
  }

  medium(): string {
    this.#medium += 1;
    this.#track = -1;
    this.#detections = 0;
    this.#cues = 0;
    this.#zoneRun = undefined;
    this.#findings = new Findings();
    this.#lanes = new Map();
    return '';
  }

  track(track: FoundTrack): string {
    this.#track += 1;
    const key = JSON.stringify([track.type, track.action]);
    this.#lane = this.#lanes.get(key);
    if (this.#lane === undefined) {
      this.#lane = { number: this.#lanes.size, track, density: new Density(), tracks: 0, detections: 0 };
      this.#lanes.set(key, this.#lane);
    }
    this.#lane.tracks += 1;
    this.#findings.add(track);
    if (cueTextOf(track, 0) !== undefined) this.#cues += 1;
    this.#onlyMs = undefined;
    this.#detectionsOfTrack = 0;
    const { id, startOffsetTime, stopOffsetTime, startOffsetFrame, stopOffsetFrame, confidence } = track;
    const { exemplar, trackProperties } = track;
    this.#row(this.#insert.track, [
      ...[this.#medium, this.#track, this.#lane.number, id, startOffsetTime, stopOffsetTime],
      ...[startOffsetFrame, stopOffsetFrame, confidence, labelOf(track)],
      JSON.stringify(shortenProperties({ ...exemplar?.detectionProperties, ...trackProperties })),
      ...[exemplar?.offsetFrame ?? null, exemplar?.offsetTime ?? null, exemplar?.artifactPath ?? null],
    ]);
    return '';
  }

  detection(detection: FoundDetection): string {
    this.#detections += 1;
    this.#lane!.detections += 1;
    this.#countAt(detection.offsetTime);
    if (isEmptyBox(detection)) return '';
    const { offsetFrame, offsetTime, x, y, width, height, confidence, detectionProperties } = detection;
    const orientation = orientationOf(detectionProperties);
    const isTurned = orientation.flip || orientation.rotation % 360 !== 0;
    const corners = isTurned ? cornersInFrame(detection, orientation) : undefined;
    const text = corners?.map((corner) => `${corner.x.toFixed(1)},${corner.y.toFixed(1)}`).join(' ') ?? null;
    const box = [x, y, width, height, confidence, text, offsetTime];
    this.#row(this.#insert.box, [this.#medium, offsetFrame, this.#track, ...box]);
    return '';
  }

  trackEnd({ startOffsetTime, stopOffsetTime }: FoundTrack): string {
    if (this.#onlyMs !== undefined) this.#lane!.density.add(startOffsetTime, stopOffsetTime);
    return '';
  }

  zoneRun(run: unknown): void {
    this.#zoneRun = isRun(run) ? run : undefined;
  }

  mediumEnd(medium: FoundMedium): readonly string[] {
    const { mediaId, parentMediaId, path, mimeType, mediaType, length, mediaMetadata, status } = medium;
    this.#row(this.#insert.medium, [
      ...[this.#medium, mediaId, parentMediaId, path, mimeType, mediaType, length],
      ...[
        JSON.stringify(shortenProperties(mediaMetadata)),
        status,
        this.#track + 1,
        this.#detections,
        this.#cues,
        JSON.stringify(this.#findings.list()),
        this.#zoneRun === undefined ? null : this.#zoneRun.events.length + this.#zoneRun.omitted,
        this.#zoneRun === undefined ? null : JSON.stringify(this.#zoneRun),
      ],
    ]);
    for (const { number, track, density, tracks, detections } of this.#lanes.values())
      this.#row(this.#insert.lane, [
        ...[this.#medium, number, track.type, track.action, track.algorithm, track.task, tracks, detections],
        ...[density.binMs, JSON.stringify(density.bins)],
      ]);
    return [];
  }

  /** The only detection of a track represents its whole length (speech, a scene), so it is counted at the end of the track. */
  #countAt(ms: number): void {
    this.#detectionsOfTrack += 1;
    if (this.#detectionsOfTrack === 1) {
      this.#onlyMs = ms;
      return;
    }
    const { density } = this.#lane!;
    if (this.#onlyMs !== undefined) density.add(this.#onlyMs);
    this.#onlyMs = undefined;
    density.add(ms);
  }

  close(): void {
    this.#db.exec('COMMIT');
  }

  #row(statement: Statement, values: readonly (string | number | null)[]): void {
    // A lone surrogate cannot be stored, so it is replaced.
    statement.run(
      ...values.map((value) => (typeof value === 'string' ? Buffer.from(value).toString() : value)),
    );
    this.#rows += 1;
    if (this.#rows % BATCH === 0) this.#db.exec('COMMIT; BEGIN');
  }
}

/** False for documents of other services with another member of this name. */
const isRun = (run: unknown): run is ReportedRun =>
  isObject(run) && Array.isArray(run['events']) && Number.isInteger(run['omitted']);

function labelOf({ trackProperties, exemplar }: FoundTrack): string | null {
  for (const name of LABELS) {
    const value = trackProperties[name] ?? exemplar?.detectionProperties[name];
    if (value !== undefined && value !== '') return cut(value);
  }
  return null;
}

const shortenProperties = (properties: Properties): Properties =>
  Object.fromEntries(Object.entries(properties).map(([name, value]) => [name, cut(value)]));
const cut = (text: string) => (text.length > LONGEST_VALUE ? `${text.slice(0, LONGEST_VALUE)}…` : text);
