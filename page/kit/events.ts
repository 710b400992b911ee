import { useEffect, useRef, useState } from 'preact/hooks';
import { get, urlOf, type Query } from './api.ts';

export interface Watching {
  /** Whether events come at the moment. */
  readonly live: boolean;
  /** When the connection was last known to work: milliseconds since the epoch; undefined: it never has. */
  readonly lastSeen: number | undefined;
}

/** Time until a connection that the server has refused is tried again. */
const AGAIN_MS = 5_000;

/**
 * Follows server-sent events as long as there is a path. The browser reconnects by itself after an interruption. When
 * the server refuses a connection, the next attempt follows after a while. `handlers`, by name of the event, receive its
 * data.
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
        // When the session has ended, this leads to the login.
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
