/** The URL of a completion callback by GET (specification 6.1). */
export interface CallbackFacts {
  readonly jobId: string;
  readonly externalId: string | null;
  readonly outputObjectUri: string | null;
}

/**
 * The callback URL with the parameters of the job. The URL's own query stays as it is, but parameters of the same names are replaced.
 * Values that the job does not have are left out.
 */
export function callbackUrl(callback: string, { jobId, externalId, outputObjectUri }: CallbackFacts): string {
  const [address = ''] = callback.split('#', 1);
  const cut = address.indexOf('?');
  const [base, query] = cut === -1 ? [address, ''] : [address.slice(0, cut), address.slice(cut + 1)];
  const added = Object.entries({ jobid: jobId, externalid: externalId, outputobjecturi: outputObjectUri });
  const names = new Set(added.map(([name]) => name));
  const kept = query.split('&').filter((part) => part !== '' && !names.has(nameOf(part)));
  const parameters = added.flatMap(([name, value]) =>
    value === null ? [] : [`${name}=${encodeURIComponent(value)}`],
  );
  return `${base}?${[...kept, ...parameters].join('&')}`;
}

function nameOf(parameter: string): string {
  return new URLSearchParams(parameter).keys().next().value ?? '';
}

/** Why a callback URL can never work. Undefined if it may work. */
export function refusedCallbackUrl(callback: string): string | undefined {
  const parsed = URL.canParse(callback) ? new URL(callback) : undefined;
  const start = `callbackURL is "${callback.slice(0, MAX_SHOWN)}";`;
  if (parsed === undefined || !/^https?:$/.test(parsed.protocol))
    return `${start} it must be a complete http or https URL.`;
  return isUnspecified(parsed.hostname)
    ? `${start} nothing can be sent to ${parsed.hostname}. Give the name or the address of the receiver's host.`
    : undefined;
}

const MAX_SHOWN = 500;

/** True for an address that servers listen on, which is no target: 0.0.0.0/8, ::, and ::ffff:0:0/104 as URLs write them. */
const isUnspecified = (hostname: string): boolean =>
  /^0(\.\d{1,3}){3}$/.test(hostname) || /^\[::(ffff:[\da-f]{1,2}:[\da-f]{1,4})?\]$/.test(hostname);
