/** The parts of a detection document (specification 2.2) that the tables show. Reads the document as a stream, with constant memory. */
import type { DocumentDetection, DocumentMarkup, DocumentTrack, ZoneRun } from '../../client/answers.ts';
import { jsonPieces, type Path, type Piece } from '../../results/json-pieces.ts';

type TrackFact =
  | 'startOffsetFrame'
  | 'stopOffsetFrame'
  | 'startOffsetTime'
  | 'stopOffsetTime'
  | 'type'
  | 'confidence';

/** A track without its detections. */
export interface TrackSummary extends Pick<DocumentTrack, TrackFact> {
  /** Properties of the exemplar and of the track. Long values are cut. */
  properties: Readonly<Record<string, string>>;
  detections: number;
}

/** The first entries, which are shown, of `count` entries. */
export interface Some<T> {
  readonly shown: T[];
  count: number;
}

export interface MediumSummary {
  readonly mediaId: number;
  /** Id of the document from which the medium was extracted. -1 if the job named the medium. */
  readonly parentMediaId: number;
  readonly path: string;
  readonly mimeType: string;
  readonly mediaType: string;
  readonly status: string;
  readonly length: number;
  readonly mediaMetadata: Readonly<Record<string, string>>;
  /** Requested time ranges: milliseconds. Empty: the whole medium. */
  readonly timeRanges: readonly unknown[];
  readonly markupResult: DocumentMarkup | null;
  readonly mediaSelectorsOutputUri: string | null;
  /** Counts of zones, lines and rules. Null if the job has none, or the medium has no pictures. */
  zoneCounts: ZoneRun['counts'] | null;
  zoneWarnings: readonly string[];
  readonly tracks: Some<TrackSummary>;
  /** Number of tracks by type, including tracks that are not shown. */
  readonly types: Map<string, number>;
  /** Highest confidence of a track. -1 if no track has one. */
  bestConfidence: number;
  /** Actions that added properties to tracks of other actions. */
  readonly annotators: Set<string>;
  /** Actions whose tracks the document omits because the job requests this. */
  readonly suppressed: Set<string>;
  /** Pictures of detections. `folder`: common start of their URIs. */
  readonly artifacts: { count: number; failed: number; folder: string | undefined };
}

export interface IssueSummary {
  readonly mediaId?: number;
  readonly source: string;
  readonly code: string;
  readonly message: string;
}

/** Issues of one medium. */
export interface IssueCount {
  errors: number;
  warnings: number;
  /** Code of the first error, else of the first warning. */
  code: string;
}

export interface DocumentSummary {
  readonly status: string;
  readonly media: readonly MediumSummary[];
  readonly errors: Some<IssueSummary>;
  readonly warnings: Some<IssueSummary>;
  /** Issues by the id of the medium. */
  readonly issues: ReadonlyMap<number, IssueCount>;
}

/** Maximum number of entries shown for one medium, and for all. The document contains the others. */
const SHOWN_OF_MEDIUM = 100;
const SHOWN_OF_ALL = 2_000;
const SHOWN_ISSUES = 500;
/** Maximum number of track types counted by name, and the name for all others. */
const COUNTED_TYPES = 50;
const OTHER_TYPES = 'of other types';
/** Maximum number of characters kept of a value, and of properties kept of a track. */
const VALUE_LENGTH = 200;
const KEPT_PROPERTIES = 30;

/** Reads the summary of a document. @throws Error if the text is no document, or ends early */
export async function summarize(chunks: AsyncIterable<Uint8Array>): Promise<DocumentSummary> {
  const media: MediumSummary[] = [];
  const some = { errors: none<IssueSummary>(), warnings: none<IssueSummary>() };
  const issues = new Map<number, IssueCount>();
  const tracks = new Tracks();
  let status = '';
  for await (const piece of jsonPieces(chunks, isPiece)) {
    const { path, value } = piece;
    const [root, index, field] = path;
    if (root === 'errors' || root === 'warnings')
      for (const issue of issuesOf(value as IssueEntry)) {
        add(some[root], issue, SHOWN_ISSUES);
        countIssue(issues, root, issue);
      }
    if (root === 'status') status = String(value);
    if (root !== 'media' || typeof index !== 'number') continue;
    const medium = (media[index] ??= emptyMedium());
    if (field === 'output') takeOutput(medium, piece, tracks);
    else if (field === 'zoneRun') takeZones(medium, piece);
    else if (path.length === 3 && typeof field === 'string' && field in medium)
      Object.assign(medium, { [field]: value });
  }
  return { status, media, ...some, issues };
}

/** True if the value at this path is read as a whole. These are the small objects of media, tracks and detections. */
function isPiece(path: Path): boolean {
  const [root, , field] = path;
  if (root === 'errors' || root === 'warnings') return path.length === 2;
  if (root !== 'media') return true;
  // The errors of the document contain these entries, too, without duplicates.
  if (field === 'detectionProcessingErrors') return path.length === 5;
  if (field === 'zoneRun') return path.length >= 4 && path[3] !== 'events';
  if (field !== 'output') return path.length === 3;
  if (path.length === 6) return path[5] !== 'tracks';
  return path.length === 8 ? path[7] !== 'detections' : path.length === 9;
}

/** Stores counts and warnings of zones. The events are only in the document. */
function takeZones(medium: MediumSummary, { path, value }: Piece): void {
  if (path[3] === 'counts') medium.zoneCounts = value as ZoneRun['counts'];
  if (path[3] === 'warnings') medium.zoneWarnings = value as readonly string[];
}

/** Path: media, n, output, <type>, n, tracks, n, detections, n. */
function takeOutput(medium: MediumSummary, piece: Piece, tracks: Tracks): void {
  const [, , , type, , field] = piece.path;
  if (field === 'annotators')
    for (const name of piece.value as readonly string[]) medium.annotators.add(name);
  if (field === 'source' && type === 'TRACKS SUPPRESSED') medium.suppressed.add(String(piece.value));
  if (field === 'tracks') tracks.take(medium, piece);
}

/** Collects tracks in parts, because one track may have a million detections. */
class Tracks {
  #shown = 0;
  #present: { readonly path: Path; readonly track: TrackSummary } | undefined;

  take(medium: MediumSummary, { path, value }: Piece): void {
    const track = this.#trackAt(path, medium);
    const field = path[7] as keyof DocumentTrack;
    if (field === 'detections') {
      track.detections += 1;
      countArtifact(medium.artifacts, value as DocumentDetection);
    } else if (field === 'trackProperties')
      track.properties = { ...track.properties, ...cut(value as TrackSummary['properties']) };
    else if (field === 'exemplar')
      track.properties = { ...cut((value as DocumentDetection).detectionProperties), ...track.properties };
    else if (field in track) Object.assign(track, { [field]: value });
    if (field === 'type') countType(medium.types, String(value));
    if (field === 'confidence') medium.bestConfidence = Math.max(medium.bestConfidence, Number(value));
  }

  #trackAt(path: Path, medium: MediumSummary): TrackSummary {
    const before = this.#present;
    if (before !== undefined && IDENTITY.every((at) => before.path[at] === path[at])) return before.track;
    const track = emptyTrack();
    this.#present = { path, track };
    this.#shown += add(medium.tracks, track, this.#shown < SHOWN_OF_ALL ? SHOWN_OF_MEDIUM : 0);
    return track;
  }
}

/** Indexes of the path that identify a track. The index of the track itself changes most often, so it is compared first. */
const IDENTITY = [6, 4, 3, 1];

function countType(types: Map<string, number>, type: string): void {
  const name = types.has(type) || types.size < COUNTED_TYPES ? type : OTHER_TYPES;
  types.set(name, (types.get(name) ?? 0) + 1);
}

function countIssue(
  issues: Map<number, IssueCount>,
  kind: 'errors' | 'warnings',
  { mediaId, code }: IssueSummary,
): void {
  if (mediaId === undefined) return;
  const count = issues.get(mediaId) ?? { errors: 0, warnings: 0, code };
  // the document can list errors before or after warnings
  if (kind === 'errors' && count.errors === 0) count.code = code;
  count[kind] += 1;
  issues.set(mediaId, count);
}

function countArtifact(artifacts: MediumSummary['artifacts'], detection: DocumentDetection): void {
  if (detection.artifactExtractionStatus === 'FAILED') artifacts.failed += 1;
  if (detection.artifactExtractionStatus !== 'COMPLETED') return;
  artifacts.count += 1;
  const uri = detection.artifactPath ?? '';
  let folder = artifacts.folder ?? folderOf(uri);
  while (!uri.startsWith(folder)) folder = folderOf(folder.slice(0, -1));
  artifacts.folder = folder;
}

const folderOf = (uri: string) => uri.slice(0, uri.lastIndexOf('/') + 1);

/** Cuts long values. A plain slice would keep the whole text in memory. */
function cut(properties: TrackSummary['properties']): TrackSummary['properties'] {
  const short = (value: string) =>
    value.length <= VALUE_LENGTH ? value : Buffer.from(value.slice(0, VALUE_LENGTH)).toString();
  const kept = Object.entries(properties).slice(0, KEPT_PROPERTIES);
  return Object.fromEntries(kept.map(([name, value]) => [name, short(value)]));
}

interface IssueEntry {
  readonly mediaId?: number;
  readonly details: readonly Omit<IssueSummary, 'mediaId'>[];
}

function issuesOf({ mediaId, details }: IssueEntry): readonly IssueSummary[] {
  return details.map((detail) => ({ ...detail, ...(mediaId !== undefined && { mediaId }) }));
}

const none = <T>(): Some<T> => ({ shown: [], count: 0 });

/** Counts an entry. Returns 1 if the entry is shown. */
function add<T>(some: Some<T>, one: T, most: number): 0 | 1 {
  some.count += 1;
  if (some.shown.length >= most) return 0;
  some.shown.push(one);
  return 1;
}

const emptyTrack = (): TrackSummary => ({
  startOffsetFrame: 0,
  stopOffsetFrame: 0,
  startOffsetTime: 0,
  stopOffsetTime: 0,
  type: '',
  confidence: -1,
  properties: {},
  detections: 0,
});

const emptyMedium = (): MediumSummary => ({
  mediaId: 0,
  parentMediaId: -1,
  path: '',
  mimeType: '',
  mediaType: '',
  status: '',
  length: 0,
  mediaMetadata: {},
  timeRanges: [],
  markupResult: null,
  mediaSelectorsOutputUri: null,
  zoneCounts: null,
  zoneWarnings: [],
  tracks: none(),
  types: new Map(),
  bestConfidence: -1,
  annotators: new Set(),
  suppressed: new Set(),
  artifacts: { count: 0, failed: 0, folder: undefined },
});
