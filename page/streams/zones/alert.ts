/** The fields of a rule in the panel, and their conversion to a rule. */
import type { Rule, RuleEvent } from './types.ts';

export interface Alert {
  readonly event: RuleEvent;
  /** Classes with commas between them. Empty: all. */
  readonly classes: string;
  /** Minimum: seconds in the zone, or number of tracks in it. */
  readonly least: number;
  readonly between: Rule['between'];
  /** Time without events after an event: seconds. */
  readonly coolDown: number | undefined;
  /** The rule before its changes. Undefined for a new one. */
  readonly rule: Rule | undefined;
}

const FIRST_LEAST = 10;
const MIDNIGHT = '00:00';

export const newAlert = (event: RuleEvent): Alert => ({
  ...{ event, classes: '', least: FIRST_LEAST },
  ...{ between: undefined, coolDown: undefined, rule: undefined },
});

export function alertOf(rule: Rule): Alert {
  const { event, line, longerThan, atLeast, classes = [], between, coolDown } = rule;
  const others = line === undefined ? 'ENTER' : 'CROSS';
  const meant = longerThan !== undefined ? 'DWELL' : atLeast !== undefined ? 'COUNT' : others;
  return {
    ...{ event: event ?? meant, classes: classes.join(', '), least: longerThan ?? atLeast ?? FIRST_LEAST },
    ...{ between, coolDown, rule },
  };
}

/** Sets a time of the schedule. An empty time removes the schedule. A new schedule has the time zone of the reader. */
export function withTime(alert: Alert, end: 'from' | 'to', time: string): Alert {
  if (time === '') return { ...alert, between: undefined };
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  const between = alert.between ?? { from: MIDNIGHT, to: MIDNIGHT, timeZone };
  return { ...alert, between: { ...between, [end]: time } };
}

const FIELDS = ['event', 'classes', 'longerThan', 'atLeast', 'between', 'coolDown'] as const;
/** Members of a rule that the panel sets. */
const HAVE_FIELDS: ReadonlySet<string> = new Set([...FIELDS, 'zone', 'line']);
type Place = Pick<Rule, 'zone' | 'line'>;

/** Returns the rule for these fields. Members without a field are unchanged. */
export function ruleOf(alert: Alert, name: string, place: Place): Rule {
  const { rule } = alert;
  if (rule === undefined) return { name, ...place, ...fieldsOf(alert) };
  if (isUnchanged(alert, rule)) return { ...rule, ...place, name };
  const rest = Object.entries(rule).filter(([member]) => !HAVE_FIELDS.has(member));
  return { ...Object.fromEntries(rest), ...place, ...fieldsOf(alert), name };
}

function isUnchanged(alert: Alert, rule: Rule): boolean {
  const before = alertOf(rule);
  return (Object.keys(before) as (keyof Alert)[]).every((key) => before[key] === alert[key]);
}

function fieldsOf(alert: Alert): Pick<Rule, (typeof FIELDS)[number]> {
  const { event, classes, least, between, coolDown } = alert;
  const names = classes
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '');
  return {
    event,
    ...(names.length > 0 && { classes: names }),
    ...(event === 'DWELL' && { longerThan: least }),
    ...(event === 'COUNT' && { atLeast: least }),
    ...(between !== undefined && { between }),
    ...(coolDown !== undefined && { coolDown }),
  };
}
