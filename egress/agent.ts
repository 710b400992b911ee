/** Sockets for requests of the server to receivers that users name: never to where such a request must not be talked into. */
import type { Agent } from 'node:http';
import { RequestFilteringHttpAgent, RequestFilteringHttpsAgent } from 'request-filtering-agent';
import { checkHost, guardedLookup, METADATA } from './addresses.ts';

export interface Reach {
  /** Whether receivers may be on this host or in private networks. */
  readonly allowPrivate: boolean;
  /** Names and addresses that may be so in any case. */
  readonly allowedHosts: readonly string[];
  /** The settings that decide it, for messages. */
  readonly settings?: string;
}

export interface OutgoingAgents {
  /** @throws ForbiddenAddress when the URL's host is an address that must not be reached; a name is checked when it is resolved */
  agentFor(url: URL): Agent;
  close(): void;
}

/** For messages. */
export const REACH_SETTINGS = 'the settings CALLBACK_PRIVATE and CALLBACK_ALLOWED_HOSTS';
/** Many receivers close a connection that is idle for 5 s; it is not used any more shortly before. */
const IDLE_CONNECTION_MS = 4_000;

/** Agents that keep connections, two for receivers anywhere and two for those in public networks. */
export function outgoingAgents({
  allowPrivate,
  allowedHosts,
  settings = REACH_SETTINGS,
}: Reach): OutgoingAgents {
  const allowed = new Set(allowedHosts.map((host) => host.trim().toLowerCase()));
  const [anywhere, inPublic] = [agents(true, settings), agents(false, settings)];
  return {
    agentFor: (url) => {
      const host = url.hostname.replace(/^\[|\]$/g, '').toLowerCase();
      const mayBePrivate = allowPrivate || allowed.has(host);
      checkHost(url, { allowPrivate: mayBePrivate, settings });
      const pair = mayBePrivate ? anywhere : inPublic;
      return url.protocol === 'https:' ? pair.https : pair.http;
    },
    close: () => {
      for (const { http, https } of [anywhere, inPublic]) for (const agent of [http, https]) agent.destroy();
    },
  };
}

function agents(allowPrivate: boolean, settings: string) {
  const options = {
    keepAlive: true,
    allowPrivateIPAddress: allowPrivate,
    denyIPAddressList: [...METADATA],
    lookup: guardedLookup({ allowPrivate, settings }),
    timeout: IDLE_CONNECTION_MS,
  };
  return {
    http: new RequestFilteringHttpAgent(options),
    // Not to be switched off by the environment: an agent's own options win.
    https: new RequestFilteringHttpsAgent({ ...options, rejectUnauthorized: true }),
  };
}
