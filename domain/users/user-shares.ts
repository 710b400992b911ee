import type { Owner } from './owner.ts';

/** Weights of users: while others wait, a user with weight 3 gets three times as much as one with weight 1. */
export interface UserShares {
  readonly users: ReadonlyMap<string, number>;
  /** Weight of each user of a group that has no own weight. */
  readonly groups: ReadonlyMap<string, number>;
  /** Weight of all other users. */
  readonly others: number;
}

export const EVEN_SHARES: UserShares = { users: new Map(), groups: new Map(), others: 1 };

const MAX_WEIGHT = 100;
const GROUP = 'group:';

/**
 * Reads `alice=3,group:lab=2,*=1`.
 * @throws Error that says what is wrong, as the end of a sentence
 */
export function parseUserShares(text: string): UserShares {
  const weights = new Map<string, number>();
  for (const part of text.split(',')) {
    if (part.trim() === '') continue;
    const [name, weight] = parsePart(part.trim());
    if (weights.has(name)) throw new Error(mustBe(`"${name}" has two shares`));
    weights.set(name, weight);
  }
  const others = weights.get('*') ?? 1;
  weights.delete('*');
  const named = [...weights];
  const isGroup = ([name]: readonly [string, number]) => name.startsWith(GROUP);
  return {
    users: new Map(named.filter((one) => !isGroup(one))),
    groups: new Map(named.filter(isGroup).map(([name, weight]) => [name.slice(GROUP.length), weight])),
    others,
  };
}

const mustBe = (problem: string) => `must be a list of shares like alice=3,group:lab=2,*=1 (${problem})`;

function parsePart(part: string): readonly [name: string, weight: number] {
  const [, name = '', value = ''] = /^(.*)=(.*)$/su.exec(part) ?? [];
  if (name.trim() === '' || name.trim() === GROUP) throw new Error(mustBe(`"${part}" is no share`));
  const weight = /^\d+$/.test(value.trim()) ? Number(value) : 0;
  if (weight < 1 || weight > MAX_WEIGHT)
    throw new Error(mustBe(`the share of "${name.trim()}" is no whole number from 1 to ${MAX_WEIGHT}`));
  return [name.trim(), weight];
}

/** The weight of a user. Work without an owner has the weight of `*`. */
export const weightOf = ({ users, groups, others }: UserShares, { user, group }: Partial<Owner>): number =>
  users.get(user ?? '') ?? groups.get(group ?? '') ?? others;
