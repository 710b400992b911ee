/** What ended runs have used: counters of each day, by user, group, pipeline and component. */
import { encodeName, type Owner } from './owner.ts';

/** Whose use is counted. */
export const USAGE_KINDS = ['user', 'group', 'pipeline', 'component'] as const;
export type UsageKind = (typeof USAGE_KINDS)[number];

/** jobs: runs that ended; media: of their requests; bytes: of the files of all their media; ms: that components worked on them. */
export interface UsageFigures {
  readonly jobs: number;
  readonly media: number;
  readonly bytes: number;
  readonly ms: number;
}

export interface EndedRun {
  readonly owner: Owner | undefined;
  readonly pipeline: string;
  readonly media: number;
  readonly bytes: number;
  /** Milliseconds since the epoch. */
  readonly endedAt: number;
  /** Of each action of the pipeline, in order. */
  readonly algorithms: readonly string[];
  readonly timing: readonly number[];
}

/** How the counters of a day begin: `2026-03-01`, in UTC. */
export const usageOfDay = (day: string): string => `@usage:${day}/`;
export const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/** What the end of a run adds to the counters of its day. */
export function usageCounters(run: EndedRun): Readonly<Record<string, number>> {
  const { owner, pipeline, media, bytes, endedAt, algorithms, timing } = run;
  const job = { jobs: 1, media, bytes, ms: timing.reduce((sum, ms) => sum + ms, 0) };
  const spent = new Map<string, number>();
  for (const [n, name] of algorithms.entries()) spent.set(name, (spent.get(name) ?? 0) + (timing[n] ?? 0));
  const counted: (readonly [UsageKind, string, UsageFigures])[] = [
    ...(owner === undefined ? [] : [['user', owner.user, job] as const]),
    ...(owner?.group === undefined ? [] : [['group', owner.group, job] as const]),
    ['pipeline', pipeline, job],
    ...[...spent].map(([name, ms]) => ['component', name, { ...job, ms }] as const),
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
