/** Usage of ended runs: counters for each day, by user, group, pipeline and component. */
import { encodeName, type Owner } from './owner.ts';

/** Groupings of usage. */
export const USAGE_KINDS = ['user', 'group', 'pipeline', 'component'] as const;
export type UsageKind = (typeof USAGE_KINDS)[number];

/**
 * jobs: ended runs. media: media of their requests. bytes: size of all their media files. ms: processing time of components. measuredMs:
 * the part of `ms` with a reported CPU time. cpuMs: this CPU time.
 */
export interface UsageFigures {
  readonly jobs: number;
  readonly media: number;
  readonly bytes: number;
  readonly ms: number;
  readonly measuredMs: number;
  readonly cpuMs: number;
}

/** Reported CPU time of components, and their processing time meanwhile, in milliseconds. */
export type CpuTime = readonly [cpuMs: number, measuredMs: number];

export const NO_USAGE: UsageFigures = { jobs: 0, media: 0, bytes: 0, ms: 0, measuredMs: 0, cpuMs: 0 };

export interface EndedRun {
  readonly owner: Owner | undefined;
  readonly pipeline: string;
  readonly media: number;
  readonly bytes: number;
  /** Milliseconds since the epoch. */
  readonly endedAt: number;
  /** For each action of the pipeline, in order. */
  readonly algorithms: readonly string[];
  readonly timing: readonly number[];
  readonly cpu: readonly CpuTime[];
}

/** Prefix of the counters of a day: `2026-03-01`, in UTC. */
export const usageOfDay = (day: string): string => `@usage:${day}/`;
export const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/** The amounts that the end of a run adds to the counters of its day. */
export function usageCounters(run: EndedRun): Readonly<Record<string, number>> {
  const { owner, pipeline, media, bytes, endedAt, algorithms } = run;
  const job = { jobs: 1, media, bytes };
  const all = algorithms.map((_, n) => timesOf(run, n)).reduce(sumOf, NO_TIMES);
  const spent = new Map<string, Times>();
  for (const [n, name] of algorithms.entries())
    spent.set(name, sumOf(spent.get(name) ?? NO_TIMES, timesOf(run, n)));
  const counted: (readonly [UsageKind, string, UsageFigures])[] = [
    ...(owner === undefined ? [] : [['user', owner.user, { ...job, ...all }] as const]),
    ...(owner?.group === undefined ? [] : [['group', owner.group, { ...job, ...all }] as const]),
    ['pipeline', pipeline, { ...job, ...all }],
    ...[...spent].map(([name, times]) => ['component', name, { ...job, ...times }] as const),
  ];
  const start = usageOfDay(dayOf(endedAt));
  return Object.fromEntries(
    counted.flatMap(([kind, name, figures]) =>
      Object.entries({ ...figures })
        .filter(([, value]) => value !== 0)
        .map(([figure, value]) => [`${start}${kind}/${encodeName(name)}/${figure}`, Math.round(value)]),
    ),
  );
}

type Times = Pick<UsageFigures, 'ms' | 'measuredMs' | 'cpuMs'>;
const NO_TIMES: Times = { ms: 0, measuredMs: 0, cpuMs: 0 };

/** Times of the action at this position. */
function timesOf({ timing, cpu }: EndedRun, at: number): Times {
  const [cpuMs, measuredMs] = cpu[at] ?? [0, 0];
  return { ms: timing[at] ?? 0, measuredMs, cpuMs };
}

const sumOf = (one: Times, other: Times): Times => ({
  ms: one.ms + other.ms,
  measuredMs: one.measuredMs + other.measuredMs,
  cpuMs: one.cpuMs + other.cpuMs,
});
