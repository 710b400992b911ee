import { ConfigurationError } from '../config/error.ts';
import type { NodeCredentials } from '../config/node.ts';
import { NoProvider, serviceToken } from '../egress/service-token.ts';
import type { NodeFiles } from './node-files.ts';

/** Tokens with which a node authenticates to its server. */
export interface NodeTokens {
  /** @throws Error with a sentence if none is available now, ConfigurationError if there never will be one */
  current(): Promise<string>;
  /** Handles a refused `token`. Returns true if there may be another one. */
  renewAfterRefusal(token: string): boolean;
  /** Stores a token from the server. */
  onToken(token: string): void;
}

/**
 * A client of the provider renews its tokens itself. Otherwise the server makes them, and an administrator creates the first one.
 * @throws ConfigurationError if there is none
 */
export function nodeTokens(credentials: NodeCredentials, files: NodeFiles): NodeTokens {
  if ('joinToken' in credentials) return givenTokens(credentials.joinToken, files);
  const tokens = serviceToken(credentials);
  const refused = new Set<string>();
  return {
    current: () =>
      tokens.get().catch((error: unknown) => {
        // A node that was connected before has a valid provider. Probably a proxy answers while it starts.
        if (!(error instanceof NoProvider) || files.configuration !== undefined) throw error;
        throw new ConfigurationError([`${NO_PROVIDER} ${credentials.issuer}: check TROUPE_ISSUER_URI.`]);
      }),
    renewAfterRefusal(token) {
      tokens.drop(token);
      const isFirst = refused.size === 0;
      refused.clear();
      refused.add(token);
      return isFirst;
    },
    onToken() {},
  };
}

const NO_PROVIDER = 'The node gets no token, for no OpenID Connect provider answers at';
const NONE =
  'The node has no token: set TROUPE_TOKEN to what troupe token --node NAME prints where the server runs, or, for a server with a provider, TROUPE_ISSUER_URI, TROUPE_CLIENT_ID and TROUPE_CLIENT_SECRET.';

function givenTokens(joinToken: string | undefined, files: NodeFiles): NodeTokens {
  // The token from the server lives longer.
  let left = [files.token, joinToken].filter((token) => token !== undefined);
  if (left.length === 0) throw new ConfigurationError([NONE]);
  return {
    current: () => Promise.resolve(left[0]!),
    renewAfterRefusal(token) {
      const others = left.filter((one) => one !== token);
      if (others.length > 0) left = others;
      return others.length > 0;
    },
    onToken(token) {
      files.token = token;
      left = [token];
    },
  };
}
