/** Sockets for requests of the server to receivers that users name: never to where such a request must not be talked into. */
import { lookup, type LookupAddress, type LookupOptions } from 'node:dns';
import type { Agent } from 'node:http';
import ipaddr from 'ipaddr.js';
import { RequestFilteringHttpAgent, RequestFilteringHttpsAgent } from 'request-filtering-agent';

export interface Reach {
  /** Whether receivers may be on this host or in private networks. */
  readonly allowPrivate: boolean;
  /** Names and addresses that may be so in any case. */
  readonly allowedHosts: readonly string[];
}

export interface OutgoingAgents {
  /** @throws ForbiddenAddress when the URL's host is an address that must not be reached; a name is checked when it is resolved */
  agentFor(url: URL): Agent;
  close(): void;
}

/** An address that must not be reached; the message tells why and never what answered there. */
export class ForbiddenAddress extends Error {
  readonly code = 'FORBIDDEN_ADDRESS';
}

/** Ranges of a company's or a host's own network. */
const PRIVATE: ReadonlySet<string> = new Set(['loopback', 'private', 'uniqueLocal', 'carrierGradeNat']);
/** Services of cloud hosts that hand out credentials; those in link-local ranges are refused as such. */
const METADATA: readonly string[] = [
  '100.100.100.200',
  '168.63.129.16',
  '192.0.0.192',
  'fd00:ec2::254',
  'fd20:ce::254',
];

/** Many receivers close a connection that is idle for 5 s; it is not used any more shortly before. */
const IDLE_CONNECTION_MS = 4_000;

/** Agents that keep connections, two for receivers anywhere and two for those in public networks. */
export function outgoingAgents({ allowPrivate, allowedHosts }: Reach): OutgoingAgents {
  const allowed = new Set(allowedHosts.map((host) => host.trim().toLowerCase()));
  const [anywhere, inPublic] = [agents(true), agents(false)];
  return {
    agentFor: ({ protocol, hostname }) => {
      const host = hostname.replace(/^\[|\]$/g, '').toLowerCase();
      const mayBePrivate = allowPrivate || allowed.has(host);
      if (ipaddr.isValid(host)) checkAddress(host, mayBePrivate);
      const pair = mayBePrivate ? anywhere : inPublic;
      return protocol === 'https:' ? pair.https : pair.http;
    },
    close: () => {
      for (const { http, https } of [anywhere, inPublic]) for (const agent of [http, https]) agent.destroy();
    },
  };
}

function agents(allowPrivate: boolean) {
  const options = {
    keepAlive: true,
    allowPrivateIPAddress: allowPrivate,
    denyIPAddressList: [...METADATA],
    lookup: guardedLookup(allowPrivate),
    timeout: IDLE_CONNECTION_MS,
  };
  return {
    http: new RequestFilteringHttpAgent(options),
    // Not to be switched off by the environment: an agent's own options win.
    https: new RequestFilteringHttpsAgent({ ...options, rejectUnauthorized: true }),
  };
}

type Resolved = (error: Error | null, addresses: string | LookupAddress[], family?: number) => void;

/** A socket connects to what it is given here, so a name cannot answer differently a moment later. */
function guardedLookup(allowPrivate: boolean) {
  return (host: string, options: LookupOptions, done: Resolved): void => {
    lookup(host, { ...options, all: true }, (error, addresses) => {
      if (error !== null) return done(error, []);
      try {
        for (const { address } of addresses) checkAddress(address, allowPrivate);
      } catch (forbidden) {
        return done(forbidden instanceof Error ? forbidden : new Error(String(forbidden)), []);
      }
      const first = addresses[0];
      if (options.all === true || first === undefined) return done(null, addresses);
      return done(null, first.address, first.family);
    });
  };
}

function checkAddress(address: string, allowPrivate: boolean): void {
  const parsed = ipaddr.process(address);
  const range = parsed.range();
  const metadata = METADATA.some((known) => ipaddr.process(known).toString() === parsed.toString());
  if (!metadata && range === 'unicast' && isGlobal(parsed)) return;
  if (metadata || !PRIVATE.has(range))
    throw new ForbiddenAddress('the address is one that requests are never sent to');
  if (!allowPrivate)
    throw new ForbiddenAddress(
      'the address lies in a private network; the settings CALLBACK_PRIVATE and CALLBACK_ALLOWED_HOSTS can permit it',
    );
}

/** The only IPv6 block in public use; what is left of the others stands for IPv4 addresses or nothing. */
function isGlobal(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  return !('parts' in address) || ((address.parts[0] ?? 0) & 0xe000) === 0x2000;
}
