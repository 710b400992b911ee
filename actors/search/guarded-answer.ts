import { SearchBroken, SearchBusy } from '../../store/search.ts';
import type { JobDocumentsDeps } from './job-documents.ts';
import type { SearchIsBusy } from './search.ts';

export interface GuardedIndex {
  readonly logger: JobDocumentsDeps['logger'];
  /** Whether the index has all that it should have. */
  isComplete(): boolean;
  /** Has the index made again: the writer may never meet what a reader has met. */
  onBroken(): void;
}

/** An answer of the index, with whether the index is complete; a busy or damaged index is an answer, too. */
export async function guardedAnswer<T>(
  ask: () => Promise<T>,
  { logger, isComplete, onBroken }: GuardedIndex,
): Promise<(T & { readonly complete: boolean }) | SearchIsBusy> {
  try {
    const found = await ask();
    return { ...found, complete: isComplete() };
  } catch (error) {
    if (error instanceof SearchBusy) return { busy: error.message };
    if (!(error instanceof SearchBroken)) throw error;
    logger.error({ err: error }, 'the search index is damaged and is rebuilt');
    onBroken();
    return { busy: 'The search index is damaged and is being rebuilt.' };
  }
}
