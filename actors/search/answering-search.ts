import type { Sight } from '../../domain/users/owner.ts';
import {
  SearchBroken,
  SearchBusy,
  type DuplicateQuery,
  type MediaQuery,
  type CountQuery,
  type SearchPage,
  type SearchQuery,
  type SimilarQuery,
  type VectorSourceQuery,
} from '../../store/search.ts';
import type { JobDocumentsDeps } from './job-documents.ts';
import type { Indexed } from './present-jobs.ts';
import type {
  CountAnswer,
  DuplicateAnswer,
  LibraryAnswer,
  LibraryCounts,
  NotSimilar,
  Search,
  SearchAnswer,
  SearchIsBusy,
  SimilarAnswer,
  SourceAnswer,
  SourcesAnswer,
} from './search.ts';

type Complete<T> = T & { readonly complete: boolean };

/** Answers queries with an index. A busy or damaged index gives an answer, too. */
export abstract class AnsweringSearch implements Search {
  readonly #deps: Pick<JobDocumentsDeps, 'index' | 'logger'>;

  constructor(deps: Pick<JobDocumentsDeps, 'index' | 'logger'>) {
    this.#deps = deps;
  }

  abstract wake(): void;
  abstract remove(jobNumber: number, run: number): Promise<boolean>;
  abstract rebuild(): void;
  abstract close(): Promise<void>;

  /** True if the index contains everything that it should. */
  protected abstract get isComplete(): boolean;
  /** Rebuilds the index of this server. The writer of the index may never see the error that a reader sees. */
  protected abstract replaceIndex(): void;
  /** Returns a test. It is true if an indexed job is still stored. */
  protected abstract findPresent(indexed: readonly Indexed[]): Promise<(one: Indexed) => boolean>;
  /** Start of the next page. */
  protected abstract nextOf(page: SearchPage): SearchAnswer['next'];

  find(query: SearchQuery): Promise<SearchAnswer | SearchIsBusy> {
    return this.#answer(async () => {
      const page = await this.#deps.index.find(query);
      return { hits: await this.#present(page.hits), next: this.nextOf(page) };
    });
  }

  similar(query: SimilarQuery): Promise<SimilarAnswer | NotSimilar | SearchIsBusy> {
    return this.#answer(async () => {
      const found = await this.#deps.index.similar(query);
      return 'refusal' in found ? found : { ...found, hits: await this.#present(found.hits) };
    });
  }

  vectorSource(query: VectorSourceQuery): Promise<SourceAnswer | SearchIsBusy> {
    return this.#answer(async () => ({ source: await this.#deps.index.vectorSource(query) }));
  }

  vectorModels(sight: Sight): Promise<SourcesAnswer | SearchIsBusy> {
    return this.#answer(async () => ({ sources: await this.#deps.index.vectorModels(sight) }));
  }

  duplicates(query: DuplicateQuery): Promise<DuplicateAnswer | SearchIsBusy> {
    return this.#answer(async () => {
      const { groups, isPart } = await this.#deps.index.duplicates(query);
      const isPresent = await this.findPresent(groups.flat());
      const present = groups.map((group) => group.filter(isPresent));
      return { groups: present.filter(({ length }) => length > 1), isPart };
    });
  }

  media(query: MediaQuery): Promise<LibraryAnswer | SearchIsBusy> {
    return this.#answer(async () => {
      const { media, next } = await this.#deps.index.media(query);
      return { media: await this.#present(media), next };
    });
  }

  count(query: CountQuery): Promise<CountAnswer | SearchIsBusy> {
    return this.#answer(() => this.#deps.index.count(query));
  }

  countMedia(sight: Sight): Promise<LibraryCounts | SearchIsBusy> {
    return this.#answer(() => this.#deps.index.countMedia(sight));
  }

  async #present<T extends Indexed>(found: readonly T[]): Promise<readonly T[]> {
    return found.filter(await this.findPresent(found));
  }

  async #answer<T>(ask: () => Promise<T>): Promise<Complete<T> | SearchIsBusy> {
    try {
      const found = await ask();
      return { ...found, complete: this.isComplete };
    } catch (error) {
      if (error instanceof SearchBusy) return { busy: error.message };
      if (!(error instanceof SearchBroken)) throw error;
      this.#deps.logger.error({ err: error }, 'the search index is damaged and is rebuilt');
      this.replaceIndex();
      return { busy: 'The search index is damaged and is being rebuilt.' };
    }
  }
}
