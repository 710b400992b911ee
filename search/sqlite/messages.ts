import type { Sight } from '../../domain/users/owner.ts';
import type {
  DocumentFace,
  DuplicateQuery,
  Duplicates,
  IndexedJob,
  IndexedStream,
  MediaCounts,
  MediaPage,
  MediaQuery,
  RebuildMark,
  CountQuery,
  SearchCounts,
  SearchedJob,
  SearchPage,
  SearchQuery,
  SimilarHits,
  SimilarQuery,
  SimilarRefusal,
  Taken,
  VectorSource,
  VectorSourceQuery,
} from '../../store/search.ts';

/** Requests to the threads of the index, and their replies. */
export type WriteRequest =
  | { readonly put: readonly SearchedJob[] }
  | { readonly remove: { readonly job: number; readonly run: number } }
  | { readonly jobs: { readonly after: number; readonly limit: number } }
  | { readonly streams: true }
  /** The path of a document. */
  | { readonly faces: string }
  | { readonly expire: number }
  | { readonly setMark: RebuildMark }
  | { readonly mark: true };
export interface WriteReply {
  readonly taken?: readonly Taken[];
  readonly jobs?: readonly IndexedJob[];
  readonly streams?: readonly IndexedStream[];
  readonly faces?: readonly DocumentFace[];
  readonly mark?: RebuildMark;
}
export type FindRequest =
  | { readonly find: SearchQuery }
  | { readonly similar: SimilarQuery }
  | { readonly vectorSource: VectorSourceQuery }
  | { readonly vectorModels: Sight }
  | { readonly duplicates: DuplicateQuery }
  | { readonly count: CountQuery }
  | { readonly media: MediaQuery }
  | { readonly countMedia: Sight };
export type FindReply =
  | SearchPage
  | SimilarHits
  | SimilarRefusal
  | VectorSource
  | null
  | readonly VectorSource[]
  | Duplicates
  | SearchCounts
  | MediaPage
  | MediaCounts;

/** A request with its number. `close` ends the thread after its pending requests. */
export type Numbered<T> = { readonly n: number; readonly request: T } | 'close';
export type Answer<T> = { readonly n: number } & (
  | { readonly reply: T }
  /** `broken`: true if the index must be rebuilt. */
  | { readonly failure: string; readonly broken: boolean }
);
