/** Sockets for libraries that take agents of Node (callbacks, buckets): never to forbidden addresses. */
import type { Agent } from 'node:http';
import { RequestFilteringHttpAgent, RequestFilteringHttpsAgent } from 'request-filtering-agent';
import { checkHost, guardedLookup, hostOf, mayBePrivate, METADATA, type AddressRule } from './addresses.ts';

export interface OutgoingAgents {
  /** @throws ForbiddenAddress when the URL's host is an address that must not be reached; a name is checked when it is resolved */
  agentFor(url: URL): Agent;
  close(): void;
}

/** Many receivers close a connection that is idle for 5 s; it is not used any more shortly before. */
const IDLE_CONNECTION_MS = 4_000;

/** Agents that keep connections, two for receivers anywhere and two for those in public networks. */
export function outgoingAgents(rule: AddressRule): OutgoingAgents {
  const [anywhere, inPublic] = [agents(true, rule), agents(false, rule)];
  return {
    agentFor: (url) => {
      checkHost(url, rule);
      const pair = mayBePrivate(hostOf(url), rule) ? anywhere : inPublic;
      return url.protocol === 'https:' ? pair.https : pair.http;
    },
    close: () => {
      for (const { http, https } of [anywhere, inPublic]) for (const agent of [http, https]) agent.destroy();
    },
  };
}

function agents(allowPrivate: boolean, { settings }: AddressRule) {
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
