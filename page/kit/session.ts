import { useEffect, useState } from 'preact/hooks';
import { ApiError, onUnauthorized } from './answer.ts';
import { get, urlOf } from './api.ts';

/** Who reads the page. */
export interface Session {
  readonly name: string;
  readonly roles: readonly string[];
}

/** undefined: not known yet; null: nobody is logged in. */
export function useSession(): {
  readonly session: Session | null | undefined;
  readonly problem: Error | undefined;
} {
  const [session, setSession] = useState<Session | null>();
  const [problem, setProblem] = useState<Error>();
  useEffect(() => {
    get<Session>('rest/session')
      .then(setSession)
      .catch((error: unknown) => {
        if (error instanceof ApiError && error.status === 401) setSession(null);
        else setProblem(error as Error);
      });
    return onUnauthorized(() => setSession(null));
  }, []);
  return { session, problem };
}

export const isAdmin = ({ roles }: Session) => roles.includes('ADMIN');

/** Ends the session here, and leads on to where it ends at the provider, too. */
export async function logOut(): Promise<void> {
  const response = await fetch(urlOf('logout'), { method: 'POST', headers: { Accept: 'application/json' } });
  const { location: next } = (await response.json()) as { location: string };
  location.assign(next);
}
