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
  /** Properties whose values are the text of a track, and those that are its class. */
  readonly textProperties: readonly string[];
  readonly classProperties: readonly string[];
  /** Characters of a track's text that can be found. */
  readonly textCharacters: number;
}

/** Rows of a transaction, between two of which others have their turn. */
const ROWS_A_STEP = 500;
/** The page on which a track was found, and the medium that was made of it. */
const [PAGE, DERIVATIVE] = ['PAGE_NUM', 'DERIVATIVE_MEDIA_ID'];
/** The colour that most of a picture has, as #rrggbb. */
const COLOUR = 'DOMINANT_COLOR';
/** What similar tracks and pictures are found by. */
const OF_SIMILAR = [FEATURE, FEATURE_MODEL, PERCEPTUAL_HASH];
/** No character takes more bytes in JSON than it has as an escape. */
const BYTES_A_CHARACTER = 6;

/** Writes the index; one at a time puts, and whoever removes comes between its steps. */
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
    // What an earlier process has not finished.
    this.#statements.leave.run();
    this.#sweep();
  }

  /** One call after the other. */
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
    // A removal may be tried late, when a later run is being taken in.
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

  /** A document that is being taken in is left, and taken in again another time. */
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

  /** What users change of a job that is in the index; answers whether it is. */
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

  /** Of a track that lies in several segments of a live stream, the last part is found, and begins with the first. */
  #joinParts(id: number, number: number): void {
    const { begunEarlier, dropEarlierWords, dropEarlierVectors, dropEarlierHashes, dropEarlier } =
      this.#statements;
    begunEarlier.run({ id, number });
    for (const drop of [dropEarlierWords, dropEarlierVectors, dropEarlierHashes, dropEarlier])
      drop.run({ id, number });
  }

  /** Answers the vectors that are left out, if there are any. */
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

  /** Live streams are no media of the library. */
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

  /** One that cannot be compared is counted. Vectors without the name of their model are those of their algorithm. */
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

  /** What is written now survives the loss of power. */
  #sync(): void {
    this.#log ??= openSync(`${this.#options.file}-wal`, 'r+');
    fdatasyncSync(this.#log);
  }

  /** Rows of what is not to be found any more go step by step. */
  #sweep(): void {
    this.#sweeping = this.#sweeping
      .then(async () => {
        for (let job = this.#nextGone(); job !== undefined; job = this.#nextGone()) {
          this.#removeSome(job);
          await turn();
        }
      })
      // Nobody finds them in the meantime: the next removal, or the next start, tries again.
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

/** The frame and the box of the exemplar, with its orientation; null: it has no box. */
function exemplarText({ exemplar }: DocumentTrack): string | null {
  if (isEmptyBox(exemplar)) return null;
  const { frame, x, y, width, height, detectionProperties } = exemplar;
  const { rotation, flip } = orientationOf(detectionProperties);
  const turned = { ROTATION: String(rotation), HORIZONTAL_FLIP: String(flip) };
  const isPlain = rotation === 0 && !flip;
  return JSON.stringify({ frame, x, y, width, height, detectionProperties: isPlain ? {} : turned });
}

/** By the number of a derivative medium: the page of the document that it comes from. */
type Pages = Map<number, DocumentPage>;

/** What earlier tracks of a document have told. */
interface Seen {
  readonly summaries: MediumSummaries;
  readonly pages: Pages;
  wrong: WrongVectors | undefined;
}
type WrongVectors = Exclude<Taken, 'taken' | { readonly unreadable: string }>;

/** A picture of a page comes after the document that it was taken from, one of whose tracks names it. */
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

/** What the file system says of one file, and what SQLite says of one value. */
const ONE_DOCUMENT =
  /^(ENOENT|ENOTDIR|EISDIR|ELOOP|ENAMETOOLONG|EACCES|EPERM|EIO|SQLITE_TOOBIG|SQLITE_MISMATCH|SQLITE_CONSTRAINT.*)$/;

/** The document is at fault, or is not there any more: others can be taken in. */
const isUnreadable = (error: unknown): boolean =>
  error instanceof DocumentError || ONE_DOCUMENT.test(String((error as NodeJS.ErrnoException).code));

/** In other segments of the same live stream. */
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
