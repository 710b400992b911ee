/** Measurements of an endurance run of live streams, and their evaluation. */
import type { Temper } from './soak-cameras.ts';

/** One measurement of a process. */
export interface Look {
  /** Seconds since the start. */
  readonly at: number;
  readonly mib: number;
  readonly handles: number;
}

export interface StreamFigures {
  readonly name: string;
  readonly temper: Temper;
  /** All observed statuses. */
  readonly statuses: ReadonlySet<string>;
  /** Numbers of the reported segments, in order of arrival. */
  readonly segments: readonly number[];
  /** The longest time between two reports, in seconds. */
  readonly longestGap: number;
  readonly sent: number;
  readonly frames: Readonly<Record<'read' | 'processed' | 'dropped' | 'skipped' | 'reconnects', number>>;
  /** Messages about its rule that the broker got. Only steady cameras have a rule. */
  readonly events: number;
}

export interface SoakFigures {
  readonly seconds: number;
  readonly looks: ReadonlyMap<string, readonly Look[]>;
  readonly streams: readonly StreamFigures[];
  /** Component processes that ended unexpectedly. */
  readonly ended: number;
}

/** Share of the run that is ignored for memory growth, because processes still load code. */
const WARM_UP = 0.4;
/** Allowed memory growth after that; in a long run, per minute. */
const MOST_MIB = 25;
const MOST_MIB_A_MINUTE = 1;
const MOST_HANDLES = 6;
/** Other frames were sent before the reader connected, or are in transit. */
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

/**
 * Median slope of all pairs of measurements in MiB per second. It ignores single values during a garbage
 * collection.
 */
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

/** The problems found; empty if there are none. */
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
    if (stream.events === 0) wrong.push('no event came');
    if (longestGap > LONGEST_GAP_S) wrong.push(`no report came for ${longestGap.toFixed(1)} s`);
  }
  return wrong.map((what) => `${name}: ${what}.`);
}
