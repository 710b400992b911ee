/** Where requests get their bearer token from. */
export interface TokenSource {
  /** A token that is good for a while. @throws Error with a sentence */
  current(): Promise<string>;
  /** The service refused `token`; is there hope for another one? */
  renewAfterRefusal(token: string): boolean;
  /** What to do about a refused token. */
  readonly advice: string;
}

/** A token is asked for anew when it ends so soon. */
const EARLY_MS = 60_000;

/** A token from outside, which the client cannot renew. */
export function givenToken(token: string, advice = 'It may have expired: get a new one.'): TokenSource {
  return { current: () => Promise.resolve(token), renewAfterRefusal: () => false, advice };
}

/** Tokens by `request`, renewed before they end: a job may take longer than its token. */
export function renewedToken(request: () => Promise<string>, advice: string, now = Date.now): TokenSource {
  let held: { readonly token: string; readonly until: number } | undefined;
  return {
    async current() {
      if (held === undefined || held.until <= now()) {
        const token = await request();
        held = { token, until: expiryOf(token) - EARLY_MS };
      }
      return held.token;
    },
    renewAfterRefusal(token) {
      if (held?.token === token) held = undefined;
      return true;
    },
    advice,
  };
}

/** Milliseconds since the epoch; a token that does not tell is kept until it is refused. */
function expiryOf(token: string): number {
  try {
    const claims: unknown = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'));
    const exp = typeof claims === 'object' && claims !== null && 'exp' in claims ? claims.exp : undefined;
    return typeof exp === 'number' ? exp * 1_000 : Infinity;
  } catch {
    return Infinity;
  }
}
