/** What happens to a cluster under test, all of it drawn from one seed. */

/** Numbers from 0 to 1. */
export type Random = () => number;

/** The same numbers for the same seed; each `stream` has numbers of its own. */
export function randomOf(seed: number, stream: number): Random {
  let state = (Math.imul(seed, 0x9e3779b1) ^ Math.imul(stream + 1, 0x85ebca6b)) >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export const between = (random: Random, least: number, most: number): number =>
  Math.round(least + random() * (most - least));
export const oneOf = <T>(random: Random, all: readonly T[]): T => all[Math.floor(random() * all.length)]!;

/** `at`: milliseconds after the begin. `ms`: for how long somebody is away, or stands still. */
export type Fault =
  | {
      readonly kind: 'killServer' | 'freezeServer';
      readonly at: number;
      readonly server: number;
      readonly ms: number;
    }
  | { readonly kind: 'killRedis' | 'freezeRedis'; readonly at: number; readonly ms: number }
  /** `draw`, from 0 to 1, tells which of those that run then. */
  | { readonly kind: 'killComponent'; readonly at: number; readonly draw: number };

/** How often each comes, of a hundred. */
const SHARES = {
  killComponent: 35,
  killServer: 20,
  freezeServer: 20,
  freezeRedis: 13,
  killRedis: 12,
} as const;
const PAUSE_MS = [300, 2_500] as const;

export function planFaults(seed: number, seconds: number, servers: number): readonly Fault[] {
  const random = randomOf(seed, 0);
  const faults: Fault[] = [];
  for (let at = between(random, ...PAUSE_MS); at < seconds * 1_000; at += between(random, ...PAUSE_MS))
    faults.push(faultAt(random, at, servers));
  return faults;
}

function faultAt(random: Random, at: number, servers: number): Fault {
  const kind = kindOf(random() * 100);
  const server = Math.floor(random() * servers);
  const draw = random();
  switch (kind) {
    case 'killServer':
      return { kind, at, server, ms: between(random, 200, 4_000) };
    case 'freezeServer':
      return { kind, at, server, ms: between(random, 1_000, 8_000) };
    case 'freezeRedis':
      return { kind, at, ms: between(random, 500, 4_000) };
    case 'killRedis':
      return { kind, at, ms: between(random, 100, 2_000) };
    case 'killComponent':
      return { kind, at, draw };
  }
}

function kindOf(percent: number): Fault['kind'] {
  let below = 0;
  for (const [kind, share] of Object.entries(SHARES) as [Fault['kind'], number][]) {
    below += share;
    if (percent < below) return kind;
  }
  return 'killComponent';
}
