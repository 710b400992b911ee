import type { SearchPage, SearchPlace, SearchQuery } from '../../store/search.ts';
import type { JobSearch } from '../batch-job/job-deps.ts';

/** A page of hits, and whether the index has all documents. */
export interface SearchAnswer extends Pick<SearchPage, 'hits'> {
  /** The `cursor` of the page after it; null: there are no more. */
  readonly next: number | SearchPlace | null;
  readonly complete: boolean;
}

/** What jobs found, to be searched. */
export interface Search extends JobSearch {
  /** Busy: why there is no answer now. */
  find(query: SearchQuery): Promise<SearchAnswer | { readonly busy: string }>;
  /** Forgets the index and makes it again of the documents; meanwhile the search answers what it has. */
  rebuild(): void;
  close(): Promise<void>;
}
