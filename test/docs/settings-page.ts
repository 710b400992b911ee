/** The reference page of settings, generated from their schemas. */
import type { z } from 'zod';
import { accessGroup } from '../../config/access.ts';
import { cliGroup } from '../../config/schema/cli.ts';
import { serverGroups } from '../../config/schema/server.ts';
import { SECRET_SETTINGS } from '../../config/secret-files.ts';
import type { SettingGroup } from '../../config/schema/values.ts';
import { plain, wrapLines } from './text/wrap-lines.ts';

export const GROUPS: readonly SettingGroup[] = [...serverGroups, accessGroup, cliGroup];

const HEAD = `---
description: Every environment variable, with its default.
---

# Settings

Set these environment variables before you start \`troupe\`. The value in parentheses is the default.

- Times are in milliseconds and sizes are in bytes, unless the name says otherwise.
- \`NAME_FILE\` is the path of a file with the secret NAME, such as a Docker secret.
- A wrong value, or an unknown name that starts with \`OIDC_\`, stops the start.
- The log warns about other unknown names that look like settings.
`;
const PROPERTIES = `## Properties for all jobs

- \`TROUPE_PROP_<NAME>\`: Sets the [property](properties.md) NAME for all jobs. It overrides every
  value in a request. An unknown name or a wrong value causes a warning in the log.
`;

export function settingsPage(): string {
  return [HEAD, ...GROUPS.map(section), PROPERTIES].join('\n');
}

function section({ title, about, settings }: SettingGroup): string {
  const lines = Object.entries(settings).map(([name, schema]) => entry(name, schema));
  return [
    `## ${title}\n`,
    ...(about === undefined ? [] : [`${wrapLines(plain(about))}\n`]),
    `${lines.join('\n')}\n`,
  ].join('\n');
}

function entry(name: string, schema: z.ZodType): string {
  const fallback = defaultOf(name, schema);
  const meant = schema.description ?? '';
  const inFile = SECRET_SETTINGS.includes(name) ? ` or \`${name}_FILE\`` : '';
  return wrapLines(
    `- \`${name}\`${inFile}${fallback === undefined ? '' : ` (${fallback})`}: ${plain(meant)}.`,
    '  ',
  );
}

/** The default for readers; undefined if there is none. */
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
