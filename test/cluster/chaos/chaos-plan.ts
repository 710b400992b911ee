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

/** What happens to a server; `draw`, from 0 to 1, is for what else there is to choose. */
type ServerFault = 'killServer' | 'freezeServer' | 'stopServer' | 'cutServer' | 'halfCutServer';
type NodeFault = 'killNode' | 'freezeNode' | 'cutNode';
type RedisFault = 'killRedis' | 'freezeRedis' | 'refuseWrites';

/** `at`: milliseconds after the begin. `ms`: for how long somebody is away, stands still or is cut off. */
export type Fault =
  | {
      readonly kind: ServerFault;
      readonly at: number;
      readonly server: number;
      readonly ms: number;
      readonly draw: number;
    }
  | { readonly kind: RedisFault | NodeFault; readonly at: number; readonly ms: number }
  /** `draw` tells which of those that run then. */
  | { readonly kind: 'killComponent'; readonly at: number; readonly draw: number };

/** How often each comes, of a hundred, and how many milliseconds it lasts. */
const FAULTS: Readonly<Record<Fault['kind'], readonly [share: number, least: number, most: number]>> = {
  killComponent: [20, 0, 0],
  killServer: [14, 200, 4_000],
  stopServer: [8, 200, 4_000],
  freezeServer: [14, 1_000, 8_000],
  cutServer: [7, 500, 5_000],
  // What it asks does not come through, or what it is answered.
  halfCutServer: [6, 500, 5_000],
  freezeRedis: [7, 500, 4_000],
  refuseWrites: [4, 500, 4_000],
  killRedis: [9, 100, 2_000],
  killNode: [4, 200, 3_000],
  freezeNode: [3, 1_000, 5_000],
  cutNode: [4, 500, 5_000],
};
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
  const [, least, most] = FAULTS[kind];
  const ms = between(random, least, most);
  switch (kind) {
    case 'killServer':
    case 'stopServer':
    case 'freezeServer':
    case 'cutServer':
    case 'halfCutServer':
      return { kind, at, server, ms, draw };
    case 'killComponent':
      return { kind, at, draw };
    case 'freezeRedis':
    case 'refuseWrites':
    case 'killRedis':
    case 'killNode':
    case 'freezeNode':
    case 'cutNode':
      return { kind, at, ms };
  }
}

function kindOf(percent: number): Fault['kind'] {
  let below = 0;
  for (const [kind, [share]] of Object.entries(FAULTS) as [
    Fault['kind'],
    readonly [number, number, number],
  ][]) {
    below += share;
    if (percent < below) return kind;
  }
  return 'killComponent';
}
