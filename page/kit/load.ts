import { useCallback, useEffect, useRef, useState, type Dispatch, type StateUpdater } from 'preact/hooks';
import { ApiError } from './answer.ts';
import { get, urlOf, type Query } from './api.ts';

export interface Loaded<T> {
  /** The last loaded value. It stays while a new one is loading. */
  readonly value: T | undefined;
  /** The error of the last attempt, if it failed. */
  readonly error: Error | undefined;
  readonly loading: boolean;
  /** Loads the value again. */
  readonly again: () => void;
  /** Changes the shown value before the server confirms it. */
  readonly set: Dispatch<StateUpdater<T | undefined>>;
}

/** Status of a server that cannot answer yet. */
const UNAVAILABLE = 503;
/** Shortest pause before such a request is repeated, in milliseconds. A proxy may name 0 seconds. */
const SHORTEST_PAUSE_MS = 1_000;

/**
 * Loads a value, and loads it again when one of `deps` changes, and at an interval while the page is visible. Repeats a request that the
 * server cannot answer yet after the time that the server names.
 */
export function useLoaded<T>(
  load: (signal: AbortSignal) => Promise<T>,
  deps: readonly unknown[],
  everyMs?: number,
): Loaded<T> {
  const [value, set] = useState<T>();
  const [error, setError] = useState<Error>();
  const [loading, setLoading] = useState(true);
  const [turn, setTurn] = useState(0);
  const isBusy = useRef(false);
  const again = useCallback(() => setTurn((n) => n + 1), []);
  useEffect(() => {
    set(undefined);
    setError(undefined);
    // The dependencies have changed, so the old value is removed.
  }, deps);
  useEffect(() => {
    const gone = new AbortController();
    isBusy.current = true;
    setLoading(true);
    load(gone.signal)
      .then((loaded) => {
        if (gone.signal.aborted) return;
        set(() => loaded);
        setError(undefined);
      })
      .catch((reason: unknown) => {
        if (!gone.signal.aborted) setError(reason instanceof Error ? reason : new Error(String(reason)));
      })
      .finally(() => {
        if (gone.signal.aborted) return;
        isBusy.current = false;
        setLoading(false);
      });
    return () => gone.abort();
  }, [...deps, turn]);
  useEffect(() => {
    if (!(error instanceof ApiError) || error.status !== UNAVAILABLE) return undefined;
    if (error.retryAfterMs === undefined) return undefined;
    const timer = setTimeout(again, Math.max(SHORTEST_PAUSE_MS, error.retryAfterMs));
    return () => clearTimeout(timer);
  }, [error]);
  useEffect(() => {
    if (everyMs === undefined) return undefined;
    const timer = setInterval(() => {
      // Waits for a slow answer instead of starting another request.
      if (!document.hidden && !isBusy.current) again();
    }, everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return { value, error, loading, again, set };
}

/** Loads the answer of a GET. */
export const useGet = <T>(path: string, query: Query = {}, everyMs?: number): Loaded<T> =>
  useLoaded((signal) => get<T>(path, query, signal), [urlOf(path, query)], everyMs);

/** Returns a value after it has not changed for `ms` milliseconds. */
export function useSettled<T>(value: T, ms: number): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(() => value), ms);
    return () => clearTimeout(timer);
  }, [value, ms]);
  return settled;
}

/** Returns the previous object while the new one has the same content, so that effects do not run again. */
export function useSame<T>(value: T): T {
  const last = useRef(value);
  if (JSON.stringify(value) !== JSON.stringify(last.current)) last.current = value;
  return last.current;
}
