import { useCallback, useEffect, useMemo, useRef } from 'preact/hooks';
import { later } from '../kit/later.tsx';
import { useGet } from '../kit/load.ts';
import { Problem } from '../kit/parts.tsx';
import { type Route } from '../kit/route.ts';
import { useSelection } from '../kit/selection/use-selection.ts';
import { openAnalysis } from '../new/open-analysis.ts';
import { arrangementOf, orderQuery, type View } from './arrangement.ts';
import { Facets } from './facets.tsx';
import { groupsOf, placeOf } from './groups.ts';
import { LiveJobs } from './live-jobs.tsx';
import { MediaGrid } from './media-grid.tsx';
import { Tools, withoutFilters } from './tools.tsx';
import { FILTERS, type LibraryCounts } from './types.ts';
import { useMedia } from './use-media.ts';
import { TEXT } from '../kit/text.ts';

const FirstMinute = later(async () => (await import('./first-minute.tsx')).FirstMinute);
const JobBar = later(async () => (await import('../jobs/job-bar.tsx')).JobBar, 0);

/** Delays after which the index usually, and at the latest, contains an ended job: milliseconds. */
const INDEXED_MS = [1_500, 5_000];

/** All media with their findings: the first view. */
export function Library({ route: { query } }: { readonly route: Route }) {
  const asked = Object.fromEntries(FILTERS.map((name) => [name, query.get(name) ?? undefined]));
  const isNarrowed = FILTERS.some((name) => query.has(name));
  const arrangement = arrangementOf(query);
  const ordered = { ...asked, ...orderQuery(arrangement) };
  // Requested before the counts, which take longer.
  const media = useMedia(ordered);
  const counts = useGet<LibraryCounts>('rest/library/counts');
  const reload = useCallback(() => {
    for (const ms of INDEXED_MS)
      setTimeout(() => {
        counts.again();
        media.reload();
      }, ms);
  }, [JSON.stringify(ordered)]);
  const isEmpty = media.isLoaded && media.list.length === 0;
  const { view, group } = arrangement;
  const places = useMemo(
    () => groupsOf(media.list, group).flatMap((one) => one.media.map(placeOf)),
    [media.list, group],
  );
  const selection = useSelection(places, JSON.stringify(asked));
  // After its first use, the bar stays, because it shows the result of the last action.
  const wasUsed = useRef(false);
  wasUsed.current ||= !selection.isEmpty;
  return (
    <div class="library">
      {counts.value === undefined
        ? !isEmpty && <aside class="facets" aria-hidden="true" />
        : counts.value.total > 0 && <Facets counts={counts.value} query={query} />}
      <div class="content" {...selection.list}>
        <h1 class="unseen">{TEXT.common.library}</h1>
        {(!isEmpty || isNarrowed) && <Tools query={query} arrangement={arrangement} />}
        <LiveJobs onEnd={reload} />
        {media.error !== undefined && <Problem again={media.reload}>{media.error.message}</Problem>}
        {!media.isLoaded && media.error === undefined && <Skeleton view={arrangement.view} />}
        {wasUsed.current && <JobBar of={selection} onEnd={reload} />}
        {media.list.length > 0 && <MediaGrid {...{ media: media.list, view, group, selection }} />}
        {isEmpty && (isNarrowed ? <NothingFits query={query} /> : <FirstMinute />)}
        {media.next !== null && <LoadMore more={media.more} />}
      </div>
    </div>
  );
}

function NothingFits({ query }: { readonly query: URLSearchParams }) {
  return (
    <div class="empty">
      <h2>{TEXT.library.noMediumMatchesTheseFilters}</h2>
      <p>
        <a href={withoutFilters(query)}>{TEXT.library.clearAllFilters}</a> {TEXT.common.or}{' '}
        <button type="button" class="plain" onClick={() => openAnalysis()}>
          {TEXT.common.startAnAnalysis}
        </button>
        .
      </p>
    </div>
  );
}

function Skeleton({ view }: { readonly view: View }) {
  if (view === 'list')
    return (
      <div class="skeleton-rows" aria-hidden="true">
        {Array.from({ length: 8 }, (_, n) => (
          <span key={n} class="skeleton" />
        ))}
      </div>
    );
  return (
    <div class="grid" aria-hidden="true">
      {Array.from({ length: 8 }, (_, n) => (
        <span key={n} class="tile skeleton">
          <span class="shot" />
          <span class="name" />
        </span>
      ))}
    </div>
  );
}

/** Loads the next page when the reader gets near the end of the list. */
function LoadMore({ more }: { readonly more: () => void }) {
  const end = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some(({ isIntersecting }) => isIntersecting)) more();
      },
      { rootMargin: '800px' },
    );
    observer.observe(end.current!);
    return () => observer.disconnect();
  }, [more]);
  return (
    <p class="pages">
      <button type="button" ref={end} onClick={more}>
        {TEXT.library.loadMore}
      </button>
    </p>
  );
}
