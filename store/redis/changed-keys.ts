/**
 * The shared keys that a commit changes, with their types. Redis does not undo a script that fails, so a commit is refused as a whole
 * if one of these keys has another type. Damage to an actor's own keys affects only that actor, which is then quarantined.
 */
import type { WorkChange } from '../ledger.ts';
import type { Commit } from '../store.ts';
import type { Argument } from './scripts.ts';

type Type = 'hash' | 'list' | 'set' | 'string' | 'zset';
export type Keys = readonly (readonly [key: string, type: Type])[];

/** Keys of the ledger for any change of work. */
const OF_WORK: Keys = [
  ['w:numbers', 'string'],
  ['w:news', 'zset'],
  ['w:depth', 'hash'],
];
const OF_HELD: Keys = [
  ['w:held', 'hash'],
  ['w:due', 'zset'],
  ['w:settled', 'zset'],
  ['w:answers', 'hash'],
];

/** @param queueName returns the name of a queue in Redis */
export function changedKeys(
  { counters, index = {}, outbox: { put = [] } = {}, work }: Commit,
  queueName: (queue: string) => string,
): Keys {
  const destinations = new Set(put.map(({ destination }) => destination));
  return [
    ...ofCounters(counters),
    ...Object.keys(index).map((name) => [`i:${name}`, 'zset'] as const),
    ...(destinations.size === 0 ? [] : [['destinations', 'zset'] as const]),
    ...[...destinations].map((destination) => [`o:${destination}`, 'zset'] as const),
    ...(work === undefined ? [] : ofWork(work, queueName)),
  ];
}

/** Time during which a checked key is not checked again. Only manual changes give a key another type. */
const CHECKED_MS = 1_000;
const MOST_CHECKED = 1_000;

/** Keys whose types were checked recently. */
export class CheckedKeys {
  readonly #checked = new Map<string, number>();

  /** Returns the keys that must be checked at this time. */
  due(keys: Keys, now: number): Keys {
    return keys.filter(([key]) => !(now - (this.#checked.get(key) ?? -Infinity) < CHECKED_MS));
  }

  /** The keys had the right types in a check that started at this time. */
  note(keys: Keys, at: number): void {
    if (this.#checked.size > MOST_CHECKED) this.#checked.clear();
    for (const [key] of keys) this.#checked.set(key, at);
  }

  /** Makes all keys due, after a key had another type than expected. */
  clear(): void {
    this.#checked.clear();
  }
}

export const keyWords = (keys: Keys): readonly Argument[] => [keys.length, ...keys.flat()];

export const ofCounters = (counters: Commit['counters'] = {}): Keys =>
  [...new Set(Object.keys(counters).map(counterKey))].map((key) => [key, 'hash']);

/** The key that has the counters of this name or prefix. */
export const counterKey = (name: string): string => `counters${/^@[^/]*\//.exec(name)?.[0] ?? ''}`;

function ofWork(
  { offer = [], withdraw = [], settle = [], clear = false }: WorkChange,
  queueName: (queue: string) => string,
): Keys {
  const changesHeld = clear || settle.length + withdraw.length > 0;
  if (!changesHeld && offer.length === 0) return [];
  const queues = new Set([...offer, ...withdraw].map(({ queue }) => queueName(queue)));
  return [
    ...OF_WORK,
    ...(changesHeld ? OF_HELD : []),
    ...(offer.length > 0 ? [['w:queues', 'set'] as const, ['w:held', 'hash'] as const] : []),
    ...[...queues].map((queue) => [`w:since:${queue}`, 'zset'] as const),
  ];
}
