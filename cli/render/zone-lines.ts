/** Number of events in zones, at lines, and by rules. */
import type { ZoneRun } from '../../client/answers.ts';
import { printable } from '../../domain/text/printable.ts';

/** Returns one line per zone, line and rule. `rules`: names of rules that are listed even without an event. */
export function zoneCountLines(
  { zones, lines, rules: had }: ZoneRun['counts'],
  rules: readonly string[] = Object.keys(had),
): readonly string[] {
  return [
    ...Object.entries(zones).map(
      ([name, { entered, left }]) => `zone ${name}: ${entered} entered, ${left} left`,
    ),
    ...Object.entries(lines).map(([name, { toRight, toLeft }]) => `line ${name}: ${toRight} to the right, ${toLeft} to the left`), // oxfmt-ignore
    ...rules.map((name) => `rule ${name}: ${had[name] ?? 0}`),
  ].map((line) => printable(line));
}
