import { useEffect, useState } from 'preact/hooks';
import { ApiError, onUnauthorized } from './answer.ts';
import { get, urlOf } from './api.ts';

/** Who reads the page. */
export interface Session {
  readonly name: string;
  readonly roles: readonly string[];
}

/** Who reads. When the session ends while the page is open, `session` stays, so that nothing that was typed is lost. */
export function useSession(): {
  /** undefined: not known yet; null: nobody is logged in. */
  readonly session: Session | null | undefined;
  /** The session has ended meanwhile. */
  readonly hasEnded: boolean;
  readonly problem: Error | undefined;
  /** Asks once more. */
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
  useEffect(() => {
    void load();
    return onUnauthorized(() => setEnded(true));
  }, []);
  useEffect(() => {
    if (!hasEnded) return undefined;
    // The reader comes back from the login in another tab.
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

/** Ends the session here, and leads on to where it ends at the provider, too. */
export async function logOut(): Promise<void> {
  const response = await fetch(urlOf('logout'), { method: 'POST', headers: { Accept: 'application/json' } });
  const { location: next } = (await response.json()) as { location: string };
  location.assign(next);
}
