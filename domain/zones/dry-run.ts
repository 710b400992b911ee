/** Query and answer of a dry run of zones and rules on a file. */
import type { ZoneCounts } from './counts.ts';
import type { RuleEvent, ZoneEvent, ZonePlan } from './types.ts';

export interface ZoneQuery {
  readonly medium: number;
  readonly plan: ZonePlan;
  /** Start of the medium in milliseconds since the epoch. Undefined: schedules of rules are ignored. */
  readonly startsAt: number | undefined;
}

export interface ZoneRun {
  /** The first events in order of time, in milliseconds from the start of the medium. */
  readonly events: readonly ZoneEvent[];
  /** Number of further events. */
  readonly omitted: number;
  readonly counts: ZoneCounts;
  /** Maximum number of tracks at a time, by zone. */
  readonly most: Readonly<Record<string, number>>;
  readonly warnings: readonly string[];
}

export const MOST_RUN_EVENTS = 1_000;

/** The plan that can run on the medium, and what was left out. */
export function runnablePlan({ plan, startsAt }: Pick<ZoneQuery, 'plan' | 'startsAt'>): {
  readonly plan: ZonePlan;
  readonly warnings: readonly string[];
} {
  if (startsAt !== undefined) return { plan, warnings: [] };
  const timed = plan.rules.filter(({ between }) => between !== undefined).map(({ name }) => name);
  if (timed.length === 0) return { plan, warnings: [] };
  const rules = plan.rules.map(({ between: _, ...rule }) => rule);
  const warning = `The times of these rules have no effect, because the start of the medium is unknown: ${timed.join(', ')}. Try them on the finished job with startsAt.`;
  return { plan: { ...plan, rules }, warnings: [warning] };
}

/** The run in the form of answers and documents. `event` is what happened, and `kind` the event of the rule. */
export const reportedRun = ({ events, ...rest }: ZoneRun) => ({
  events: events.map(({ type, ...event }) => {
    const { event: kind, ...facts } = event as typeof event & { readonly event?: RuleEvent };
    return { event: type, ...facts, ...(kind === undefined ? {} : { kind }) };
  }),
  ...rest,
});
export type ReportedRun = ReturnType<typeof reportedRun>;
