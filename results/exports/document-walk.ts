/**
 * Reads a detection document of any size once, with memory for one detection at a time, and passes it to a writer of another format. In
 * documents of other services, members of a track may be in any order, if the description of a medium precedes its findings.
 */
import { DocumentError } from '../document/document-scan.ts';
import { pieceLists, type Path, type Piece } from '../json-pieces.ts';
import { detectionOf, numberOf, propertiesOf, tasksOf, textOf } from '../document/found-values.ts';
import type { FoundDetection, FoundMedium, FoundTrack, Writer } from '../document/findings.ts';

/** Maximum number of detections of a track that are kept until the description of the track follows. */
const MOST_HELD = 10_000;

/** Yields the text that `writer` makes from the document. @throws DocumentError, or Error if it is invalid JSON */
export async function* rewriteDocument(
  document: AsyncIterable<Uint8Array>,
  writer: Writer,
): AsyncGenerator<string> {
  const walk = new DocumentWalk(writer);
  for await (const pieces of pieceLists(document, comesWhole)) {
    for (const piece of pieces) {
      walk.take(piece);
      if (walk.hasLong) yield* walk.parts();
    }
    yield* walk.parts();
  }
  walk.end();
  yield* walk.parts();
}

/** True for values that are read as a whole: all except media, their outputs, tracks and lists of detections. */
function comesWhole(path: Path): boolean {
  switch (path.length) {
    case 1:
      return path[0] !== 'media';
    case 3:
      return path[2] !== 'output';
    case 6:
      return path[5] !== 'tracks';
    case 8:
      return path[7] !== 'detections';
    default:
      return path.length > 8;
  }
}

type Open<T> = { -readonly [K in keyof T]: T[K] };

class DocumentWalk {
  readonly #writer: Writer;
  /** Output that was made and not returned yet. Long output is made when it is returned. */
  #made: (string | Iterable<string>)[];
  #hasLong = false;
  #jobId = '';
  #tasks: ReadonlyMap<string, string> = new Map();
  #medium: Open<FoundMedium> | undefined;
  #mediumAt: unknown;
  /** True if the medium was passed to the writer. */
  #isShown = false;
  #entry = { at: '', action: '', algorithm: '' };
  #track: Open<FoundTrack> | undefined;
  #trackAt: Path = [];
  #known = new Set<string>();
  #isTold = false;
  #detections = 0;
  #held: FoundDetection[] = [];

  constructor(writer: Writer) {
    this.#writer = writer;
    this.#made = [writer.begin?.() ?? ''];
  }

  get hasLong(): boolean {
    return this.#hasLong;
  }

  /** Output since the last call. */
  *parts(): Generator<string> {
    this.#hasLong = false;
    const short: string[] = [];
    for (const part of this.#made.splice(0)) {
      if (typeof part === 'string') short.push(part);
      else {
        yield short.splice(0).join('');
        yield* part;
      }
    }
    yield short.join('');
  }

  take({ path, value }: Piece): void {
    if (path[0] !== 'media') return this.#ofJob(path, value);
    if (path[1] !== this.#mediumAt) this.#nextMedium(path[1]);
    if (path.length === 3 && path[2] !== 'output') return this.#ofMedium(String(path[2]), value);
    if (path.length < 6 || path[2] !== 'output') return;
    this.#show();
    if (path.length === 6) this.#ofEntry(path, value);
    else if (path.length >= 8) this.#ofTrack(path, value);
  }

  end(): void {
    this.#nextMedium(undefined);
    this.#long(this.#writer.end?.());
  }

  #long(part: Iterable<string> | undefined): void {
    if (part === undefined) return;
    this.#made.push(part);
    this.#hasLong = true;
  }

  #ofJob(path: Path, value: unknown): void {
    if (path.length === 1) this.#writer.ofJob?.(String(path[0]), value);
    if (path[0] === 'jobId') this.#jobId = textOf(value);
    if (path[0] === 'pipeline') this.#tasks = tasksOf(value);
  }

  #nextMedium(at: unknown): void {
    this.#endTrack();
    if (this.#medium !== undefined) {
      this.#show();
      this.#long(this.#writer.mediumEnd?.(this.#medium));
    }
    this.#medium = at === undefined ? undefined : emptyMedium();
    this.#mediumAt = at;
    this.#isShown = false;
    this.#entry = { at: '', action: '', algorithm: '' };
  }

  #ofMedium(field: string, value: unknown): void {
    const medium = this.#medium!;
    if (field === 'zoneRun') this.#writer.zoneRun?.(value);
    if (!(field in medium)) return;
    if (this.#isShown)
      throw new DocumentError(`the description of a medium (${field}) comes behind its output`);
    const is = typeof medium[field as keyof FoundMedium];
    const known =
      is === 'string' ? textOf(value) : is === 'number' ? numberOf(value, -1) : propertiesOf(value);
    Object.assign(medium, { [field]: known });
  }

  #show(): void {
    if (this.#isShown) return;
    this.#isShown = true;
    this.#made.push(this.#writer.medium?.(this.#medium!) ?? '');
  }

  #ofEntry(path: Path, value: unknown): void {
    this.#enter(path);
    if (path[5] === 'source') this.#entry.action = textOf(value);
    else if (path[5] === 'algorithm') this.#entry.algorithm = textOf(value);
    if (this.#track !== undefined && (path[5] === 'source' || path[5] === 'algorithm'))
      throw new DocumentError(`the description of an action (${path[5]}) comes behind its tracks`);
  }

  #enter(path: Path): void {
    const at = `${String(path[4])} ${String(path[3])}`;
    if (at === this.#entry.at) return;
    this.#endTrack();
    this.#entry = { at, action: '', algorithm: '' };
  }

  #ofTrack(path: Path, value: unknown): void {
    if (!isSameTrack(path, this.#trackAt)) {
      this.#endTrack();
      this.#enter(path);
      this.#track = this.#newTrack(String(path[3]));
      this.#trackAt = path;
    }
    const track = this.#track!;
    if (path[7] === 'detections') {
      const detection = detectionOf(value);
      if (path.length === 9 && detection !== undefined) this.#detection(track, detection);
    } else if (path.length === 8) this.#ofTrackItself(track, String(path[7]), value);
  }

  #ofTrackItself(track: Open<FoundTrack>, field: string, value: unknown): void {
    this.#known.add(field);
    if (field === 'exemplar') track.exemplar = detectionOf(value);
    else if (field === 'trackProperties') track.trackProperties = propertiesOf(value);
    else if (field === 'source') track.action = textOf(value) || track.action;
    else if (field === 'type' || field === 'id') track[field] = textOf(value);
    else if (isNumberOfTrack(field)) track[field] = numberOf(value, track[field]);
  }

  #detection(track: FoundTrack, detection: FoundDetection): void {
    this.#detections += 1;
    if (!this.#isTold && !HEAD.every((field) => this.#known.has(field))) {
      if (this.#held.push(detection) > MOST_HELD)
        throw new DocumentError('the description of a track comes behind its many detections');
      return;
    }
    this.#tell(track);
    this.#made.push(this.#writer.detection?.(detection, track) ?? '');
  }

  /** Passes the track to the writer, with the detections that precede its description. */
  #tell(track: FoundTrack): void {
    if (this.#isTold) return;
    this.#isTold = true;
    this.#made.push(this.#writer.track?.(this.#withTask(track)) ?? '');
    for (const one of this.#held.splice(0)) this.#made.push(this.#writer.detection?.(one, track) ?? '');
  }

  #withTask(track: Open<FoundTrack>): FoundTrack {
    track.task = this.#tasks.get(track.action) ?? null;
    return track;
  }

  #endTrack(): void {
    const track = this.#track;
    if (track === undefined) return;
    // A track without detections still has its exemplar.
    if (this.#detections === 0 && track.exemplar !== undefined) this.#held.push(track.exemplar);
    this.#tell(track);
    this.#made.push(this.#writer.trackEnd?.(track) ?? '');
    this.#track = undefined;
    this.#trackAt = [];
    this.#known = new Set();
    this.#isTold = false;
    this.#detections = 0;
  }

  #newTrack(type: string): Open<FoundTrack> {
    const { action, algorithm } = this.#entry;
    const medium = this.#medium!;
    return { ...EMPTY_TRACK, jobId: this.#jobId, medium, task: null, action, algorithm, type };
  }
}

/** Members of a track that must be known before its detections are passed on. */
const HEAD = ['id', 'type', 'trackProperties'];

const EMPTY_TRACK = {
  id: '',
  index: 0,
  confidence: -1,
  startOffsetFrame: 0,
  stopOffsetFrame: 0,
  startOffsetTime: 0,
  stopOffsetTime: 0,
  trackProperties: {},
  exemplar: undefined,
};

const NUMBERS = [
  'index',
  'confidence',
  'startOffsetFrame',
  'stopOffsetFrame',
  'startOffsetTime',
  'stopOffsetTime',
] as const;
const isNumberOfTrack = (field: string): field is (typeof NUMBERS)[number] =>
  (NUMBERS as readonly string[]).includes(field);

/** The caller has already compared the medium. */
const isSameTrack = (one: Path, other: Path): boolean =>
  one[6] === other[6] && one[4] === other[4] && one[3] === other[3];

const emptyMedium = (): FoundMedium => ({
  mediaId: -1,
  parentMediaId: -1,
  path: '',
  mimeType: '',
  mediaType: '',
  length: -1,
  status: '',
  mediaMetadata: {},
});
