/** `troupe keys ...`: API keys for scripts. */
import type { ApiKey, NewApiKey } from '../../../../client/answers.ts';
import { Option, type Command } from 'commander';
import type { Column } from '../../../terminal/columns.ts';
import type { Terminal } from '../../../terminal/terminal.ts';
import { askCommand, momentText, segment, show, tableOr, withQuery, type RestOptions } from '../command.ts';

interface CreateOptions extends RestOptions {
  readonly role?: string;
  readonly days?: string;
}

const PATH = '/rest/keys';
const COLUMNS: readonly Column<ApiKey>[] = [
  { title: 'ID', of: ({ id }) => id },
  { title: 'NAME', of: ({ name }) => name, flexible: true },
  { title: 'ROLE', of: ({ role }) => role },
  { title: 'OWNER', of: ({ owner }) => owner.name },
  { title: 'EXPIRES', of: ({ expires }) => momentText(expires) },
  { title: 'LAST USED', of: ({ lastUsed }) => (lastUsed === null ? 'never' : momentText(lastUsed)) },
];

export function keyCommands(program: Command, terminal: Terminal): void {
  const group = program.command('keys').description('API keys for scripts: create, list, revoke');
  askCommand(group, 'create <NAME>', 'create a key, and print it once')
    .addOption(
      new Option('--role <ROLE>', 'role of the key, at most yours; default: USER').choices(['USER', 'ADMIN']),
    )
    .option('--days <DAYS>', 'days until it expires; default: 90, at most 366')
    .action((name: string, { role, days, ...options }: CreateOptions) => {
      const body = JSON.stringify({ name, role, days: days === undefined ? undefined : Number(days) });
      const call = { method: 'POST', path: PATH, body, once: 'key' } as const;
      return show<NewApiKey>(terminal, options, call, { lines: ({ key }) => [key] });
    });
  askCommand(group, 'list', 'list your keys')
    .option('--all', 'of all users; needs the role ADMIN')
    .action(({ all, ...options }: RestOptions & { readonly all?: true }) => {
      const path = withQuery(PATH, { all: all === true ? 'true' : undefined });
      return show<{ readonly keys: readonly ApiKey[] }>(
        terminal,
        options,
        { method: 'GET', path },
        { lines: ({ keys }) => tableOr('There are no API keys.', COLUMNS, keys, terminal) },
      );
    });
  askCommand(group, 'revoke <ID>', 'end a key at once').action((id: string, options: RestOptions) => {
    const call = { method: 'DELETE', path: `${PATH}/${segment(id)}` } as const;
    return show(terminal, options, call, { lines: () => [`The API key ${id} was revoked.`] });
  });
}
