/** `troupe sessions ...`: sessions of logged-in browsers. */
import type { BrowserSession } from '../../../../client/answers.ts';
import type { Command } from 'commander';
import type { Column } from '../../../terminal/columns.ts';
import type { Terminal } from '../../../terminal/terminal.ts';
import { askCommand, momentText, segment, show, tableOr, withQuery, type RestOptions } from '../command.ts';

const PATH = '/rest/sessions';
const COLUMNS: readonly Column<BrowserSession>[] = [
  { title: 'ID', of: ({ id }) => id },
  { title: 'USER', of: ({ user }) => user.name },
  { title: 'BROWSER', of: ({ browser }) => browser ?? '', flexible: true },
  { title: 'LAST USED', of: ({ lastUsed }) => momentText(lastUsed) },
  { title: 'ENDS', of: ({ ends }) => momentText(ends) },
];

export function sessionCommands(program: Command, terminal: Terminal): void {
  const group = program.command('sessions').description('browsers that are logged in: list, revoke');
  askCommand(group, 'list', 'list your sessions')
    .option('--all', 'of all users; needs the role ADMIN')
    .action(({ all, ...options }: RestOptions & { readonly all?: true }) => {
      const path = withQuery(PATH, { all: all === true ? 'true' : undefined });
      return show<{ readonly sessions: readonly BrowserSession[] }>(
        terminal,
        options,
        { method: 'GET', path },
        { lines: ({ sessions }) => tableOr('No browser is logged in.', COLUMNS, sessions, terminal) },
      );
    });
  askCommand(group, 'revoke <ID>', 'log a browser out').action((id: string, options: RestOptions) => {
    const call = { method: 'DELETE', path: `${PATH}/${segment(id)}` } as const;
    return show(terminal, options, call, { lines: () => [`The session ${id} has ended.`] });
  });
}
