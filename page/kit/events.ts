import { useEffect, useRef, useState } from 'preact/hooks';
import { get, urlOf, type Query } from './api.ts';

export interface Watching {
  /** True while the connection works. */
  readonly live: boolean;
  /** Last time when the connection worked: milliseconds since the epoch. Undefined if it never has. */
  readonly lastSeen: number | undefined;
}

/** Time until a connection that the server has refused is tried again: milliseconds. */
const AGAIN_MS = 5_000;

/**
 * Receives server-sent events while `path` is defined. The browser reconnects by itself after an interruption. When the server refuses a
 * connection, the next attempt follows after a delay. `handlers` receive the data of events, by the name of the event.
 */
export function useEvents(
  path: string | undefined,
  query: Query,
  handlers: Readonly<Record<string, (data: unknown) => void>>,
): Watching {
  const [live, setLive] = useState(false);
  const [lastSeen, setLastSeen] = useState<number>();
  const latest = useRef(handlers);
  latest.current = handlers;
  const url = path === undefined ? undefined : urlOf(path, query);
  useEffect(() => {
    if (url === undefined) return undefined;
    let source: EventSource;
    let timer: number | undefined;
    const onVisible = () => {
      setLastSeen(Date.now());
      setLive(true);
    };
    const open = () => {
      source = new EventSource(url);
      source.addEventListener('open', onVisible);
      source.addEventListener('error', () => {
        setLive(false);
        if (source.readyState !== EventSource.CLOSED) return;
        // If the session has ended, this request opens the login.
        get('rest/session').catch(() => undefined);
        timer = window.setTimeout(open, AGAIN_MS);
      });
      for (const name of Object.keys(latest.current))
        source.addEventListener(name, (event) => {
          onVisible();
          latest.current[name]?.(JSON.parse((event as MessageEvent<string>).data));
        });
    };
    open();
    return () => {
      clearTimeout(timer);
      source.close();
    };
  }, [url]);
  return { live, lastSeen };
}
