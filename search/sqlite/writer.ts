import { closeSync, fdatasyncSync, openSync } from 'node:fs';
import type Database from 'better-sqlite3';
import { sortedName } from '../../domain/job/media-order.ts';
import { documentPage, type DocumentPage } from '../../domain/job/document-page.ts';
import { isEmptyBox, orientationOf } from '../../domain/geometry/geometry.ts';
import { colourOf } from '../../domain/text/colours.ts';
import { foldedName, foldedWords } from '../../domain/text/words.ts';
import { DocumentError } from '../../results/document/document-scan.ts';
import { documentTracks, type DocumentTrack } from '../../results/document/document-tracks.ts';
import type { IndexedJob, IndexedStream, RebuildMark, SearchedJob, Taken } from '../../store/search.ts';
import { classesOf, classFacet, colourFacet, ownerFacets, typeFacet } from './facets.ts';
import { MediumSummaries, type MediumRow } from './medium-summary.ts';
import { FILLING, GONE, openForWriting, WHOLE } from './schema.ts';
import { isPictureHash, PERCEPTUAL_HASH } from './similar/duplicates.ts';
import { bytesOf, FEATURE, FEATURE_MODEL, MOST_FEATURE_CHARACTERS, readVector } from './similar/vector.ts';

export interface WriterOptions {
  readonly file: string;
  /** Properties whose values are the text of a track, and those whose values are its class. */
  readonly textProperties: readonly string[];
  readonly classProperties: readonly string[];
  /** Maximum number of searchable characters of a track's text. */
  readonly textCharacters: number;
}

/** Number of rows per transaction. Between transactions, the thread handles other requests. */
const ROWS_A_STEP = 500;
/** Properties with the page of a track, and with the medium that was extracted from it. */
const [PAGE, DERIVATIVE] = ['PAGE_NUM', 'DERIVATIVE_MEDIA_ID'];
/** Property with the most frequent colour of a picture, as #rrggbb. */
const COLOUR = 'DOMINANT_COLOR';
/** Properties for the search for similar tracks and pictures. */
const OF_SIMILAR = [FEATURE, FEATURE_MODEL, PERCEPTUAL_HASH];
/** Maximum number of bytes of a character in JSON, which is that of an escape sequence. */
const BYTES_A_CHARACTER = 6;

/** Writes the index. Only one put runs at a time, and removals run between its steps. */
export class Writer {
  readonly #options: WriterOptions;
  readonly #database: Database.Database;
  readonly #statements: ReturnType<typeof prepare>;
  readonly #facets = new Map<string, string>();
  #log: number | undefined;
  #sweeping: Promise<void> = Promise.resolve();
  #putting: Promise<unknown> = Promise.resolve();
  #filling: { readonly number: number; readonly run: number; stopped: boolean } | undefined;
  #closed = false;

  constructor(options: WriterOptions) {
    this.#options = options;
    this.#database = openForWriting(options.file);
    this.#statements = prepare(this.#database);
    // Removes incomplete jobs of an earlier process.
    this.#statements.leave.run();
    this.#sweep();
  }

  /** Stores jobs. Calls run one after the other. */
  put(jobs: readonly SearchedJob[]): Promise<readonly Taken[]> {
    const put = this.#putting.then(() => this.#putAll(jobs));
    this.#putting = put.catch(() => undefined);
    return put;
  }

  async #putAll(jobs: readonly SearchedJob[]): Promise<readonly Taken[]> {
    const taken: Taken[] = [];
    for (const job of jobs) {
      taken.push(await this.#putOne(job));
      if (this.#closed) throw new Error('The index is being closed.');
    }
    this.#sync();
    return taken;
  }

  remove(job: number, run: number): void {
    const filling = this.#filling;
    // A removal may be retried late, while a later run is being stored.
    if (filling?.number === job && filling.run <= run) filling.stopped = true;
    this.#statements.hide.run(job, run);
    this.#sweep();
  }

  streams(): readonly IndexedStream[] {
    return this.#statements.streams.all();
  }

  expire(before: number): void {
    this.#statements.expire.run(before);
    this.#sweep();
  }

  jobs(after: number, limit: number): readonly IndexedJob[] {
    return this.#statements.jobs.all(after, limit);
  }

  mark(): RebuildMark {
    return JSON.parse(this.#statements.mark.get()!.value) as RebuildMark;
  }

  setMark(mark: RebuildMark): void {
    this.#statements.setMark.run(JSON.stringify(mark));
  }

  /** Closes the database. A document that is being stored is abandoned, and stored again later. */
  async close(): Promise<void> {
    this.#closed = true;
    if (this.#filling !== undefined) this.#filling.stopped = true;
    await this.#putting;
    await this.#sweeping;
    if (this.#log !== undefined) closeSync(this.#log);
    this.#database.close();
  }

  async #putOne(job: SearchedJob): Promise<Taken> {
    const { hide, begin, end, drop } = this.#statements;
    if (this.#change(job)) return 'taken';
    const filling = (this.#filling = { number: job.number, run: job.run, stopped: false });
    const { jobId, externalId, endedAt, number, run, stream } = job;
    const { user = null, group = null } = job.owner ?? {};
    const ofStream = { stream: stream?.uri ?? null, createdAt: stream?.createdAt ?? null };
    const row = { number, run, jobId, externalId, user, group, endedAt, ...ofStream };
    const id = Number(begin.run(row).lastInsertRowid);
    this.#putLabels(id, job.labels ?? []);
    let wrong: WrongVectors | undefined;
    try {
      wrong = await this.#fill(id, job, filling);
    } catch (error) {
      drop.run(id);
      this.#sweep();
      if (isUnreadable(error)) return { unreadable: String(error) };
      throw error;
    } finally {
      this.#filling = undefined;
    }
    this.#database.transaction(() => {
      if (filling.stopped) drop.run(id);
      else {
        if (stream === undefined) hide.run(number, run);
        else this.#joinParts(id, number);
        end.run(id);
      }
    })();
    this.#sweep();
    return wrong ?? 'taken';
  }

  /** Updates the changeable members of a stored job. Returns true if the index contains the job. */
  #change({ number, run, externalId, labels = [] }: SearchedJob): boolean {
    const { known, rename, dropLabels } = this.#statements;
    const row = known.get(number, run);
    if (row === undefined) return false;
    this.#database.transaction(() => {
      rename.run(externalId, row.id);
      dropLabels.run(row.id);
      this.#putLabels(row.id, labels);
    })();
    return true;
  }

  #putLabels(id: number, labels: readonly string[]): void {
    for (const label of new Set(labels)) this.#statements.putLabel.run(id, label);
  }

  /** Joins the parts of a track in several segments of a live stream. Only the last part stays, with the begin of the first. */
  #joinParts(id: number, number: number): void {
    const { begunEarlier, dropEarlierWords, dropEarlierVectors, dropEarlierHashes, dropEarlier } =
      this.#statements;
    begunEarlier.run({ id, number });
    for (const drop of [dropEarlierWords, dropEarlierVectors, dropEarlierHashes, dropEarlier])
      drop.run({ id, number });
  }

  /** Stores a document. Returns the vectors that were omitted, if there are any. */
  async #fill(
    id: number,
    job: SearchedJob,
    filling: { readonly stopped: boolean },
  ): Promise<WrongVectors | undefined> {
    const { textProperties, classProperties, textCharacters } = this.#options;
    const reading = {
      properties: [...textProperties, ...classProperties, PAGE, DERIVATIVE, COLOUR, ...OF_SIMILAR],
      cutAt: Math.max(textCharacters * BYTES_A_CHARACTER, MOST_FEATURE_CHARACTERS),
    };
    const seen: Seen = { summaries: new MediumSummaries(), pages: new Map(), wrong: undefined };
    for await (const { tracks, media } of documentTracks(job.document, reading)) {
      for (let at = 0; at < tracks.length; at += ROWS_A_STEP) {
        if (filling.stopped) return undefined;
        this.#writeTracks(id, job, tracks.slice(at, at + ROWS_A_STEP), seen);
        await turn();
      }
      for (const medium of media) seen.summaries.addMedium(medium);
    }
    const rows = seen.summaries.rows();
    for (let at = 0; at < rows.length && !filling.stopped; at += ROWS_A_STEP) {
      this.#writeMedia(id, job, rows.slice(at, at + ROWS_A_STEP));
      await turn();
    }
    return seen.wrong;
  }

  #writeTracks(id: number, job: SearchedJob, tracks: readonly DocumentTrack[], seen: Seen): void {
    this.#database.transaction(() => {
      const rows = tracks.map((track) => this.#writeTrack(id, job, track, seen));
      this.#statements.grown.run({ id, first: rows[0], last: rows.at(-1) });
    })();
  }

  /** Stores the media of a job. Live streams are not part of the library. */
  #writeMedia(id: number, { number, stream }: SearchedJob, rows: readonly MediumRow[]): void {
    const { putMedium, putFinding } = this.#statements;
    this.#database.transaction(() => {
      for (const { findings, boxes, picture, ...row } of rows) {
        const texts = {
          findings: JSON.stringify(findings),
          boxes: JSON.stringify(boxes),
          picture: picture && JSON.stringify(picture),
        };
        const own = stream === undefined ? row.own : 0;
        putMedium.run({ ...row, ...texts, job: id, number, own, name: sortedName(row.uri) });
        if (row.own === 0 || stream !== undefined) continue;
        for (const { type, class: name } of findings)
          putFinding.run(id, row.place, foldedName(type), foldedName(name ?? ''));
      }
    })();
  }

  #writeTrack(id: number, { tasks, owner }: SearchedJob, track: DocumentTrack, seen: Seen): number {
    const { textProperties, classProperties, textCharacters } = this.#options;
    const valuesOf = (names: readonly string[]) =>
      track.properties.filter(([name]) => names.includes(name)).map(([, value]) => value);
    const text = valuesOf(textProperties).join('\n').slice(0, textCharacters);
    const [name = null] = valuesOf(classProperties);
    const colour = colourOf(valuesOf([COLOUR])[0] ?? '');
    const page = pageOf(track, seen.pages);
    seen.summaries.countTrack(track, name);
    const words = foldedWords(text);
    const { medium, action, algorithm, type, startFrame, stopFrame, startMs, stopMs, confidence } = track;
    const task = Object.hasOwn(tasks, action) ? tasks[action]! : '';
    const row = Number(
      this.#statements.track.run({
        ...{ job: id, medium: medium.index, finder: this.#finder(task, action, algorithm) },
        ...{ trackId: track.id, type, class: name, text, words: words.length },
        ...{ startFrame, stopFrame, startMs, stopMs, confidence },
        ...{ pageKind: page?.kind ?? null, page: page?.number ?? null },
        ...{ colour: colour ?? null, exemplar: exemplarText(track) },
      }).lastInsertRowid,
    );
    const facets = [
      this.#facetsOf(type, name),
      ...(colour === undefined ? [] : [colourFacet(colour)]),
      ...ownerFacets(owner),
    ].join(' ');
    this.#statements.putWords.run(row, words.join(' '), facets);
    this.#writeVector(row, track, seen);
    const [hash] = valuesOf([PERCEPTUAL_HASH]);
    if (hash !== undefined && isPictureHash(hash)) this.#statements.putHash.run(row, hash);
    return row;
  }

  /** Stores a vector. Vectors that cannot be compared are counted. Vectors without a model name belong to their algorithm. */
  #writeVector(row: number, { id, algorithm, properties }: DocumentTrack, seen: Seen): void {
    const valueOf = (wanted: string) => properties.find(([name]) => name === wanted)?.[1];
    const feature = valueOf(FEATURE);
    if (feature === undefined) return;
    const read = readVector(feature);
    if ('wrong' in read) {
      const { withoutVectors = 0, trackId = id, why = read.wrong } = seen.wrong ?? {};
      seen.wrong = { withoutVectors: withoutVectors + 1, trackId, why };
      return;
    }
    const space = this.#space(valueOf(FEATURE_MODEL) ?? algorithm, read.unit.length);
    this.#statements.putVector.run(row, space, bytesOf(read.unit));
  }

  #space(model: string, dimension: number): number {
    const { space, putSpace } = this.#statements;
    return space.get(model, dimension)?.id ?? Number(putSpace.run(model, dimension).lastInsertRowid);
  }

  #facetsOf(type: string, name: string | null): string {
    const key = `${type}\n${name ?? ''}`;
    let facets = this.#facets.get(key);
    if (facets === undefined) {
      facets = [typeFacet(type), ...(name === null ? [] : classesOf(name).map(classFacet))].join(' ');
      if (this.#facets.size > 10_000) this.#facets.clear();
      this.#facets.set(key, facets);
    }
    return facets;
  }

  #finder(task: string, action: string, algorithm: string): number {
    const { finder, putFinder } = this.#statements;
    const found = finder.get(task, action, algorithm);
    return found?.id ?? Number(putFinder.run(task, action, algorithm).lastInsertRowid);
  }

  /** Flushes the log, so that the written data survives a power failure. */
  #sync(): void {
    this.#log ??= openSync(`${this.#options.file}-wal`, 'r+');
    fdatasyncSync(this.#log);
  }

  /** Deletes the rows of removed jobs step by step. */
  #sweep(): void {
    this.#sweeping = this.#sweeping
      .then(async () => {
        for (let job = this.#nextGone(); job !== undefined; job = this.#nextGone()) {
          this.#removeSome(job);
          await turn();
        }
      })
      // Queries do not return these rows. The next removal, or the next start, tries again.
      .catch(() => undefined);
  }

  #nextGone = () => (this.#closed ? undefined : this.#statements.gone.get());

  #removeSome({ id, first, last }: { id: number; first: number; last: number }): void {
    const {
      dropWords,
      dropVectors,
      dropHashes,
      dropTracks,
      dropFindings,
      dropMedia,
      dropLabels,
      dropJob,
      shrunk,
    } = this.#statements;
    const from = Math.max(first, last - ROWS_A_STEP + 1);
    this.#database.transaction(() => {
      dropWords.run(from, last);
      dropVectors.run(from, last);
      dropHashes.run(from, last);
      dropTracks.run(from, last);
      if (from > first) shrunk.run(from - 1, id);
      else {
        dropFindings.run(id);
        dropMedia.run(id);
        dropLabels.run(id);
        dropJob.run(id);
      }
    })();
  }
}

/** Returns the frame and the box of the exemplar, with its orientation. Returns null if it has no box. */
function exemplarText({ exemplar }: DocumentTrack): string | null {
  if (isEmptyBox(exemplar)) return null;
  const { frame, x, y, width, height, detectionProperties } = exemplar;
  const { rotation, flip } = orientationOf(detectionProperties);
  const turned = { ROTATION: String(rotation), HORIZONTAL_FLIP: String(flip) };
  const isPlain = rotation === 0 && !flip;
  return JSON.stringify({ frame, x, y, width, height, detectionProperties: isPlain ? {} : turned });
}

/** Pages of documents by the id of the extracted medium. */
type Pages = Map<number, DocumentPage>;

/** Data from earlier tracks of a document. */
interface Seen {
  readonly summaries: MediumSummaries;
  readonly pages: Pages;
  wrong: WrongVectors | undefined;
}
type WrongVectors = Exclude<Taken, 'taken' | { readonly unreadable: string }>;

/** Returns the page of a track. The picture of a page comes after its document, and a track of the document names it. */
function pageOf({ medium, properties }: DocumentTrack, pages: Pages): DocumentPage | undefined {
  const valueOf = (wanted: string) => properties.find(([name]) => name === wanted)?.[1];
  const number = valueOf(PAGE);
  if (number === undefined) return pages.get(medium.mediaId);
  const page = documentPage(medium.mimeType, number);
  const derivative = valueOf(DERIVATIVE);
  if (derivative !== undefined) pages.set(Number(derivative), page);
  return page;
}

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Error codes that concern only one file (from the file system) or one value (from SQLite). */
const ONE_DOCUMENT =
  /^(ENOENT|ENOTDIR|EISDIR|ELOOP|ENAMETOOLONG|EACCES|EPERM|EIO|SQLITE_TOOBIG|SQLITE_MISMATCH|SQLITE_CONSTRAINT.*)$/;

/** True if the document is invalid or no longer exists. Other documents can still be stored. */
const isUnreadable = (error: unknown): boolean =>
  error instanceof DocumentError || ONE_DOCUMENT.test(String((error as NodeJS.ErrnoException).code));

/** SQL for the parts of a track in other segments of the same live stream. */
const EARLIER_PARTS = `select t.id from tracks n join tracks t on t.track_id = n.track_id join jobs j on j.id = t.job
  where n.job = @id and t.job <> @id and j.number = @number`;

function prepare(database: Database.Database) {
  return {
    leave: database.prepare(`update jobs set state = ${GONE} where state = ${FILLING}`),
    known: database.prepare<[number, number], { id: number }>(
      `select id from jobs where number = ? and run = ? and state = ${WHOLE}`,
    ),
    rename: database.prepare('update jobs set external_id = ? where id = ?'),
    putLabel: database.prepare('insert into labels (job, label) values (?, ?)'),
    dropLabels: database.prepare('delete from labels where job = ?'),
    begin: database.prepare(
      `insert into jobs (number, run, job_id, external_id, user, user_group, ended_at, state, first, last, stream, created_at)
       values (@number, @run, @jobId, @externalId, @user, @group, @endedAt, ${FILLING}, 0, -1, @stream, @createdAt)`,
    ),
    grown: database.prepare(
      'update jobs set first = case when last < 0 then @first else first end, last = @last where id = @id',
    ),
    end: database.prepare(`update jobs set state = ${WHOLE} where id = ?`),
    drop: database.prepare(`update jobs set state = ${GONE} where id = ?`),
    hide: database.prepare(
      `update jobs set state = ${GONE} where number = ? and run <= ? and state = ${WHOLE}`,
    ),
    gone: database.prepare<[], { id: number; first: number; last: number }>(
      `select id, first, last from jobs where state = ${GONE} limit 1`,
    ),
    shrunk: database.prepare('update jobs set last = ? where id = ?'),
    putMedium: database.prepare(
      `insert into media (job, place, media_id, uri, type, mime_type, own, length, duration_ms, width, height, frame, findings, boxes, picture, name, number)
       values (@job, @place, @mediaId, @uri, @type, @mimeType, @own, @length, @durationMs, @width, @height, @frame, @findings, @boxes, @picture, @name, @number)`,
    ),
    putFinding: database.prepare(
      'insert or ignore into findings (job, place, type, class) values (?, ?, ?, ?)',
    ),
    finder: database.prepare<[string, string, string], { id: number }>(
      'select id from finders where task = ? and action = ? and algorithm = ?',
    ),
    putFinder: database.prepare('insert into finders (task, action, algorithm) values (?, ?, ?)'),
    track: database.prepare(
      `insert into tracks (job, medium, finder, track_id, type, class, text, word_count, start_frame, stop_frame, start_ms, stop_ms, page_kind, page, confidence, colour, exemplar)
       values (@job, @medium, @finder, @trackId, @type, @class, @text, @words, @startFrame, @stopFrame, @startMs, @stopMs, @pageKind, @page, @confidence, @colour, @exemplar)`,
    ),
    putWords: database.prepare('insert into words (rowid, text, facets) values (?, ?, ?)'),
    dropWords: database.prepare(
      'delete from words where rowid in (select id from tracks where id between ? and ?)',
    ),
    space: database.prepare<[string, number], { id: number }>(
      'select id from spaces where model = ? and dimension = ?',
    ),
    putSpace: database.prepare('insert into spaces (model, dimension) values (?, ?)'),
    putVector: database.prepare('insert into vectors (id, space, vector) values (?, ?, ?)'),
    putHash: database.prepare('insert into hashes (id, hash) values (?, ?)'),
    dropVectors: database.prepare('delete from vectors where id between ? and ?'),
    dropHashes: database.prepare('delete from hashes where id between ? and ?'),
    dropTracks: database.prepare('delete from tracks where id between ? and ?'),
    dropFindings: database.prepare('delete from findings where job = ?'),
    dropMedia: database.prepare('delete from media where job = ?'),
    dropJob: database.prepare('delete from jobs where id = ?'),
    jobs: database.prepare<[number, number], IndexedJob>(
      `select number, run from jobs where number > ? and state = ${WHOLE} and stream is null order by number limit ?`,
    ),
    streams: database.prepare<[], IndexedStream>(
      `select number, max(run) - 1 as lastSegment from jobs where stream is not null and state = ${WHOLE} group by number`,
    ),
    expire: database.prepare(
      `update jobs set state = ${GONE} where stream is not null and ended_at < ? and state = ${WHOLE}`,
    ),
    begunEarlier: database.prepare(
      `update tracks set start_frame = e.start_frame, start_ms = e.start_ms from (
         select t.track_id, min(t.start_frame) as start_frame, min(t.start_ms) as start_ms from tracks n
           join tracks t on t.track_id = n.track_id join jobs j on j.id = t.job
         where n.job = @id and j.number = @number and j.state <> ${GONE} group by t.track_id) e
       where job = @id and tracks.track_id = e.track_id`,
    ),
    dropEarlierWords: database.prepare(`delete from words where rowid in (${EARLIER_PARTS})`),
    dropEarlierVectors: database.prepare(`delete from vectors where id in (${EARLIER_PARTS})`),
    dropEarlierHashes: database.prepare(`delete from hashes where id in (${EARLIER_PARTS})`),
    dropEarlier: database.prepare(`delete from tracks where id in (${EARLIER_PARTS})`),
    mark: database.prepare<[], { value: string }>("select value from meta where name = 'mark'"),
    setMark: database.prepare("update meta set value = ? where name = 'mark'"),
  };
}
