/** `troupe failures`. */
import type { Command } from 'commander';
import type { FailureGroups } from '../../../../client/answers.ts';
import { Table, type Column } from '../../../terminal/columns.ts';
import type { Terminal } from '../../../terminal/terminal.ts';
import { askCommand, date, momentText, show, whole, withQuery, type RestOptions } from '../command.ts';

interface FailureOptions extends RestOptions {
  readonly from?: string;
  readonly component?: string;
  readonly code?: string;
  readonly limit: number;
}
type Group = FailureGroups[number];

const COLUMNS: readonly Column<Group>[] = [
  { title: 'GROUP', of: ({ id }) => id },
  { title: 'JOBS', of: ({ jobs }) => String(jobs), right: true },
  { title: 'FAILURES', of: ({ count }) => String(count), right: true },
  { title: 'LAST', of: ({ last }) => momentText(last) },
  { title: 'COMPONENT', of: ({ component }) => component },
  { title: 'CODE', of: ({ code }) => code },
];

export function failuresCommand(program: Command, terminal: Terminal): void {
  askCommand(program, 'failures', 'group the failures of all jobs by cause')
    .option('--from <TIME>', 'only groups with a failure since then', date)
    .option('--component <NAME>', 'only failures of this component')
    .option('--code <CODE>', 'only failures with this error code')
    .option('--limit <NUMBER>', 'groups at most', whole(1, 200), 50)
    .action(({ from, component, code, limit, ...options }: FailureOptions) =>
      show<FailureGroups>(
        terminal,
        options,
        { method: 'GET', path: withQuery('/rest/failures', { from, component, code, limit }) },
        { lines: (groups) => linesOf(groups, terminal) },
      ),
    );
}

function linesOf(groups: FailureGroups, { width }: Terminal): readonly string[] {
  const [newest] = groups;
  if (newest === undefined) return ['No failure matches.'];
  return [
    ...new Table(COLUMNS, width).lines(groups),
    ...groups.flatMap(({ id, pattern, message, examples, advice }) => [
      '',
      `${id}: ${pattern === '*' ? message : pattern}`,
      `  ${advice}`,
      `  For example: ${examples.join(', ')}`,
    ]),
    '',
    `The jobs of a group: troupe jobs list --failure ${newest.id}`,
  ];
}
