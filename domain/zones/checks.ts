/** Checks zones, lines and rules. Each refusal is a sentence that says what is wrong and what to do. */
import { nearestNames } from '../nearest-name.ts';
import { areaOf, crossedEdges } from './shapes.ts';
import { isTimeZone, minutesOf } from './schedule.ts';
import type { Line, Point, Rule, RuleEvent, Schedule, Zone, ZonePlan } from './types.ts';

/** Limits of one job. */
export const MOST_ZONES = 50;
export const MOST_POINTS = 100;
export const MOST_RULES = 100;
/** Form of a name, which becomes a part of topics, files and columns. */
const NAME = /^[\p{L}\p{N}](?:[\p{L}\p{N} _-]{0,62}[\p{L}\p{N}])?$/u;
/** Minimum area. Smaller zones have no room for a point. */
const LEAST_AREA = 1e-6;
/** Maximum duration in seconds: a day. */
const LONGEST = 86_400;

/** The classes that a pipeline can find, in upper case. Undefined if they are unknown. */
export type KnownClasses = readonly string[] | undefined;

/** Why zones, lines and rules cannot be used. Undefined if they can. */
export function refusedZones(plan: ZonePlan, classes?: KnownClasses): string | undefined {
  const { zones, lines, rules } = plan;
  if (zones.length + lines.length > MOST_ZONES)
    return `There are ${zones.length + lines.length} zones and lines. A job may have at most ${MOST_ZONES}.`;
  if (rules.length > MOST_RULES)
    return `There are ${rules.length} rules. A job may have at most ${MOST_RULES}.`;
  return (
    refusedNames('zone or line', [...zones, ...lines]) ??
    refusedNames('rule', rules) ??
    first(zones, refusedZone) ??
    first(lines, refusedLine) ??
    first(rules, (rule) => refusedRule(rule, plan, classes))
  );
}

function first<T>(all: readonly T[], refuse: (one: T) => string | undefined): string | undefined {
  for (const one of all) {
    const refused = refuse(one);
    if (refused !== undefined) return refused;
  }
  return undefined;
}

function refusedNames(what: string, named: readonly { readonly name: string }[]): string | undefined {
  const seen = new Set<string>();
  for (const { name } of named) {
    if (!NAME.test(name))
      return `The name "${name.slice(0, 100)}" of a ${what} is not allowed. Use 1 to 64 letters, digits, spaces, "_" or "-".`;
    const known = name.toUpperCase();
    if (seen.has(known)) return `Two of them have the name "${name}" (${what}). Give each its own name.`;
    seen.add(known);
  }
  return undefined;
}

function refusedZone({ name, points }: Zone): string | undefined {
  if (points.length < 3)
    return `Zone "${name}" has ${points.length} points. A zone needs at least 3; for a border between two points use a line.`;
  if (points.length > MOST_POINTS)
    return `Zone "${name}" has ${points.length} points. A zone may have at most ${MOST_POINTS}.`;
  const outside = refusedPoints(`Zone "${name}"`, points);
  if (outside !== undefined) return outside;
  const crossed = crossedEdges(points);
  if (crossed !== undefined) {
    const [one, other] = crossed.map((at) => `${at + 1}`);
    return `Zone "${name}" crosses itself: the edges after its points ${one} and ${other} meet. List its corners in their order around the zone.`;
  }
  return areaOf(points) < LEAST_AREA
    ? `Zone "${name}" has no area. Move its points away from each other.`
    : undefined;
}

function refusedLine({ name, points }: Line): string | undefined {
  if (points.length !== 2)
    return `Line "${name}" has ${(points as readonly Point[]).length} points. A line has 2.`;
  const outside = refusedPoints(`Line "${name}"`, points);
  if (outside !== undefined) return outside;
  const [[ax, ay], [bx, by]] = points;
  return ax === bx && ay === by ? `Line "${name}" has the same point twice. Move one of them.` : undefined;
}

function refusedPoints(what: string, points: readonly Point[]): string | undefined {
  const outside = points.find((point) => !point.every((part) => part >= 0 && part <= 1));
  if (outside === undefined) return undefined;
  return `${what} has the point [${outside.join(', ')}] outside the picture. Points are fractions of its width and height, from 0 to 1.`;
}

/** The event of a rule: the one that it names, or the one that its members imply. */
export function eventOfRule({ event, longerThan, atLeast, line }: Rule): RuleEvent {
  if (event !== undefined) return event;
  if (longerThan !== undefined) return 'DWELL';
  if (atLeast !== undefined) return 'COUNT';
  return line === undefined ? 'ENTER' : 'CROSS';
}

function refusedRule(rule: Rule, plan: ZonePlan, classes: KnownClasses): string | undefined {
  const what = `Rule "${rule.name}"`;
  return (
    refusedPlace(what, rule, plan) ??
    refusedMembers(what, rule) ??
    refusedNumbers(what, rule) ??
    (rule.between === undefined ? undefined : refusedSchedule(what, rule.between)) ??
    refusedClasses(what, rule, classes)
  );
}

function refusedPlace(what: string, { zone, line }: Rule, { zones, lines }: ZonePlan): string | undefined {
  if ((zone === undefined) === (line === undefined)) return `${what} must name either a zone or a line.`;
  const [kind, name, known] = zone === undefined ? ['line', line!, lines] : (['zone', zone, zones] as const);
  if (known.some((one) => one.name === name)) return undefined;
  const names = known.map((one) => one.name);
  return `${what} names the ${kind} "${name}", which there is not.${orList(name, names, `There is no ${kind}.`)}`;
}

/** ` Did you mean A?`, or a list of all names. */
function orList(name: string, known: readonly string[], none: string): string {
  if (known.length === 0) return ` ${none}`;
  const near = nearestNames(name, known);
  return near.length > 0 ? ` Did you mean ${near.join(' or ')}?` : ` Names: ${known.join(', ')}.`;
}

function refusedMembers(what: string, rule: Rule): string | undefined {
  const event = eventOfRule(rule);
  const { line, longerThan, atLeast, direction } = rule;
  if ((event === 'CROSS') !== (line !== undefined))
    return `${what} has the event ${event}. Lines have the event CROSS, zones have ENTER, LEAVE, DWELL and COUNT.`;
  const needs = { DWELL: longerThan, COUNT: atLeast } as const;
  if (event === 'DWELL' && needs.DWELL === undefined) return `${what} needs longerThan: seconds in the zone.`;
  if (event === 'COUNT' && needs.COUNT === undefined) return `${what} needs atLeast: tracks in the zone.`;
  const unused = [
    ...(event !== 'DWELL' && longerThan !== undefined ? ['longerThan'] : []),
    ...(event !== 'COUNT' && atLeast !== undefined ? ['atLeast'] : []),
    ...(event !== 'CROSS' && direction !== undefined ? ['direction'] : []),
  ];
  return unused.length === 0
    ? undefined
    : `${what} has the event ${event}, to which ${unused[0]} does not apply. Remove it.`;
}

function refusedNumbers(
  what: string,
  { minConfidence, longerThan, atLeast, coolDown }: Rule,
): string | undefined {
  const outOf = (name: string, value: number | undefined, least: number, most: number) =>
    value === undefined || (value >= least && value <= most)
      ? undefined
      : `${what} has ${name} ${value}. It must be from ${least} to ${most}.`;
  return (
    outOf('minConfidence', minConfidence, 0, 1) ??
    outOf('longerThan', longerThan, 0, LONGEST) ??
    outOf('atLeast', atLeast, 1, 1_000) ??
    outOf('coolDown', coolDown, 0, LONGEST)
  );
}

function refusedSchedule(what: string, { from, to, timeZone, days }: Schedule): string | undefined {
  for (const time of [from, to])
    if (minutesOf(time) === undefined) return `${what} has the time "${time}". Times look like 22:00.`;
  if (timeZone !== undefined && !isTimeZone(timeZone)) {
    const near = nearestNames(timeZone, Intl.supportedValuesOf('timeZone'));
    const hint =
      near.length > 0 ? ` Did you mean ${near.join(' or ')}?` : ' Use a name such as Europe/Berlin.';
    return `${what} has the time zone "${timeZone}", which there is not.${hint}`;
  }
  return days?.length === 0 ? `${what} has no days. Leave days out for all days.` : undefined;
}

function refusedClasses(what: string, { classes }: Rule, known: KnownClasses): string | undefined {
  if (classes?.length === 0) return `${what} has no classes. Leave classes out for all classes.`;
  if (known === undefined) return undefined;
  const unknown = classes?.find((one) => !known.includes(one.trim().toUpperCase()));
  if (unknown === undefined) return undefined;
  const list = ` The pipeline finds: ${known.join(', ')}.`;
  const near = nearestNames(unknown, known);
  const hint = near.length > 0 ? ` Did you mean ${near.join(' or ')}?` : '';
  return `${what} has the class "${unknown}", which no detector of the pipeline finds.${hint}${list}`;
}
