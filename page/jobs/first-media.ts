import { useEffect, useState } from 'preact/hooks';
import { get } from '../kit/api.ts';
import type { LibraryMedium, LibraryPage } from '../library/types.ts';
import type { ListedJob } from './types.ts';

/** Delays after which the index is asked for a job that has just ended: milliseconds. */
const ASKED_AFTER_MS = [0, 1_500, 4_000];

/** Returns the first medium of each ended job, as soon as the index contains it. */
export function useFirstMedia(jobs: readonly ListedJob[]): ReadonlyMap<string, LibraryMedium> {
  const [known, setKnown] = useState<ReadonlyMap<string, LibraryMedium>>(new Map());
  const wanted = jobs
    .filter(({ jobId, terminal, endDate }) => terminal && !isOf(known.get(jobId), endDate))
    .map(({ jobId }) => jobId)
    .join(',');
  useEffect(() => {
    if (wanted === '') return undefined;
    const gone = new AbortController();
    const load = () =>
      get<LibraryPage>('rest/library', { firstOf: wanted, limit: 100 }, gone.signal)
        .then(({ media }) =>
          setKnown((before) => new Map([...before, ...media.map((one) => [one.jobId, one] as const)])),
        )
        // The list works without pictures, for example on a server without the search.
        .catch(() => undefined);
    const timers = ASKED_AFTER_MS.map((ms) => setTimeout(() => void load(), ms));
    return () => {
      for (const timer of timers) clearTimeout(timer);
      gone.abort();
    };
  }, [wanted]);
  return known;
}

/** True if the medium belongs to this run of the job. */
const isOf = (medium: LibraryMedium | undefined, endDate: string | null) =>
  medium !== undefined && endDate !== null && Date.parse(medium.jobEndDate) === Date.parse(endDate);
