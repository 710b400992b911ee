import { placesOf, scopesOf, type Sight } from '../../domain/users/owner.ts';
import type { Store } from '../../store/store.ts';

interface Counter {
  /** The name without the prefix of the group or user. */
  readonly name: string;
  readonly value: number;
}

/** Counters of the jobs that a user may see: those of the user's group, and those of the user in other groups. */
export async function seenCounters(
  store: Pick<Store, 'counters'>,
  start: string,
  { user, group }: Exclude<Sight, 'ALL'>,
): Promise<readonly Counter[]> {
  const seen: Counter[] = [];
  if (group !== undefined) {
    const place = start + scopesOf({ group })[0];
    for (const [name, value] of await store.counters(place))
      seen.push({ name: name.slice(place.length), value });
  }
  if (user === undefined) return seen;
  const own = start + scopesOf({ user })[0];
  const inGroup = group === undefined ? undefined : placesOf({ user, group }, start)[0];
  for (const [name, value] of await store.counters(own))
    if (inGroup === undefined || !name.startsWith(inGroup))
      seen.push({ name: name.slice(name.indexOf('/', own.length) + 1), value });
  return seen;
}
