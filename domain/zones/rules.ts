/** Decides when rules trigger their events. */
import { eventOfRule } from './checks.ts';
import { isWithin } from './schedule.ts';
import type { Direction, Rule, RuleEvent, RuleHit } from './types.ts';
import type { Visit, WatchedTrack } from './watch-state.ts';

export interface WatchedRule extends Rule {
  readonly event: RuleEvent;
  /** In upper case. Undefined: all. */
  readonly wanted: ReadonlySet<string> | undefined;
}

export const watchedRule = (rule: Rule): WatchedRule => ({
  ...rule,
  event: eventOfRule(rule),
  wanted: rule.classes && new Set(rule.classes.map((one) => one.trim().toUpperCase())),
});

/** True if a rule applies to a track. `confidence`: of its most certain detection so far. */
export const isMeant = (
  { wanted, minConfidence = -Infinity }: WatchedRule,
  name: string,
  confidence: number,
): boolean => (wanted?.has(name) ?? true) && confidence >= minConfidence;

/** Maximum delay between the first sighting of a track and its report. */
const LATE_MS = 10_000;

/** True if a rule may trigger now, by its schedule and its cool-down. `last`: time of its last event. */
export function isDue({ between, coolDown = 0 }: WatchedRule, at: number, last: number | undefined): boolean {
  const since = last === undefined ? -Infinity : at - last;
  // A track that is reported late has earlier events. If the clock was set back further, the cool-down ends.
  if (since > -LATE_MS && since < coolDown * 1_000) return false;
  return between === undefined || isWithin(between, at);
}

/** Where and how a rule triggered. */
export interface RulePlace {
  readonly visit?: Visit;
  readonly direction?: Direction;
  readonly occupancy?: number;
}

export function ruleHit(rule: WatchedRule, track: WatchedTrack, place: RulePlace): RuleHit {
  const { at, frame, id, class: name, confidence, box } = track;
  const { visit, direction, occupancy } = place;
  return {
    type: 'rule',
    rule: rule.name,
    event: rule.event,
    ...(rule.zone === undefined ? {} : { zone: rule.zone }),
    ...(rule.line === undefined ? {} : { line: rule.line }),
    ...(direction === undefined ? {} : { direction }),
    ...(occupancy === undefined ? {} : { occupancy }),
    ...(visit === undefined ? {} : { dwellMs: visit.dwellMs }),
    since: visit?.since ?? at,
    ...{ at, frame, track: id, class: name, confidence, box },
  };
}
