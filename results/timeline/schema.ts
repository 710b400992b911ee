import Database from 'better-sqlite3';

/** Version of the index. Indexes of other versions are built again. */
export const VERSION = 5;
/** Number of parts of a medium for which each lane has a count. */
export const BINS = 512;

const TABLES = `
  CREATE TABLE media (
    n INTEGER PRIMARY KEY, media_id INTEGER, parent_id INTEGER, uri TEXT, mime_type TEXT, media_type TEXT, length INTEGER,
    metadata TEXT, status TEXT, tracks INTEGER, detections INTEGER, cues INTEGER, findings TEXT, zone_events INTEGER, zone_run TEXT
  );
  CREATE TABLE issues (media_id INTEGER, kind TEXT, source TEXT, code TEXT, message TEXT);
  CREATE TABLE lanes (
    medium INTEGER, lane INTEGER, type TEXT, action TEXT, algorithm TEXT, task TEXT, tracks INTEGER, detections INTEGER,
    bin_ms REAL, bins TEXT, PRIMARY KEY (medium, lane)
  ) WITHOUT ROWID;
  CREATE TABLE tracks (
    medium INTEGER, n INTEGER, lane INTEGER, id TEXT, start_ms INTEGER, stop_ms INTEGER, start_frame INTEGER, stop_frame INTEGER,
    confidence REAL, label TEXT, properties TEXT, exemplar_frame INTEGER, exemplar_ms INTEGER, artifact TEXT,
    PRIMARY KEY (medium, n)
  ) WITHOUT ROWID;
  CREATE TABLE boxes (
    medium INTEGER, frame INTEGER, track INTEGER, x INTEGER, y INTEGER, width INTEGER, height INTEGER, confidence REAL, corners TEXT,
    ms INTEGER
  );
`;
const INDEXES = `
  CREATE INDEX tracks_by_start ON tracks (medium, start_ms, n);
  CREATE INDEX issues_by_medium ON issues (media_id);
  CREATE INDEX boxes_by_frame ON boxes (medium, frame);
`;

/** A new index, which is discarded unless it is finished. */
export function createIndex(file: string): Database.Database {
  const db = new Database(file);
  // It is renamed only when it is complete, and can be built again from the document.
  db.pragma('journal_mode = OFF');
  db.pragma('synchronous = OFF');
  db.exec(TABLES);
  return db;
}

export function finishIndex(db: Database.Database): void {
  db.exec(INDEXES);
  db.pragma(`user_version = ${VERSION}`);
}

/** Opens an index for reading. Returns undefined if it is of another version. */
export function openIndex(file: string): Database.Database | undefined {
  const db = new Database(file, { readonly: true, fileMustExist: true });
  if (db.pragma('user_version', { simple: true }) === VERSION) return db;
  db.close();
  return undefined;
}
