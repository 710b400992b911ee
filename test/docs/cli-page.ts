/** The reference page of the tool, generated from the definitions of its commands. */
import { Command, type Argument, type Option } from 'commander';
import { withFilters } from '../../cli/commands/resources/jobs/job-filters.ts';
import { troupeProgram } from '../../cli/program.ts';
import { Terminal } from '../../cli/terminal/terminal.ts';
import { plain, wrapLines } from './text/wrap-lines.ts';

const HEAD = `---
description: Every command of the troupe tool, with its arguments and options.
---

# Command line

\`troupe COMMAND --help\` shows the same text. This page is generated from the code:
\`npm run docs:generate\`. See [error codes](error-codes.md#exit-codes) for exit codes.

Most commands need a service. They use the one that \`--url\` or \`TROUPE_URL\` names, or the one
that runs in \`DATA_DIR\`. With \`--json\`, a command prints the answer of the service unchanged.
`;

export function cliPage(): string {
  const { commands } = troupeProgram(new Terminal());
  return [HEAD, ...commands.map((command) => section(command))].join('\n');
}

function section(command: Command): string {
  const subcommands = command.commands.flatMap((each) => [`### ${usage(each)}\n`, about(each)]);
  return [`## ${usage(command)}\n`, about(command), ...subcommands].join('\n');
}

function about(command: Command): string {
  const [own, hasFilters] = withoutFilters(command, options(command));
  const lines = [...command.registeredArguments.map(argumentLine), ...own.map(optionLine)];
  if (hasFilters) lines.push(FILTERS);
  const text = `${sentence(command.description())}\n`;
  return lines.length === 0 ? wrapLines(text) : [wrapLines(text), `${lines.join('\n')}\n`].join('\n');
}

const FILTERS = wrapLines(
  '- The filters of [`troupe jobs list`](#troupe-jobs-list): all its options from `--status` to `--live`.',
  '  ',
);

/** The options that are no filters of jobs, and whether there are those too: one command lists them for all. */
function withoutFilters(command: Command, all: readonly Option[]): readonly [readonly Option[], boolean] {
  const filters = new Set(withFilters(new Command()).options.map(({ flags }) => flags));
  const own = all.filter(({ flags }) => !filters.has(flags));
  const isShown = command.name() !== 'list' && all.length - own.length === filters.size;
  return isShown ? [own, true] : [all, false];
}

/** Options that many commands share are in the first paragraph. */
const options = (command: Command) =>
  command.options.filter(({ long }) => long !== '--url' && !(long === '--json' && command.parent?.parent));

function usage(command: Command): string {
  const names: string[] = [];
  for (let each: Command | null = command; each !== null; each = each.parent) names.unshift(each.name());
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

function optionLine({ flags, description, defaultValue }: Option): string {
  const fallback: unknown = defaultValue;
  const shown = typeof fallback === 'number' || typeof fallback === 'string' ? ` (${fallback})` : '';
  return wrapLines(`- \`${flags}\`${shown}: ${sentence(description)}`, '  ');
}

const sentence = (text: string) => {
  const first = /^[a-z]+:/.test(text) ? text : text.charAt(0).toUpperCase() + text.slice(1);
  return plain(/[.!?]$/.test(first) ? first : `${first}.`);
};
