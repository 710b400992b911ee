/** Which addresses this service connects to for its clients. Guards against requests that are forged through it. */
import { lookup } from 'node:dns';
import type { LookupAddress, LookupOptions } from 'node:dns';
import type { IPv4, IPv6 } from 'ipaddr.js';
import { ipaddr } from './ip-addresses.ts';

/** Ranges of a company's or a host's own network: reachable only when the operator allows it. */
const PRIVATE = ['loopback', 'private', 'uniqueLocal', 'carrierGradeNat'];
/** Services of cloud hosts that hand out credentials; those in link-local ranges are refused as such. */
export const METADATA: readonly string[] = [
  '100.100.100.200',
  '168.63.129.16',
  '192.0.0.192',
  'fd00:ec2::254',
  'fd20:ce::254',
];

/** An address that must not be connected to; the message says why, and never contains an answer from there. */
export class ForbiddenAddress extends Error {
  readonly code = 'FORBIDDEN_ADDRESS';
}

/** What the operator permits. */
export interface AddressRule {
  /** Whether addresses of this host and of private networks may be connected to. */
  readonly allowPrivate: boolean;
  /** Names and addresses that may be private in any case. */
  readonly allowedHosts?: readonly string[];
  /** The settings that decide it, for the message. */
  readonly settings: string;
}

/** Which settings decide it for callbacks, archives and results. */
export const REACH_SETTINGS = 'the settings CALLBACK_PRIVATE and CALLBACK_ALLOWED_HOSTS';

/** The host of a URL as sockets take it. */
export const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, '').toLowerCase();

/** Whether this host may have a private address. */
export function mayBePrivate(host: string, { allowPrivate, allowedHosts = [] }: AddressRule): boolean {
  return allowPrivate || allowedHosts.some((allowed) => allowed.trim().toLowerCase() === host.toLowerCase());
}

/** Throws ForbiddenAddress unless the IP address (any notation) of the host may be connected to. */
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

/** The only IPv6 block in public use; what is left of the others stands for IPv4 addresses or nothing. */
function isGlobal(address: IPv4 | IPv6): boolean {
  return !('parts' in address) || ((address.parts[0] ?? 0) & 0xe000) === 0x2000;
}

/** Throws ForbiddenAddress when the URL's host is a forbidden IP address; names are checked when they are resolved. */
export function checkHost(url: URL, rule: AddressRule): void {
  const host = hostOf(url);
  if (ipaddr.isValid(host)) checkAddress(host, rule);
}

type Resolved = (error: Error | null, addresses: string | LookupAddress[], family?: number) => void;

/**
 * A resolver for sockets that hands on only checked addresses. The socket connects to what it is given here, so a name
 * cannot answer differently a moment later.
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
