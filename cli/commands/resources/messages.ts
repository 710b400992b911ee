/** `troupe messages ...` (specification 4.5). */
import type { SystemMessage } from '../../../client/answers.ts';
import { Option, type Command } from 'commander';
import type { Column } from '../../terminal/columns.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { askCommand, momentText, segment, show, tableOr, withQuery, type RestOptions } from './command.ts';

interface PostOptions extends RestOptions {
  readonly type?: string;
  readonly severity?: string;
  readonly removeStrategy?: string;
}

const PATH = '/rest/system-message';
const COLUMNS: readonly Column<SystemMessage>[] = [
  { title: 'ID', of: ({ id }) => String(id), right: true },
  { title: 'POSTED', of: ({ datePosted }) => momentText(datePosted) },
  { title: 'FOR', of: ({ msgType }) => msgType },
  { title: 'SEVERITY', of: ({ severity }) => severity },
  { title: 'REMOVED', of: ({ removeStrategy }) => removeStrategy },
  { title: 'MESSAGE', of: ({ msg }) => msg, flexible: true },
];
const typeOption = (description: string) =>
  new Option('--type <TYPE>', description).choices(['all', 'admin', 'login']);

export function messageCommands(program: Command, terminal: Terminal): void {
  const group = program.command('messages').description('system messages: list, post, delete');
  askCommand(group, 'list', 'list the messages')
    .addOption(typeOption('only messages for these readers'))
    .action(({ type, ...options }: PostOptions) => {
      const path = type === undefined ? PATH : `${PATH}/type/${type}`;
      return show<readonly SystemMessage[]>(
        terminal,
        options,
        { method: 'GET', path },
        {
          lines: (all) => tableOr('There are no messages.', COLUMNS, all, terminal),
        },
      );
    });
  postCommand(group, terminal);
  askCommand(group, 'delete <ID>', 'delete a message; no error if it does not exist').action(
    (id: string, options: RestOptions) => {
      const call = { method: 'DELETE', path: `${PATH}/${segment(id)}` } as const;
      return show(terminal, options, call, { lines: () => [`The message ${id} was deleted.`] });
    },
  );
}

function postCommand(group: Command, terminal: Terminal): void {
  const severity = new Option('--severity <SEVERITY>', 'default: info');
  const strategy = new Option('--remove-strategy <STRATEGY>', 'when it is removed; default: manual');
  askCommand(group, 'post <TEXT>', 'post a message')
    .addOption(typeOption('who sees it; default: all'))
    .addOption(severity.choices(['info', 'warning', 'error']))
    .addOption(strategy.choices(['atServerStartup', 'manual']))
    .action((text: string, given: PostOptions) => {
      const { type: msgType, severity, removeStrategy } = given;
      const path = withQuery(PATH, { msgType, severity, removeStrategy });
      const call = { method: 'POST', path, body: JSON.stringify(text), once: 'message' } as const;
      return show(terminal, given, call, { lines: () => ['The message is posted.'] });
    });
}
