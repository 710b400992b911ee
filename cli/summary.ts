/** What the tables show of a detection document (specification 2.2), read from a stream with flat memory. */
import { jsonPieces, type Path } from './json-pieces.ts';

export interface DocumentDetection {
  readonly offsetFrame: number;
  readonly offsetTime: number;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly confidence: number;
  readonly detectionProperties: Readonly<Record<string, string>>;
}

export interface DocumentTrack {
  readonly startOffsetFrame: number;
  readonly stopOffsetFrame: number;
  readonly startOffsetTime: number;
  readonly stopOffsetTime: number;
  readonly type: string;
  readonly confidence: number;
  readonly trackProperties: Readonly<Record<string, string>>;
  readonly exemplar: DocumentDetection;
  readonly detections: readonly DocumentDetection[];
}

/** A track without its detections. */
export interface TrackSummary extends Omit<DocumentTrack, 'detections' | 'exemplar'> {
  readonly properties: Readonly<Record<string, string>>;
  readonly detections: number;
}

export interface MediumSummary {
  readonly mediaId: number;
  readonly path: string;
  readonly mimeType: string;
  readonly mediaType: string;
  readonly length: number;
  readonly mediaMetadata: Readonly<Record<string, string>>;
  /** Those that are shown; `trackCount` counts all. */
  readonly tracks: TrackSummary[];
  trackCount: number;
}

export interface IssueSummary {
  readonly mediaId?: number;
  readonly source: string;
  readonly code: string;
  readonly message: string;
}

export interface DocumentSummary {
  readonly status: string;
  readonly media: readonly MediumSummary[];
  readonly errors: readonly IssueSummary[];
  readonly warnings: readonly IssueSummary[];
}

/** Tracks of one medium, and of all, that a table shows: nobody reads more, and the document has them all. */
const SHOWN_OF_MEDIUM = 100;
const SHOWN_OF_ALL = 2_000;

/** @throws Error when the text is no document, or ends early */
export async function summarize(chunks: AsyncIterable<Uint8Array>): Promise<DocumentSummary> {
  const media: MediumSummary[] = [];
  const issues = { errors: [] as IssueSummary[], warnings: [] as IssueSummary[] };
  let status = '';
  let shown = 0;
  for await (const { path, value } of jsonPieces(chunks, isPiece)) {
    const [root, index, field, , , tracks] = path;
    if (root === 'errors' || root === 'warnings') issues[root].push(...issuesOf(value as IssueEntry));
    if (root === 'status') status = String(value);
    if (root !== 'media' || typeof index !== 'number') continue;
    const medium = (media[index] ??= emptyMedium());
    if (tracks === 'tracks') {
      medium.trackCount += 1;
      if (medium.tracks.length >= SHOWN_OF_MEDIUM || shown >= SHOWN_OF_ALL) continue;
      medium.tracks.push(trackSummary(value as DocumentTrack));
      shown += 1;
    } else if (path.length === 3 && typeof field === 'string' && field in medium)
      Object.assign(medium, { [field]: value });
  }
  return { status, media, ...issues };
}

/** Tracks, issues and the small objects of a medium come whole; the rest is gone through. */
function isPiece(path: Path): boolean {
  const [root] = path;
  if (root === 'errors' || root === 'warnings') return path.length === 2;
  if (root !== 'media') return true;
  return (path.length === 3 && path[2] !== 'output') || (path.length === 7 && path[5] === 'tracks');
}

interface IssueEntry {
  readonly mediaId?: number;
  readonly details: readonly Omit<IssueSummary, 'mediaId'>[];
}

function issuesOf({ mediaId, details }: IssueEntry): readonly IssueSummary[] {
  return details.map((detail) => ({ ...detail, ...(mediaId !== undefined && { mediaId }) }));
}

function emptyMedium(): MediumSummary {
  const facts = {
    mediaId: 0,
    path: '',
    mimeType: '',
    mediaType: '',
    length: 0,
    status: '',
    mediaMetadata: {},
  };
  return { ...facts, tracks: [], trackCount: 0 };
}

function trackSummary({ exemplar, detections, ...track }: DocumentTrack): TrackSummary {
  return {
    ...track,
    properties: { ...exemplar.detectionProperties, ...track.trackProperties },
    detections: detections.length,
  };
}
