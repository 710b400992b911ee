/** The faults of a run, drawn from one seed. */

/** Numbers from 0 to 1. */
export type Random = () => number;

/** The same numbers for the same seed. Each `stream` has its own sequence. */
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

/** Faults of servers. `draw`, from 0 to 1, selects the server and other details. */
type ServerFault = 'killServer' | 'freezeServer' | 'stopServer' | 'cutServer' | 'halfCutServer' | 'jumpClock';
type NodeFault = 'killNode' | 'freezeNode' | 'cutNode';
type RedisFault = 'killRedis' | 'freezeRedis' | 'refuseWrites';
type FolderFault = 'hangFolder' | 'fillFolder';

/** `at`: milliseconds after the start. `ms`: duration of the outage, freeze or cut. */
export type Fault =
  | {
      readonly kind: ServerFault;
      readonly at: number;
      readonly server: number;
      readonly ms: number;
      readonly draw: number;
    }
  | { readonly kind: RedisFault | NodeFault | FolderFault; readonly at: number; readonly ms: number }
  /** `draw` selects one of the processes running then. */
  | { readonly kind: 'killComponent'; readonly at: number; readonly draw: number };

/** Share of each fault in percent, and its shortest and longest duration in milliseconds. */
const FAULTS: Readonly<Record<Fault['kind'], readonly [share: number, least: number, most: number]>> = {
  killComponent: [20, 0, 0],
  killServer: [14, 200, 4_000],
  stopServer: [8, 200, 4_000],
  freezeServer: [14, 1_000, 8_000],
  cutServer: [7, 500, 5_000],
  // Either requests or responses are lost.
  halfCutServer: [6, 500, 5_000],
  freezeRedis: [7, 500, 4_000],
  refuseWrites: [4, 500, 4_000],
  killRedis: [9, 100, 2_000],
  killNode: [4, 200, 3_000],
  freezeNode: [3, 1_000, 5_000],
  cutNode: [4, 500, 5_000],
  // These need root and Debian programs, so they occur only when requested.
  jumpClock: [0, 1_000, 8_000],
  hangFolder: [0, 500, 4_000],
  fillFolder: [0, 500, 4_000],
};
/** Share of requested faults that have no default share. */
const USUAL_SHARE = 10;
const PAUSE_MS = [300, 2_500] as const;

export const FAULT_KINDS = Object.keys(FAULTS) as readonly Fault['kind'][];
/** Faults that occur by default. */
export const USUAL_FAULTS = FAULT_KINDS.filter((kind) => FAULTS[kind][0] > 0);

export interface FaultPlan {
  readonly seed: number;
  readonly seconds: number;
  readonly servers: number;
  /** Only these faults occur. */
  readonly kinds: readonly Fault['kind'][];
}

export function planFaults({ seed, seconds, servers, kinds }: FaultPlan): readonly Fault[] {
  const random = randomOf(seed, 0);
  const faults: Fault[] = [];
  for (let at = between(random, ...PAUSE_MS); at < seconds * 1_000; at += between(random, ...PAUSE_MS))
    faults.push(faultAt(random, at, servers, kinds));
  return faults;
}

function faultAt(random: Random, at: number, servers: number, kinds: readonly Fault['kind'][]): Fault {
  const kind = kindOf(random(), kinds);
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
    case 'jumpClock':
      return { kind, at, server, ms, draw };
    case 'killComponent':
      return { kind, at, draw };
    case 'freezeRedis':
    case 'refuseWrites':
    case 'killRedis':
    case 'killNode':
    case 'freezeNode':
    case 'cutNode':
    case 'hangFolder':
    case 'fillFolder':
      return { kind, at, ms };
  }
}

/** @param draw from 0 to 1 */
function kindOf(draw: number, kinds: readonly Fault['kind'][]): Fault['kind'] {
  const shareOf = (kind: Fault['kind']) => FAULTS[kind][0] || USUAL_SHARE;
  let left = draw * kinds.reduce((sum, kind) => sum + shareOf(kind), 0);
  return kinds.find((kind) => (left -= shareOf(kind)) < 0) ?? kinds.at(-1)!;
}
