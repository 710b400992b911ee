/** Restricts the addresses to which the server connects for its clients, as a protection against request forgery (SSRF). */
import { lookup } from 'node:dns';
import type { LookupAddress, LookupOptions } from 'node:dns';
import type { IPv4, IPv6 } from 'ipaddr.js';
import { ipaddr } from './ip-addresses.ts';

/** Ranges of private networks and of the host itself. They are reachable only if the operator allows them. */
const PRIVATE = ['loopback', 'private', 'uniqueLocal', 'carrierGradeNat'];
/** Addresses of cloud services that return credentials. Those in link-local ranges are refused anyway. */
export const METADATA: readonly string[] = [
  '100.100.100.200',
  '168.63.129.16',
  '192.0.0.192',
  'fd00:ec2::254',
  'fd20:ce::254',
];

/** An address to which connections are forbidden. The message says why, and never contains an answer of that address. */
export class ForbiddenAddress extends Error {
  readonly code = 'FORBIDDEN_ADDRESS';
}

/** The operator's rule for addresses. */
export interface AddressRule {
  /** True if addresses of this host and of private networks are allowed. */
  readonly allowPrivate: boolean;
  /** Names and addresses that are allowed even if they are private. */
  readonly allowedHosts?: readonly string[];
  /** The names of the deciding settings, for the message. */
  readonly settings: string;
}

/** The settings that decide for callbacks, archives and results. */
export const REACH_SETTINGS = 'the settings CALLBACK_PRIVATE and CALLBACK_ALLOWED_HOSTS';

/** The host of a URL in the form for sockets. */
export const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, '').toLowerCase();

/** True if this host may have a private address. */
export function mayBePrivate(host: string, { allowPrivate, allowedHosts = [] }: AddressRule): boolean {
  return allowPrivate || allowedHosts.some((allowed) => allowed.trim().toLowerCase() === host.toLowerCase());
}

/** @throws ForbiddenAddress if connections to the IP address (any notation) of the host are forbidden */
export function checkAddress(address: string, rule: AddressRule, host = address): void {
  const parsed = ipaddr.process(address);
  const range = parsed.range();
  const metadata = METADATA.some((known) => ipaddr.process(known).toString() === parsed.toString());
  if (!metadata && range === 'unicast' && isGlobal(parsed)) return;
  if (!metadata && PRIVATE.includes(range)) {
    if (mayBePrivate(host, rule)) return;
    throw new ForbiddenAddress(`the address is in a private network, which ${rule.settings} can permit`);
  }
  throw new ForbiddenAddress('the address is one that is never connected to');
}

/** True for IPv4, and for the only public IPv6 block. Other IPv6 addresses stand for IPv4 addresses or nothing. */
function isGlobal(address: IPv4 | IPv6): boolean {
  return !('parts' in address) || ((address.parts[0] ?? 0) & 0xe000) === 0x2000;
}

/** @throws ForbiddenAddress if the URL's host is a forbidden IP address. Names are checked when they are resolved. */
export function checkHost(url: URL, rule: AddressRule): void {
  const host = hostOf(url);
  if (ipaddr.isValid(host)) checkAddress(host, rule);
}

type Resolved = (error: Error | null, addresses: string | LookupAddress[], family?: number) => void;

/**
 * A resolver for sockets that returns only checked addresses. The socket connects to the returned address, so a second resolution cannot
 * differ.
 */
export function guardedLookup(rule: AddressRule) {
  return (host: string, options: LookupOptions, done: Resolved): void => {
    lookup(host, { ...options, all: true }, (error, addresses) => {
      if (error !== null) return done(error, []);
      try {
        for (const { address } of addresses) checkAddress(address, rule, host);
      } catch (forbidden) {
        return done(forbidden instanceof Error ? forbidden : new Error(String(forbidden)), []);
      }
      const first = addresses[0];
      if (options.all === true || first === undefined) return done(null, addresses);
      return done(null, first.address, first.family);
    });
  };
}
