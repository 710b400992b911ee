/** A source of bearer tokens. */
export interface TokenSource {
  /** Returns a token that stays valid for a while. @throws Error with a sentence */
  current(): Promise<string>;
  /** Reports that the service refused `token`. Returns true if another one may be accepted. */
  renewAfterRefusal(token: string): boolean;
  /** Advice after a refused token. */
  readonly advice: string;
}

/** Time before its expiry at which a token is renewed. */
const EARLY_MS = 60_000;

/** Returns a source with a given token, which the client cannot renew. */
export function givenToken(token: string, advice = 'It may have expired: get a new one.'): TokenSource {
  return { current: () => Promise.resolve(token), renewAfterRefusal: () => false, advice };
}

/** Returns a source that gets tokens by `request`, and renews them before they expire. A job may take longer than its token is valid. */
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

/** Returns the expiry: milliseconds since the epoch. A token without an expiry is used until the service refuses it. */
function expiryOf(token: string): number {
  try {
    const claims: unknown = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'));
    const exp = typeof claims === 'object' && claims !== null && 'exp' in claims ? claims.exp : undefined;
    return typeof exp === 'number' ? exp * 1_000 : Infinity;
  } catch {
    return Infinity;
  }
}
