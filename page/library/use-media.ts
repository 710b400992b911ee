import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { get, type Query } from '../kit/api.ts';
import type { LibraryMedium, LibraryPage } from './types.ts';

/** Number of media per page. */
const PAGE = 60;

interface Loading {
  readonly key: string;
  readonly list: readonly LibraryMedium[];
  readonly next: string | null;
}

const NONE: readonly LibraryMedium[] = [];

const isSame = (a: LibraryMedium, b: LibraryMedium | undefined): boolean =>
  a.jobId === b?.jobId && a.mediaId === b.mediaId && a.label === b.label;

/** Renews the first page. Later pages stay, so that nothing moves for a reader who is there. */
function renewList(before: Loading, { media, next }: LibraryPage): Omit<Loading, 'key'> {
  const last = before.list.findIndex((one) => isSame(one, media.at(-1)));
  if (last === -1 || next === null) return { list: media, next };
  return { list: [...media, ...before.list.slice(last + 1)], next: before.next };
}

/** Loads media page by page. Media of earlier filters are not shown. */
export function useMedia(asked: Query) {
  const key = JSON.stringify(asked);
  const [loaded, setLoaded] = useState<Loading>();
  const [error, setError] = useState<Error>();
  const [turn, setTurn] = useState(0);
  const busy = useRef(false);
  const load = async (cursor: string | undefined, signal?: AbortSignal) => {
    const page = await get<LibraryPage>('rest/library', { ...asked, limit: PAGE, cursor }, signal);
    setError(undefined);
    setLoaded((before) => {
      if (cursor !== undefined)
        return { key, list: [...(before?.list ?? []), ...page.media], next: page.next };
      return {
        key,
        ...(before?.key === key ? renewList(before, page) : { list: page.media, next: page.next }),
      };
    });
  };
  // Does not wait for the paint of the view without media.
  useLayoutEffect(() => {
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
