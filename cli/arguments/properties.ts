/** Properties on the command line. */
import { InvalidArgumentError } from 'commander';
import { canonicalName } from '../../domain/values.ts';

type Values = Readonly<Record<string, string>>;

/** Parses a repeatable option NAME=VALUE and adds it to the values by name. */
export function property(text: string, before: Values = {}): Values {
  const [, name, value] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
  if (name === undefined || value === undefined) throw new InvalidArgumentError('Write NAME=VALUE.');
  return { ...before, [name.trim()]: value };
}

/** Parses a repeatable option ALGORITHM:NAME=VALUE and adds it to the values by algorithm and name. */
export function algorithmProperty(
  text: string,
  before: Readonly<Record<string, Values>> = {},
): Readonly<Record<string, Values>> {
  const [, given = '', rest] = /^([^:=]+):([^=]+=.*)$/s.exec(text) ?? [];
  const algorithm = canonicalName(given);
  if (algorithm === '' || rest === undefined) throw new InvalidArgumentError('Write ALGORITHM:NAME=VALUE.');
  return { ...before, [algorithm]: property(rest, before[algorithm] ?? {}) };
}
