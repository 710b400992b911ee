import type { Sight } from '../../domain/users/owner.ts';
import type {
  DuplicateQuery,
  Duplicates,
  MediaCounts,
  MediaPage,
  MediaQuery,
  SearchPage,
  CountQuery,
  SearchCounts,
  SearchPlace,
  SearchQuery,
  SimilarHits,
  SimilarQuery,
  SimilarRefusal,
  VectorSource,
  VectorSourceQuery,
} from '../../store/search.ts';
import type { JobSearch } from '../batch-job/job-deps.ts';

/** A page of hits, and whether the index has all documents. */
export interface SearchAnswer extends Pick<SearchPage, 'hits'> {
  /** The `cursor` of the next page. Null on the last page. */
  readonly next: number | SearchPlace | null;
  readonly complete: boolean;
}

export type { MediaQuery, SearchConditions, SimilarQuery } from '../../store/search.ts';

/** Why there is no answer now. */
export interface SearchIsBusy {
  readonly busy: string;
}

export interface CountAnswer extends SearchCounts {
  readonly complete: boolean;
}

export interface SimilarAnswer extends SimilarHits {
  readonly complete: boolean;
}
export interface SourceAnswer {
  readonly source: VectorSource | null;
  readonly complete: boolean;
}
export interface SourcesAnswer {
  /** The one of the newest vectors first. */
  readonly sources: readonly VectorSource[];
  readonly complete: boolean;
}
export type NotSimilar = SimilarRefusal & { readonly complete: boolean };
export interface DuplicateAnswer extends Duplicates {
  readonly complete: boolean;
}

export interface LibraryAnswer extends MediaPage {
  /** False: the index is being built and does not have all documents. */
  readonly complete: boolean;
}
export interface LibraryCounts extends MediaCounts {
  readonly complete: boolean;
}

/** Search in the results of jobs. */
export interface Search extends JobSearch {
  find(query: SearchQuery): Promise<SearchAnswer | SearchIsBusy>;
  /** Tracks with vectors close to that of a track, or to a given one. */
  similar(query: SimilarQuery): Promise<SimilarAnswer | NotSimilar | SearchIsBusy>;
  /** The newest job that made vectors. */
  vectorSource(query: VectorSourceQuery): Promise<SourceAnswer | SearchIsBusy>;
  /** The same for each model. */
  vectorModels(sight: Sight): Promise<SourcesAnswer | SearchIsBusy>;
  /** Pictures of different media that look alike. */
  duplicates(query: DuplicateQuery): Promise<DuplicateAnswer | SearchIsBusy>;
  /** Counts of the hits of a query. */
  count(query: CountQuery): Promise<CountAnswer | SearchIsBusy>;
  /** The media of all jobs with a document. */
  media(query: MediaQuery): Promise<LibraryAnswer | SearchIsBusy>;
  countMedia(sight: Sight): Promise<LibraryCounts | SearchIsBusy>;
  /** Deletes the index and rebuilds it from the documents. Meanwhile, the search answers with what is indexed. */
  rebuild(): void;
  close(): Promise<void>;
}
