/** The reference page of the command line tool, generated from the definitions of its commands. */
import { Command, type Argument, type Option } from 'commander';
import { troupeProgram } from '../../cli/program.ts';
import { Terminal } from '../../cli/terminal/terminal.ts';
import { plain, wrapLines } from './text/wrap-lines.ts';

const HEAD = `---
description: Every command of the troupe tool.
---

# Command line

\`troupe COMMAND --help\` shows the same text. [Exit codes](error-codes.md#exit-codes) are elsewhere.

Most commands need a service: that of \`--url\` or \`TROUPE_URL\`, or the one that runs in
\`DATA_DIR\`. These options mean the same everywhere:

- \`--json\`: Print JSON, usually the answer of the service.
- \`--limit <NUMBER>\` (50): Lines of a list at most; some commands have \`--all\`.
- \`--dry-run\`: Show what would be done, and change nothing.

Options with \`...\` may be repeated. Times are dates such as \`2026-03-01\` or \`2026-03-01T09:30\`, or
how long ago: \`2d\`, \`12h\`, \`30m\`.
`;

export function cliPage(): string {
  const { commands } = troupeProgram(new Terminal());
  const seen: Command[] = [];
  return [
    HEAD,
    ...commands.map((command, i) => sameGroup(command, commands.slice(0, i)) ?? section(command, seen)),
  ].join('\n');
}

/** For a group whose commands equal those of an earlier group except for the noun: only their names. */
function sameGroup(command: Command, earlier: readonly Command[]): string | undefined {
  const texts = commandTexts(command);
  const same = earlier.find((each) => isPart(texts, commandTexts(each)));
  if (texts.length < 2 || same === undefined) return undefined;
  const names = command.commands.map((each) => `\`${each.name()}\``).join(', ');
  return `## ${usage(command)}\n\n${names}: as for [\`${pathOf(same)}\`](#${slug(same)}).\n`;
}

/** The descriptions of the commands of a group, without the noun of the group. */
const commandTexts = (group: Command): readonly string[] =>
  group.commands
    .filter((each) => options(each).length === 0)
    .map((each) => `${each.name()} ${each.description()}`.replaceAll(group.name().replace(/s$/, ''), 'NOUN'));

const isPart = (texts: readonly string[], of: readonly string[]) => texts.every((text) => of.includes(text));

/** A command. In a group, commands without options form a list before all others. */
function section(command: Command, seen: Command[]): string {
  const title = `## ${usage(command)}\n`;
  if (command.commands.length === 0) return [title, about(command, seen)].join('\n');
  const [group] = command.description().split(':');
  const inner = command.commands.map((each) => ({ each, lines: linesOf(each, seen) }));
  const listed = inner.filter(({ lines }) => lines.length === 0);
  const parts = [
    ...(group === command.name() ? [] : [`${sentence(group ?? '')}\n`]),
    ...(listed.length === 0
      ? []
      : [`${listed.map(({ each }) => wrapLines(`- ${usage(each, [each.name()])}: ${sentence(each.description())}`, '  ')).join('\n')}\n`]), // oxfmt-ignore
    ...inner
      .filter(({ lines }) => lines.length > 0)
      .flatMap(({ each, lines }) => [`### ${usage(each)}\n`, text(each, lines)]),
  ];
  return [title, ...parts].join('\n');
}

const about = (command: Command, seen: Command[]) => text(command, linesOf(command, seen));

function text(command: Command, lines: readonly string[]): string {
  const [cancel] = command.parent?.commands.filter((each) => each.name() === FILTERED) ?? [];
  const filters = cancel === undefined ? BY_FILTERS : `by ids or [filters](#${slug(cancel)})`;
  const described = sentence(command.description()).replace(BY_FILTERS, filters);
  const first = wrapLines(`${described}\n`);
  return lines.length === 0 ? first : [first, `${lines.join('\n')}\n`].join('\n');
}

/** Descriptions of arguments and options. Options that an earlier command has are only named. */
function linesOf(command: Command, seen: Command[]): readonly string[] {
  const lines = command.registeredArguments.filter(({ description }) => description !== '').map(argumentLine);
  let own = options(command);
  const named: string[] = [];
  for (const { earlier, same } of sharedWith(own, seen)) {
    own = own.filter((option) => !same.includes(option));
    if (hasFilters(command) && earlier.name() === FILTERED) continue;
    const flags = same.map(({ long, flags: all }) => `\`${long ?? all}\``);
    const names = flags.length > MANY_OPTIONS ? `${flags[0]} to ${flags.at(-1)}` : flags.join(', ');
    named.push(wrapLines(`- ${names}: see [\`${pathOf(earlier)}\`](#${slug(earlier)}).`, '  '));
  }
  seen.push(command);
  return [...lines, ...own.map(optionLine), ...named];
}

/** Commands for many jobs have the options of this command. */
const FILTERED = 'cancel';
const BY_FILTERS = 'by ids or filters';
const hasFilters = (command: Command) => command.description().includes(BY_FILTERS);

/** A longer list of options is shortened to a range. */
const MANY_OPTIONS = 4;

interface Shared {
  readonly earlier: Command;
  readonly same: readonly Option[];
}

/** The earlier commands that share most of these options with the same meaning. */
function sharedWith(all: readonly Option[], seen: readonly Command[]): readonly Shared[] {
  const found: Shared[] = [];
  for (let left = all; ;) {
    const best = seen
      .map((earlier) => ({ earlier, same: left.filter((option) => options(earlier).some(isSame(option))) }))
      .toSorted((a, b) => b.same.length - a.same.length)[0];
    if (best === undefined || best.same.length < 2) return found;
    found.push(best);
    left = left.filter((option) => !best.same.includes(option));
  }
}

const isSame = (one: Option) => (other: Option) =>
  one.flags === other.flags &&
  one.description === other.description &&
  one.defaultValue === other.defaultValue;

const slug = (command: Command) =>
  usage(command)
    .toLowerCase()
    .replaceAll(/[^a-z0-9 -]/g, '')
    .replaceAll(' ', '-');

const options = (command: Command) =>
  command.options.filter(({ long, defaultValue }) => {
    const isUsual = long !== '--limit' || defaultValue === USUAL_LIMIT;
    return !(COMMON.includes(long ?? '') && isUsual);
  });
/** Options that the introduction describes. */
const COMMON: readonly string[] = ['--url', '--json', '--dry-run', '--limit'];
const USUAL_LIMIT = 50;

function pathOf(command: Command): string {
  const names: string[] = [];
  for (let each: Command | null = command; each !== null; each = each.parent) names.unshift(each.name());
  return names.join(' ');
}

function usage(command: Command, names: readonly string[] = [pathOf(command)]): string {
  const given = command.registeredArguments.map((argument) => {
    const name = `${argument.name()}${argument.variadic ? '...' : ''}`;
    return argument.required ? `<${name}>` : `[${name}]`;
  });
  return `\`${[...names, ...given].join(' ')}\``;
}

const argumentLine = (argument: Argument) =>
  wrapLines(
    `- \`${argument.name()}\`${argument.description === '' ? '' : `: ${sentence(argument.description)}`}`,
    '  ',
  );

const REPEATED = '; may be repeated';

function optionLine({ flags, description, defaultValue }: Option): string {
  const fallback: unknown = defaultValue;
  const shown = typeof fallback === 'number' || typeof fallback === 'string' ? ` (${fallback})` : '';
  const isRepeated = description.includes(REPEATED);
  const text = sentence(description.replace(REPEATED, ''));
  return wrapLines(`- \`${flags}${isRepeated ? '...' : ''}\`${shown}: ${text}`, '  ');
}

const sentence = (text: string) => {
  const first = /^[a-z]+:/.test(text) ? text : text.charAt(0).toUpperCase() + text.slice(1);
  return plain(/[.!?]$/.test(first) ? first : `${first}.`);
};
