/** Common parts of messages. */

/** Lists some of many names. */
export function listNames(names: readonly string[], most = 10): string {
  const rest = names.length - most;
  return names.slice(0, most).join(', ') + (rest > 0 ? ` and ${rest} more` : '');
}

const ENDINGS: Readonly<Record<string, string>> = { one: 'st', two: 'nd', few: 'rd' };
const ordinals = new Intl.PluralRules('en', { type: 'ordinal' });

/** Returns 2nd, 3rd, 4th, 11th. */
export const ordinal = (number: number): string => `${number}${ENDINGS[ordinals.select(number)] ?? 'th'}`;
