/**
 * The contract of the search: one row for each track in the documents of all jobs. It is an index over the documents and can be rebuilt
 * from them. It contains nothing specific to a backend. One test suite covers every backend (`test/search/contract.ts`).
 */
import type { Owner, Sight } from '../domain/users/owner.ts';
import type { Box } from '../domain/geometry/geometry.ts';
import type { DocumentPage } from '../domain/job/document-page.ts';
import type { MediaOrder, MediaPlace } from '../domain/job/media-order.ts';
import type { Colour } from '../domain/text/colours.ts';
import type { Snippet } from '../domain/text/snippet.ts';
import type { SearchTerm } from '../domain/text/words.ts';

/** An ended job with its document, or a segment of a live stream. The run of a segment is its number, from 1. */
export interface SearchedJob {
  readonly number: number;
  readonly run: number;
  readonly jobId: string;
  readonly externalId: string | null;
  /** Labels by which users group their jobs. */
  readonly labels?: readonly string[] | undefined;
  readonly owner?: Owner | undefined;
  /** Set for a segment of a live stream. */
  readonly stream?: SearchedStream | undefined;
  /** Milliseconds since the epoch. For a segment, the time of its last frame. */
  readonly endedAt: number;
  /** Path of the detection document. */
  readonly document: string;
  /** Task of each action of the pipeline, by the name of the action. */
  readonly tasks: Readonly<Record<string, string>>;
}

/** Order of hits: the last indexed first, the first indexed first, or by the share of the text that the searched words make up. */
export type SearchSort = 'newest' | 'oldest' | 'best';

/** The live stream of a segment. */
export interface SearchedStream {
  /** Without credentials. */
  readonly uri: string;
  /** When the job was created, in milliseconds since the epoch. Times of its tracks are relative to it. */
  readonly createdAt: number;
}

/** A track of the job with this number. */
export interface SearchedTrack {
  readonly job: number;
  readonly trackId: string;
}

/** Conditions that select tracks. */
export interface SearchConditions {
  /** Terms that must all be in the text of a hit. */
  readonly terms: readonly SearchTerm[];
  /** Terms that must each be in the text of a hit, or name its class, type or colour. */
  readonly anything?: readonly SearchTerm[] | undefined;
  readonly colour?: Colour | undefined;
  /** From 0 to 1. */
  readonly minConfidence?: number | undefined;
  /** A part of the URI of the medium, in any case. */
  readonly medium?: string | undefined;
  /** The id of the job of a live stream, or a part of the URI of one in any case. */
  readonly camera?: string | undefined;
  /** Only these tracks; absent: all. */
  readonly tracks?: readonly SearchedTrack[] | undefined;
  /** Of tracks that later jobs found again, returns only the last. */
  readonly distinct?: boolean | undefined;
  /** Absent: newest. */
  readonly sort?: SearchSort | undefined;
  /** As `foldedName` returns them. */
  readonly class: string | undefined;
  readonly type: string | undefined;
  /** When the job, or the segment of a live stream, ended: from `from` to before `to`. */
  readonly from: number | undefined;
  readonly to: number | undefined;
  /** The number of a job. */
  readonly job: number | undefined;
  /** Users whose jobs are searched. */
  readonly sight: Sight;
}

export interface SearchQuery extends SearchConditions {
  readonly limit: number;
  /** The `next` or the `place` of the previous page. */
  readonly cursor: number | SearchPlace | undefined;
}

/** Where a page ended, in a form that another index of the same documents understands. */
export interface SearchPlace {
  readonly job: number;
  readonly run: number;
  readonly endedAt: number;
  /** Number of the track in its document, from 0. */
  readonly track: number;
}

/** A document in the index. */
export interface IndexedJob {
  readonly number: number;
  readonly run: number;
}

export interface IndexedStream {
  readonly number: number;
  /** From 0. */
  readonly lastSegment: number;
}

/** A found track. */
export interface SearchHit extends IndexedJob {
  readonly jobId: string;
  readonly externalId: string | null;
  readonly jobEndedAt: number;
  /** Place of the medium in the document, from 0. */
  readonly mediaIndex: number;
  readonly mediaId: number;
  readonly mediaUri: string;
  readonly mediaType: string;
  readonly trackId: string;
  readonly task: string;
  readonly action: string;
  readonly algorithm: string;
  readonly type: string;
  readonly class: string | null;
  readonly startFrame: number;
  readonly stopFrame: number;
  readonly startMs: number;
  readonly stopMs: number;
  /** null if the track is not of a live stream. */
  readonly stream: SearchedStream | null;
  /** null if the track is not of a document, or the component does not report the page. */
  readonly page: DocumentPage | null;
  readonly confidence: number;
  readonly colour: Colour | null;
  /** Name and version of the model of the track's vector; null if it has none. */
  readonly vectorModel: string | null;
  /** Frame of the exemplar; null if it has no box. */
  readonly frame: number | null;
  /** In pixels of the medium as a viewer shows it. */
  readonly box: Box | null;
  /** Size of the medium. */
  readonly width: number | null;
  readonly height: number | null;
  readonly snippet: Snippet;
  /** From 0 to 1: share of the text that the searched words make up. */
  readonly score: number;
}

export interface SearchPage {
  readonly hits: readonly SearchHit[];
  /** null if there are no more hits. A page may be short, or even empty, while more follow. */
  readonly next: number | null;
  /** The same for another index; null if there are no more hits. */
  readonly place: SearchPlace | null;
}

/** The track or vector that hits must be similar to. */
export type Like =
  /** The number of a job, and a track of one of its media. */
  | { readonly job: number; readonly mediaId: number; readonly trackId: string }
  /** Numbers, or little-endian 32-bit floats as base64. */
  | { readonly vector: readonly number[] | string; readonly model: string };

export interface SimilarQuery extends SearchConditions {
  readonly like: Like;
  /** From -1 to 1. */
  readonly minSimilarity?: number | undefined;
  readonly limit: number;
}

export interface SimilarHit extends SearchHit {
  /** The cosine of the angle between the two vectors, from -1 to 1. */
  readonly similarity: number;
}

/** Why there are no hits. */
export type SimilarRefusal =
  /** NO_JOB: no such job is visible to the user and in the index. NO_MODEL: no track has a vector of the model. */
  | { readonly refusal: 'NO_JOB' | 'NO_TRACK' | 'NO_VECTOR' | 'NO_MODEL' }
  | { readonly refusal: 'WRONG_VECTOR'; readonly why: string }
  /** Numbers of dimensions that vectors of the model have. */
  | { readonly refusal: 'DIMENSION'; readonly dimensions: readonly number[] };

export interface SimilarHits {
  readonly model: string;
  /** The track that hits are similar to; null if the query had a vector. */
  readonly like: SearchHit | null;
  /** The most similar first. */
  readonly hits: readonly SimilarHit[];
  /** Part of the model's vectors that were compared, from 0 to 1. The others are not indexed yet. */
  readonly searched: number;
}

/** Selects vectors that the user may see. */
export interface VectorSourceQuery {
  /** If absent, any model. */
  readonly model?: string | undefined;
  /** If absent, any algorithm. */
  readonly algorithm?: string | undefined;
  readonly sight: Sight;
}
/** The newest job with such a vector, and the action that made it. */
export interface VectorSource {
  readonly number: number;
  readonly task: string;
  readonly action: string;
  readonly algorithm: string;
  readonly model: string;
}

export interface DuplicateQuery extends SearchConditions {
  /** Most groups. */
  readonly limit: number;
}

export interface DuplicateHit extends SearchHit {
  /** Number of bits in which its perceptual hash differs from that of the first picture of the group. */
  readonly distance: number;
}

export interface Duplicates {
  /** Pictures of different media that look alike, the newest first. */
  readonly groups: readonly (readonly DuplicateHit[])[];
  /** True if there are more pictures than were compared. */
  readonly isPart: boolean;
}

/** Counts over the selected tracks, most tracks first. */
export interface SearchCounts {
  /** Number of counted tracks, which are the newest. */
  readonly tracks: number;
  /** True if there are more tracks than were counted. */
  readonly isPart: boolean;
  readonly findings: readonly Finding[];
  readonly colours: readonly { readonly colour: Colour; readonly tracks: number }[];
  readonly media: readonly { readonly mediaUri: string; readonly tracks: number }[];
  readonly confidences: readonly { readonly minConfidence: number; readonly tracks: number }[];
  /** Numbers of tracks that a query with this `from` has. Milliseconds since the epoch. */
  readonly since: readonly { readonly from: number; readonly tracks: number }[];
}

export interface CountQuery extends SearchConditions {
  /** Times for which tracks are counted. */
  readonly since: readonly number[];
}

/** Tracks of one type and class. */
export interface Finding {
  readonly type: string;
  readonly class: string | null;
  readonly tracks: number;
}

export interface ShownBox {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly type: string;
  readonly class: string | null;
}

/** A medium of an ended job, with its findings. */
export interface FoundMedium extends IndexedJob {
  readonly jobId: string;
  readonly externalId: string | null;
  readonly jobEndedAt: number;
  /** Place of the medium in the document, from 0. */
  readonly mediaIndex: number;
  readonly mediaId: number;
  readonly mediaUri: string;
  readonly mediaType: string;
  readonly mimeType: string;
  /** Frames of a video, pages of a document. */
  readonly length: number;
  readonly durationMs: number | null;
  /** In pixels as a viewer shows it. */
  readonly width: number | null;
  readonly height: number | null;
  /** A frame that shows a finding; null if the medium has no frames. */
  readonly frame: number | null;
  /** Findings with most tracks first, including those of derivative media. */
  readonly findings: readonly Finding[];
  /** Findings whose exemplar is in this frame, in pixels of the medium as a viewer shows it. */
  readonly boxes: readonly ShownBox[];
  /** Label of the group that lists it; null if its job has no label, or groups are not by label. */
  readonly label: string | null;
}

export interface MediaQuery extends MediaOrder {
  /** As `foldedName` returns them. */
  readonly class: string | undefined;
  readonly type: string | undefined;
  /** VIDEO, IMAGE, AUDIO or UNKNOWN. */
  readonly mediaType: string | undefined;
  /** A part of the URI, in any case. */
  readonly name: string | undefined;
  /** A label of the job. */
  readonly label?: string | undefined;
  /** Minutes by which local time is ahead of UTC, for groups of days. */
  readonly utcOffset?: number | undefined;
  /** Numbers of jobs of which only the first medium is returned. */
  readonly firstOf?: readonly number[] | undefined;
  /** When the job ended: from `from` to before `to`. */
  readonly from: number | undefined;
  readonly to: number | undefined;
  /** Users whose jobs are searched. */
  readonly sight: Sight;
  readonly limit: number;
  readonly cursor: MediaPlace | undefined;
}

export interface MediaPage {
  /** In the order of the query. */
  readonly media: readonly FoundMedium[];
  /** null if there are no more media. */
  readonly next: MediaPlace | null;
}

/** Number of media with a finding of this type and class. */
export interface FindingCount {
  readonly type: string;
  readonly class: string | null;
  readonly media: number;
}
/** Number of media of jobs with this label. */
export interface LabelCount {
  readonly label: string;
  readonly media: number;
}
export interface MediaCounts {
  readonly total: number;
  readonly mediaTypes: Readonly<Record<string, number>>;
  /** Most media first. */
  readonly findings: readonly FindingCount[];
  /** Labels of jobs, most media first. */
  readonly labels: readonly LabelCount[];
}

/** A face of a document, with its vector from FACE EMBEDDING. */
export interface DocumentFace {
  readonly mediaId: number;
  readonly mediaUri: string;
  readonly mediaType: string;
  readonly trackId: string;
  readonly startFrame: number;
  readonly stopFrame: number;
  readonly startMs: number;
  readonly stopMs: number;
  readonly confidence: number;
  /** Name and version of the model that made the vector. */
  readonly model: string;
  readonly vector: Float32Array;
  /** Frame of the exemplar. */
  readonly frame: number;
  /** In pixels of the medium as a viewer shows it. */
  readonly box: Box;
  /** The smaller side of the box, in pixels of the stored picture. */
  readonly side: number;
  /** Size of the medium as a viewer shows it. */
  readonly width: number | null;
  readonly height: number | null;
}

/** Outcome of indexing a document: it is indexed, perhaps without some of its vectors, or it cannot be read. */
export type Taken =
  | 'taken'
  | { readonly withoutVectors: number; readonly trackId: string; readonly why: string }
  | { readonly unreadable: string };

/** Progress of a rebuild of the whole index; null if the index is complete. */
export type RebuildMark = { readonly score: number; readonly id: string } | 'begun' | null;

/** Every method except `clear` and `close` may throw SearchBroken. */
export interface SearchIndex {
  /**
   * Indexes the documents of these jobs and replaces earlier entries of them. For a document that is already indexed, only the external id
   * and the labels may change. A document is found completely or not at all. Resolves when all documents survive a power loss. Rejects if
   * the index does not work, with SearchDied if its process ended while it read them.
   */
  put(jobs: readonly SearchedJob[]): Promise<readonly Taken[]>;
  /** Removes this job up to this run from the results. A document that is being indexed stays. */
  remove(job: number, run: number): Promise<void>;
  /** @throws SearchBusy */
  find(query: SearchQuery): Promise<SearchPage>;
  /** Finds tracks with similar vectors. @throws SearchBusy */
  similar(query: SimilarQuery): Promise<SimilarHits | SimilarRefusal>;
  /** Returns an action that makes vectors, or null if none is visible to the user. @throws SearchBusy */
  vectorSource(query: VectorSourceQuery): Promise<VectorSource | null>;
  /** Returns such an action for each model, the one of the newest vectors first. @throws SearchBusy */
  vectorModels(sight: Sight): Promise<readonly VectorSource[]>;
  /** Finds near duplicates of pictures. @throws SearchBusy */
  duplicates(query: DuplicateQuery): Promise<Duplicates>;
  /** @throws SearchBusy */
  count(query: CountQuery): Promise<SearchCounts>;
  /** Lists the media of indexed jobs. The cursor must be of the same order. @throws SearchBusy */
  media(query: MediaQuery): Promise<MediaPage>;
  /** @throws SearchBusy */
  countMedia(sight: Sight): Promise<MediaCounts>;
  /** Returns the faces with vectors of a document, which need not be indexed. */
  faces(document: string): Promise<readonly DocumentFace[]>;
  /** Lists live streams with the number of their last segment that has tracks in the index. */
  streams(): Promise<readonly IndexedStream[]>;
  /** Removes segments of live streams that ended before this time from the results. */
  expire(before: number): Promise<void>;
  /** Lists jobs with indexed documents by number, after this one; not live streams. */
  jobs(after: number, limit: number): Promise<readonly IndexedJob[]>;
  /** Returns the progress of the rebuild, which is 'begun' for a new index. */
  mark(): Promise<RebuildMark>;
  setMark(mark: RebuildMark): Promise<void>;
  /** Deletes everything, and sets the mark to 'begun'. */
  clear(): Promise<void>;
  close(): Promise<void>;
}

/** The index is damaged or of another version. Only `clear` repairs it. */
export class SearchBroken extends Error {
  override readonly name = 'SearchBroken';
}

/** The process of the index ended during this request, which may have caused it. The index works again. */
export class SearchDied extends Error {
  override readonly name = 'SearchDied';
}

/** The query is not answered, because too many queries wait or it takes too long. */
export class SearchBusy extends Error {
  override readonly name = 'SearchBusy';
}
