import { useEffect, useLayoutEffect, useState } from 'preact/hooks';
import { ApiError, onUnauthorized } from './answer.ts';
import { get, urlOf } from './api.ts';

/** The user of the page. */
export interface Session {
  readonly name: string;
  readonly roles: readonly string[];
}

/** Loads the session. When the session ends while the page is open, `session` stays, so that nothing that was typed is lost. */
export function useSession(): {
  /** Undefined: not known yet. Null: no user is logged in. */
  readonly session: Session | null | undefined;
  /** True if the session has ended since the page was opened. */
  readonly hasEnded: boolean;
  readonly problem: Error | undefined;
  /** Loads the session again. */
  readonly again: () => void;
} {
  const [session, setSession] = useState<Session | null>();
  const [hasEnded, setEnded] = useState(false);
  const [problem, setProblem] = useState<Error>();
  const load = () =>
    get<Session>('rest/session')
      .then((who) => {
        setSession((before) => (before?.name === who.name ? before : who));
        setProblem(undefined);
        setEnded(false);
      })
      .catch((error: unknown) => {
        if (error instanceof ApiError && error.status === 401) setSession((before) => before ?? null);
        else setProblem(error as Error);
      });
  // Does not wait for the first paint.
  useLayoutEffect(() => {
    void load();
    return onUnauthorized(() => setEnded(true));
  }, []);
  useEffect(() => {
    if (!hasEnded) return undefined;
    // The reader returns from the login in another tab.
    const onReturn = () => {
      if (!document.hidden) void load();
    };
    addEventListener('focus', onReturn);
    document.addEventListener('visibilitychange', onReturn);
    return () => {
      removeEventListener('focus', onReturn);
      document.removeEventListener('visibilitychange', onReturn);
    };
  }, [hasEnded]);
  return {
    ...{ session, hasEnded, again: () => void load() },
    problem: session === undefined ? problem : undefined,
  };
}

export const isAdmin = ({ roles }: Session) => roles.includes('ADMIN');

/** Ends the session, and continues to the logout page of the provider. */
export async function logOut(): Promise<void> {
  const response = await fetch(urlOf('logout'), { method: 'POST', headers: { Accept: 'application/json' } });
  const { location: next } = (await response.json()) as { location: string };
  location.assign(next);
}
