/** The page of documentation about settings, made from their schemas. */
import type { z } from 'zod';
import { accessGroup } from '../../config/access.ts';
import { cliGroup } from '../../config/schema/cli.ts';
import { serverGroups } from '../../config/schema/server.ts';
import type { SettingGroup } from '../../config/schema/values.ts';
import { wrapLines } from '../support/wrap-lines.ts';

export const GROUPS: readonly SettingGroup[] = [...serverGroups, accessGroup, cliGroup];

const HEAD = `# Configuration

All settings come from the environment. A blank value counts as unset. A wrong value stops the start,
with a sentence for each problem. Times are milliseconds and sizes are bytes, unless the name says
otherwise. The value in parentheses is the default.

A name that is near to a setting, or begins with TROUPE_, and is no setting has no effect. The log
warns of it at the start and suggests the nearest name. With STRICT_SETTINGS=true it stops the start.
An unknown name that begins with OIDC_ always stops the start.

This page is made from the schemas of the settings in the code.
`;
const PROPERTIES = `## Properties for all jobs

- \`TROUPE_PROP_<NAME>\`: Value of the [property](properties.md) NAME for all jobs, above everything that a request says; shown in
  documents. A name that nobody knows, or a value that nobody takes, is a warning in the log at the start.
`;

export function configurationPage(): string {
  return [HEAD, ...GROUPS.map(section), PROPERTIES].join('\n');
}

function section({ title, about, settings }: SettingGroup): string {
  const lines = Object.entries(settings).map(([name, schema]) => entry(name, schema));
  return [
    `## ${title}\n`,
    ...(about === undefined ? [] : [`${wrapLines(about)}\n`]),
    `${lines.join('\n')}\n`,
  ].join('\n');
}

function entry(name: string, schema: z.ZodType): string {
  const fallback = defaultOf(name, schema);
  const meant = schema.description ?? '';
  return wrapLines(`- \`${name}\`${fallback === undefined ? '' : ` (${fallback})`}: ${meant}.`, '  ');
}

/** What counts when nothing is set; undefined: nothing does. */
function defaultOf(name: string, schema: z.ZodType): string | undefined {
  const { shownDefault } = schema.meta() ?? {};
  if (typeof shownDefault === 'string') return shownDefault;
  const value = schema.safeParse(undefined).data;
  if (typeof value === 'number') return withUnit(name, value);
  if (typeof value === 'boolean') return String(value);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

const DURATIONS = [
  [3_600_000, 'h'],
  [60_000, 'min'],
  [1_000, 's'],
] as const;
const SIZES = [
  [1024 ** 3, 'GiB'],
  [1024 ** 2, 'MiB'],
  [1024, 'KiB'],
] as const;

function withUnit(name: string, value: number): string {
  if (name.endsWith('_MS')) return inUnits(value, DURATIONS, 'ms');
  if (name.endsWith('_BYTES')) return inUnits(value, SIZES, 'bytes');
  return value.toLocaleString('en-US');
}

function inUnits(value: number, units: readonly (readonly [number, string])[], smallest: string): string {
  const [size, unit] = units.find(([each]) => value >= each && value % each === 0) ?? [1, smallest];
  return `${(value / size).toLocaleString('en-US')} ${unit}`;
}
