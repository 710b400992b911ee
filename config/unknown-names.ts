/** Finds variables that look like settings but are none. Otherwise a misspelt name would silently have no effect. */

import { lettersBetween } from '../domain/nearest-name.ts';

type Environment = Readonly<Record<string, string | undefined>>;

const PREFIX = 'TROUPE_';
/** Prefix of properties for all jobs. `environmentNotes` reports those that no algorithm knows. */
const PROPERTY_PREFIX = 'TROUPE_PROP_';
/** Variables that components and the Python SDK read. */
const OF_COMPONENTS = [
  'TROUPE_ALGORITHM',
  'TROUPE_CA_FILE',
  'TROUPE_FFMPEG',
  'TROUPE_HOME',
  'TROUPE_INSTANCE',
  'TROUPE_NODE',
  'TROUPE_SERVER_URL',
  'TROUPE_SHARES_FILES',
  'TROUPE_START',
  'TROUPE_WITHOUT',
  'TROUPE_WORKER_TOKEN',
];
/** Kubernetes sets these for a service whose name begins with "troupe". */
const OF_KUBERNETES = /^TROUPE_(\w+_)?(SERVICE_HOST|SERVICE_PORT(_\w+)?|PORT_\d+_\w+)$/;
const ADDRESS_OF_KUBERNETES = /^(tcp|udp|sctp):\/\//;

export interface UnknownName {
  readonly name: string;
  /** The setting with the nearest name. Undefined if none is near. */
  readonly nearest: string | undefined;
}

/**
 * Variables that are no settings, but whose names are near to one or begin with TROUPE_, and that have a value. `known`: names of all
 * settings.
 */
export function unknownNames(env: Environment, known: Iterable<string>): readonly UnknownName[] {
  const settings = new Set(known);
  return Object.entries(env).flatMap(([name, value = '']) => {
    if (value.trim() === '' || settings.has(name) || isOfOthers(name, value)) return [];
    const nearest = nearestSetting(name, settings);
    return nearest === undefined && !name.startsWith(PREFIX) ? [] : [{ name, nearest }];
  });
}

/** The warning in the log. */
export const noteOnName = ({ name, nearest }: UnknownName): string =>
  `${name} is not a setting and has no effect. ${nearest === undefined ? 'See docs/reference/settings.md for all settings.' : `Did you mean ${nearest}?`}`;

/** The error when STRICT_SETTINGS refuses the start. */
export const refusalOfName = ({ name, nearest }: UnknownName): string =>
  `${name} is not a setting. ${nearest === undefined ? 'Remove it' : `Set ${nearest} instead`}, or set STRICT_SETTINGS=false.`;

function isOfOthers(name: string, value: string): boolean {
  if (name.startsWith(PROPERTY_PREFIX) || OF_COMPONENTS.includes(name) || OF_KUBERNETES.test(name))
    return true;
  return name.startsWith(PREFIX) && name.endsWith('_PORT') && ADDRESS_OF_KUBERNETES.test(value);
}

/** The setting with the nearest name, with or without the TROUPE_ prefix. Undefined if none is near. */
export function nearestSetting(name: string, settings: Iterable<string>): string | undefined {
  const upper = name.toUpperCase().replaceAll('-', '_');
  const spellings = upper.startsWith(PREFIX) ? [upper, upper.slice(PREFIX.length)] : [upper];
  let best: { readonly setting: string; readonly letters: number } | undefined;
  for (const setting of settings) {
    const letters = Math.min(...spellings.map((spelling) => lettersBetween(spelling, setting) ?? Infinity));
    if (letters < (best?.letters ?? Infinity)) best = { setting, letters };
  }
  return best?.setting;
}
