/**
 * The contract of the search: what the documents of all jobs tell, a row a track. It is an index over the documents and can be made of
 * them again; nothing of a backend crosses it. One suite holds for every backend (`test/search/contract.ts`).
 */
import type { Owner, Sight } from '../domain/users/owner.ts';
import type { Box } from '../domain/geometry/geometry.ts';
import type { DocumentPage } from '../domain/job/document-page.ts';
import type { MediaOrder, MediaPlace } from '../domain/job/media-order.ts';
import type { Colour } from '../domain/text/colours.ts';
import type { Snippet } from '../domain/text/snippet.ts';
import type { SearchTerm } from '../domain/text/words.ts';

/** A job that has ended, with its document; or a segment of a live stream, whose number, from 1, is the run. */
export interface SearchedJob {
  readonly number: number;
  readonly run: number;
  readonly jobId: string;
  readonly externalId: string | null;
  /** Words by which users group their jobs. */
  readonly labels?: readonly string[] | undefined;
  readonly owner?: Owner | undefined;
  /** Of a live stream. */
  readonly stream?: SearchedStream | undefined;
  /** Milliseconds since the epoch; of a segment, when its last frame came. */
  readonly endedAt: number;
  /** Path of the detection document. */
  readonly document: string;
  /** Task of each action of the pipeline, by name. */
  readonly tasks: Readonly<Record<string, string>>;
}

/** What came into the index last first, or first first, or those first whose text has most of what is looked for. */
export type SearchSort = 'newest' | 'oldest' | 'best';

/** The live stream that a segment is of. */
export interface SearchedStream {
  /** Without credentials. */
  readonly uri: string;
  /** When the job was created (milliseconds since the epoch): times of its tracks count from there. */
  readonly createdAt: number;
}

/** A track of the job with this number. */
export interface SearchedTrack {
  readonly job: number;
  readonly trackId: string;
}

/** Which tracks are meant. */
export interface SearchConditions {
  /** All of them stand in the text of a hit. */
  readonly terms: readonly SearchTerm[];
  /** Each of them stands in the text of a hit, or names its class, type or colour. */
  readonly anything?: readonly SearchTerm[] | undefined;
  readonly colour?: Colour | undefined;
  /** From 0 to 1. */
  readonly minConfidence?: number | undefined;
  /** A part of the URI of the medium, in any case. */
  readonly medium?: string | undefined;
  /** A part of the URI of a live stream in any case, or the id of its job. */
  readonly camera?: string | undefined;
  /** Only these tracks; absent: all. */
  readonly tracks?: readonly SearchedTrack[] | undefined;
  /** Of tracks that later jobs found again, only the last. */
  readonly distinct?: boolean | undefined;
  /** Absent: newest. */
  readonly sort?: SearchSort | undefined;
  /** As `foldedName` gives them. */
  readonly class: string | undefined;
  readonly type: string | undefined;
  /** When the job, or the segment of a live stream, ended: from the first to before the second. */
  readonly from: number | undefined;
  readonly to: number | undefined;
  /** The number of a job. */
  readonly job: number | undefined;
  /** Whose jobs. */
  readonly sight: Sight;
}

export interface SearchQuery extends SearchConditions {
  readonly limit: number;
  /** The `next` or the `place` of the page before. */
  readonly cursor: number | SearchPlace | undefined;
}

/** Where a page has ended, in words that another index of the same documents understands. */
export interface SearchPlace {
  readonly job: number;
  readonly run: number;
  readonly endedAt: number;
  /** Number of the track in its document, from 0. */
  readonly track: number;
}

/** A document that is in the index. */
export interface IndexedJob {
  readonly number: number;
  readonly run: number;
}

export interface IndexedStream {
  readonly number: number;
  /** From 0. */
  readonly lastSegment: number;
}

/** A track that was found. */
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
  /** null: the track is of no live stream. */
  readonly stream: SearchedStream | null;
  /** null: it was not found in a document, or the component does not tell the page. */
  readonly page: DocumentPage | null;
  readonly confidence: number;
  readonly colour: Colour | null;
  /** Name and version of the model that made the vector of the track; null: it has none. */
  readonly vectorModel: string | null;
  /** Of the exemplar; null: it has no box. */
  readonly frame: number | null;
  /** Pixels of the medium as a viewer shows it. */
  readonly box: Box | null;
  /** Of the medium. */
  readonly width: number | null;
  readonly height: number | null;
  readonly snippet: Snippet;
  /** From 0 to 1: how much of the text is what was looked for. */
  readonly score: number;
}

export interface SearchPage {
  readonly hits: readonly SearchHit[];
  /** null: there are no more. A page may be short, and even empty, while more follow. */
  readonly next: number | null;
  /** The same for another index; null: there are no more. */
  readonly place: SearchPlace | null;
}

/** What hits are to be similar to. */
export type Like =
  /** The number of a job, and a track of one of its media. */
  | { readonly job: number; readonly mediaId: number; readonly trackId: string }
  /** Numbers, or little-endian floats of 32 bits as base64. */
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
  /** NO_JOB: none that is seen and in the index. NO_MODEL: no track has a vector of the model. */
  | { readonly refusal: 'NO_JOB' | 'NO_TRACK' | 'NO_VECTOR' | 'NO_MODEL' }
  | { readonly refusal: 'WRONG_VECTOR'; readonly why: string }
  /** The numbers that vectors of the model have. */
  | { readonly refusal: 'DIMENSION'; readonly dimensions: readonly number[] };

export interface SimilarHits {
  readonly model: string;
  /** The track that hits are similar to; null: a vector was given. */
  readonly like: SearchHit | null;
  /** The most similar first. */
  readonly hits: readonly SimilarHit[];
  /** Part of the vectors of the model that were compared, from 0 to 1; others have no index yet. */
  readonly searched: number;
}

/** Which vectors are meant, of those that are seen. */
export interface VectorSourceQuery {
  /** Absent: of any model. */
  readonly model?: string | undefined;
  /** Absent: made by any algorithm. */
  readonly algorithm?: string | undefined;
  readonly sight: Sight;
}
/** The newest job with such a vector, and the action that made it. */
export interface VectorSource {
  readonly number: number;
  readonly task: string;
  readonly action: string;
  readonly model: string;
}

export interface DuplicateQuery extends SearchConditions {
  /** Groups. */
  readonly limit: number;
}

export interface DuplicateHit extends SearchHit {
  /** Bits in which its perceptual hash differs from that of the first picture of the group. */
  readonly distance: number;
}

export interface Duplicates {
  /** Pictures of different media that look alike, the newest first. */
  readonly groups: readonly (readonly DuplicateHit[])[];
  /** There are more pictures than were compared. */
  readonly isPart: boolean;
}

/** What the tracks that are meant have, most tracks first. */
export interface SearchCounts {
  /** Tracks that were counted: the newest ones. */
  readonly tracks: number;
  /** There are more tracks than were counted. */
  readonly isPart: boolean;
  readonly findings: readonly Finding[];
  readonly colours: readonly { readonly colour: Colour; readonly tracks: number }[];
  readonly media: readonly { readonly mediaUri: string; readonly tracks: number }[];
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

/** A medium of a job that has ended, with what was found in it. */
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
  /** Pixels, as a viewer shows it. */
  readonly width: number | null;
  readonly height: number | null;
  /** A frame that shows what was found; null: the medium has no frames. */
  readonly frame: number | null;
  /** Most tracks first; of media that were made of it as well. */
  readonly findings: readonly Finding[];
  /** Findings of which this frame is the exemplar: pixels of the medium as a viewer shows it. */
  readonly boxes: readonly ShownBox[];
  /** With groups of labels the one under which it is listed; null: its job has none, or there are other groups. */
  readonly label: string | null;
}

export interface MediaQuery extends MediaOrder {
  /** As `foldedName` gives them. */
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
  /** Numbers of jobs of which only the first medium is meant. */
  readonly firstOf?: readonly number[] | undefined;
  /** When the job ended, from the first to before the second. */
  readonly from: number | undefined;
  readonly to: number | undefined;
  /** Whose jobs. */
  readonly sight: Sight;
  readonly limit: number;
  readonly cursor: MediaPlace | undefined;
}

export interface MediaPage {
  /** In the order of the query. */
  readonly media: readonly FoundMedium[];
  /** null: there are no more. */
  readonly next: MediaPlace | null;
}

/** How many media have a finding of this type and class. */
export interface FindingCount {
  readonly type: string;
  readonly class: string | null;
  readonly media: number;
}
/** How many media are of jobs with this label. */
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

/** A face of a document, with the vector that FACE EMBEDDING made of it. */
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
  /** Of the exemplar. */
  readonly frame: number;
  /** Pixels of the medium as a viewer shows it. */
  readonly box: Box;
  /** The smaller side of the box, in pixels of the stored picture. */
  readonly side: number;
  /** Of the medium, as a viewer shows it. */
  readonly width: number | null;
  readonly height: number | null;
}

/** What became of a document: in the index, perhaps without some of its vectors, or why it cannot be read. */
export type Taken =
  | 'taken'
  | { readonly withoutVectors: number; readonly trackId: string; readonly why: string }
  | { readonly unreadable: string };

/** How far the making of the whole index anew has come; null: it is whole. */
export type RebuildMark = { readonly score: number; readonly id: string } | 'begun' | null;

/** Every verb but `clear` and `close` may throw SearchBroken. */
export interface SearchIndex {
  /**
   * Takes in the documents of these jobs, each in place of what it had of the job; of one that it has already only the external id and the labels may change. A document is
   * found as a whole or not at all. Settles when all of them survive the loss of power; rejects when the index does not work,
   * with SearchDied when it ended while it read them.
   */
  put(jobs: readonly SearchedJob[]): Promise<readonly Taken[]>;
  /** Nothing of this job up to this run is found from now on; one that is just being taken in is left. */
  remove(job: number, run: number): Promise<void>;
  /** @throws SearchBusy */
  find(query: SearchQuery): Promise<SearchPage>;
  /** Tracks whose vectors are near. @throws SearchBusy */
  similar(query: SimilarQuery): Promise<SimilarHits | SimilarRefusal>;
  /** What makes vectors; null: nothing that is seen. @throws SearchBusy */
  vectorSource(query: VectorSourceQuery): Promise<VectorSource | null>;
  /** Near duplicates of pictures. @throws SearchBusy */
  duplicates(query: DuplicateQuery): Promise<Duplicates>;
  /** @throws SearchBusy */
  count(query: SearchConditions): Promise<SearchCounts>;
  /** The media of the jobs that it has; a cursor is of the same order. @throws SearchBusy */
  media(query: MediaQuery): Promise<MediaPage>;
  /** @throws SearchBusy */
  countMedia(sight: Sight): Promise<MediaCounts>;
  /** The faces of a document that have vectors, whether it is in the index or not. */
  faces(document: string): Promise<readonly DocumentFace[]>;
  /** Live streams with the number of their last segment that it has tracks of. */
  streams(): Promise<readonly IndexedStream[]>;
  /** Nothing of segments of live streams that ended before is found from now on. */
  expire(before: number): Promise<void>;
  /** Jobs whose documents it has, by number, after this one; no live streams. */
  jobs(after: number, limit: number): Promise<readonly IndexedJob[]>;
  /** An index that is new has 'begun'. */
  mark(): Promise<RebuildMark>;
  setMark(mark: RebuildMark): Promise<void>;
  /** Forgets everything; the mark is 'begun' again. */
  clear(): Promise<void>;
  close(): Promise<void>;
}

/** The index is damaged or of another version: only `clear` helps. */
export class SearchBroken extends Error {
  override readonly name = 'SearchBroken';
}

/** The index ended while it was at what it was asked, which may be at fault; it works again. */
export class SearchDied extends Error {
  override readonly name = 'SearchDied';
}

/** So many questions wait, or this one takes so long, that it is not answered. */
export class SearchBusy extends Error {
  override readonly name = 'SearchBusy';
}
