import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { get, type Query } from '../kit/api.ts';
import { useGet } from '../kit/load.ts';
import { Problem } from '../kit/parts.tsx';
import { go, hrefOf, type Route } from '../kit/route.ts';
import { openAnalysis } from '../new/open-analysis.ts';
import { Facets } from './facets.tsx';
import { FirstMinute } from './first-minute.tsx';
import { LiveJobs } from './live-jobs.tsx';
import { MediaGrid } from './media-grid.tsx';
import { FILTERS, type LibraryCounts, type LibraryMedium, type LibraryPage } from './types.ts';
import { TEXT } from '../kit/text.ts';

/** Media that are loaded at a time. */
const PAGE = 60;
/** Time until the index has taken in a job that ended: milliseconds. */
const INDEXED_MS = 1_500;

/** All media with what was found in them: the first view. */
export function Library({ route: { query } }: { readonly route: Route }) {
  const asked = Object.fromEntries(FILTERS.map((name) => [name, query.get(name) ?? undefined]));
  const isNarrowed = FILTERS.some((name) => query.has(name));
  const counts = useGet<LibraryCounts>('rest/library/counts');
  const media = useMedia(asked);
  const reload = useCallback(() => {
    setTimeout(() => {
      counts.again();
      media.reload();
    }, INDEXED_MS);
  }, [JSON.stringify(asked)]);
  const isEmpty = media.isLoaded && media.list.length === 0;
  return (
    <div class="library">
      {counts.value !== undefined && counts.value.total > 0 && <Facets counts={counts.value} query={query} />}
      <div class="content">
        <h1 class="unseen">{TEXT.common.library}</h1>
        {counts.value !== undefined && counts.value.total > 0 && <Tools query={query} />}
        <LiveJobs onEnd={reload} />
        {media.error !== undefined && <Problem again={media.reload}>{media.error.message}</Problem>}
        {!media.isLoaded && media.error === undefined && <Skeleton />}
        {media.list.length > 0 && <MediaGrid media={media.list} />}
        {isEmpty && (isNarrowed ? <NothingFits /> : <FirstMinute />)}
        {media.next !== null && <LoadMore more={media.more} />}
      </div>
    </div>
  );
}

function Tools({ query }: { readonly query: URLSearchParams }) {
  const rest = Object.fromEntries([...query].filter(([name]) => name !== 'name'));
  const filters = [...query].filter(([name]) => name !== 'name');
  return (
    <div class="tools">
      <input
        type="search"
        aria-label={TEXT.library.nameOfTheMedium}
        placeholder={TEXT.library.filterByName}
        value={query.get('name') ?? ''}
        onChange={({ currentTarget: { value } }) => go(hrefOf(['library'], { ...rest, name: value.trim() }))}
      />
      {filters.length > 0 && <a href={hrefOf(['library'])}>{TEXT.library.clearFilters}</a>}
    </div>
  );
}

function NothingFits() {
  return (
    <div class="empty">
      <h2>{TEXT.library.noMediumMatchesTheseFilters}</h2>
      <p>
        <a href={hrefOf(['library'])}>{TEXT.library.clearAllFilters}</a> {TEXT.common.or}{' '}
        <button type="button" class="plain" onClick={() => openAnalysis()}>
          {TEXT.common.startAnAnalysis}
        </button>
        .
      </p>
    </div>
  );
}

function Skeleton() {
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

/** The next page is loaded when the end of the list comes near. */
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

interface Loading {
  readonly key: string;
  readonly list: readonly LibraryMedium[];
  readonly next: string | null;
}

const NONE: readonly LibraryMedium[] = [];

/** Media, a page after the other. What belongs to other filters is not shown. */
function useMedia(asked: Query) {
  const key = JSON.stringify(asked);
  const [loaded, setLoaded] = useState<Loading>();
  const [error, setError] = useState<Error>();
  const [turn, setTurn] = useState(0);
  const busy = useRef(false);
  const load = async (cursor: string | undefined, signal?: AbortSignal) => {
    const page = await get<LibraryPage>('rest/library', { ...asked, limit: PAGE, cursor }, signal);
    setError(undefined);
    setLoaded((before) => ({
      key,
      list: cursor === undefined ? page.media : [...(before?.list ?? []), ...page.media],
      next: page.next,
    }));
  };
  useEffect(() => {
    const gone = new AbortController();
    load(undefined, gone.signal).catch((reason: unknown) => {
      if (!gone.signal.aborted) setError(reason as Error);
    });
    return () => gone.abort();
  }, [key, turn]);
  const current = loaded?.key === key ? loaded : undefined;
  const more = () => {
    if (busy.current || current?.next == null) return;
    busy.current = true;
    load(current.next)
      .catch((reason: unknown) => setError(reason as Error))
      .finally(() => (busy.current = false));
  };
  return {
    list: current?.list ?? NONE,
    next: current?.next ?? null,
    isLoaded: current !== undefined,
    error,
    more,
    reload: () => setTurn((n) => n + 1),
  };
}
