/** What an endurance run of live streams saw, and what is wrong with it. */
import type { Temper } from './soak-cameras.ts';

/** One look at a process. */
export interface Look {
  /** Seconds since the begin. */
  readonly at: number;
  readonly mib: number;
  readonly handles: number;
}

export interface StreamFigures {
  readonly name: string;
  readonly temper: Temper;
  /** Every status that was seen. */
  readonly statuses: ReadonlySet<string>;
  /** Numbers of the segments whose reports came, in their order. */
  readonly segments: readonly number[];
  /** The longest time between two reports, seconds. */
  readonly longestGap: number;
  readonly sent: number;
  readonly frames: Readonly<Record<'read' | 'processed' | 'dropped' | 'skipped' | 'reconnects', number>>;
}

export interface SoakFigures {
  readonly seconds: number;
  readonly looks: ReadonlyMap<string, readonly Look[]>;
  readonly streams: readonly StreamFigures[];
  /** Processes of components that ended though nobody wanted it. */
  readonly ended: number;
}

/** The first part of a run, in which processes load what they need, says nothing of growth. */
const WARM_UP = 0.4;
/** What a process may grow by after that; in a long run, by what a minute. */
const MOST_MIB = 25;
const MOST_MIB_A_MINUTE = 1;
const MOST_HANDLES = 6;
/** The rest was sent before the reader was there, or is under way. */
const LEAST_READ = 0.7;
const LONGEST_GAP_S = 15;

export interface Growth {
  readonly mibAMinute: number;
  readonly minutes: number;
  readonly handles: number;
}

export function growthOf(looks: readonly Look[]): Growth {
  const warm = looks.slice(Math.floor(looks.length * WARM_UP));
  const [first, last] = [warm[0], warm.at(-1)];
  if (first === undefined || last === undefined || last.at <= first.at)
    return { mibAMinute: 0, minutes: 0, handles: 0 };
  const third = Math.max(1, Math.floor(warm.length / 3));
  const handles = (of: readonly Look[]) => median(of.map((look) => look.handles));
  return {
    mibAMinute: slope(warm) * 60,
    minutes: (last.at - first.at) / 60,
    handles: handles(warm.slice(-third)) - handles(warm.slice(0, third)),
  };
}

/** The median of the slopes between all pairs, MiB a second: single looks in the middle of a garbage collection do not count. */
function slope(looks: readonly Look[]): number {
  const slopes = looks.flatMap((a, n) =>
    looks.slice(n + 1).map((b) => (b.mib - a.mib) / Math.max(0.001, b.at - a.at)),
  );
  return median(slopes);
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[sorted.length >> 1] ?? 0;
}

/** Empty when all is well. */
export function objections({ looks, streams, ended }: SoakFigures): readonly string[] {
  const processes = [...looks].flatMap(([name, seen]) => {
    const { mibAMinute, minutes, handles } = growthOf(seen);
    const grown = mibAMinute * minutes;
    return [
      ...(grown > Math.max(MOST_MIB, MOST_MIB_A_MINUTE * minutes)
        ? [`${name} grew by ${grown.toFixed(1)} MiB in ${minutes.toFixed(1)} minutes.`]
        : []),
      ...(handles > MOST_HANDLES ? [`${name} has ${handles} more open handles.`] : []),
    ];
  });
  const deaths = ended > 0 ? [`${ended} component processes ended.`] : [];
  return [...processes, ...deaths, ...streams.flatMap(objectionsToStream)];
}

function objectionsToStream(stream: StreamFigures): readonly string[] {
  const { name, temper, segments, statuses, longestGap, sent, frames } = stream;
  const wrong: string[] = [];
  if (segments.some((segment, n) => n > 0 && segment <= segments[n - 1]!))
    wrong.push(`segments are repeated or out of order: ${segments.join(' ')}`);
  for (const status of ['ERROR', 'TERMINATED']) if (statuses.has(status)) wrong.push(`it became ${status}`);
  if (temper === 'dies' && !statuses.has('STALLED')) wrong.push('nobody noticed that it has died');
  if (temper === 'faulty' && frames.reconnects === 0) wrong.push('it was never connected to anew');
  if (temper === 'steady') {
    if (statuses.has('STALLED') || frames.reconnects > 0) wrong.push('it felt the faults of others');
    if (frames.read < LEAST_READ * sent) wrong.push(`only ${frames.read} of ${sent} frames were read`);
    if (longestGap > LONGEST_GAP_S) wrong.push(`no report came for ${longestGap.toFixed(1)} s`);
  }
  return wrong.map((what) => `${name}: ${what}.`);
}
