/** Agents for libraries that use Node's sockets (callbacks, buckets). They never connect to forbidden addresses. */
import type { Agent } from 'node:http';
import { RequestFilteringHttpAgent, RequestFilteringHttpsAgent } from 'request-filtering-agent';
import { checkHost, guardedLookup, hostOf, mayBePrivate, METADATA, type AddressRule } from './addresses.ts';

export interface OutgoingAgents {
  /** @throws ForbiddenAddress if the URL's host is a forbidden address; a name is checked when it is resolved */
  agentFor(url: URL): Agent;
  close(): void;
}

/** Time for which an idle connection is reused. Many receivers close one after 5 s. */
const IDLE_CONNECTION_MS = 4_000;

/** Agents that keep connections: two for all receivers, and two for those in public networks. */
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
    // An agent's own options override the environment, so verification cannot be disabled.
    https: new RequestFilteringHttpsAgent({ ...options, rejectUnauthorized: true }),
  };
}
