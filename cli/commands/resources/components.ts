/** `troupe components ...` (specification 4.6). */
import type { Component } from '../../../client/answers.ts';
import type { Command } from 'commander';
import type { Column } from '../../terminal/columns.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import {
  askCommand,
  command,
  readCommand,
  segment,
  show,
  tableOr,
  textOf,
  warningLines,
  type RestOptions,
} from './command.ts';

const PATH = '/rest/components';
const COLUMNS: readonly Column<Component>[] = [
  { title: 'COMPONENT', of: ({ componentName }) => componentName },
  { title: 'VERSION', of: ({ componentVersion }) => componentVersion },
  { title: 'ALGORITHM', of: ({ algorithm }) => algorithm },
  {
    title: 'STARTED BY',
    of: ({ managed, registeredBy }) => (managed ? 'the service' : (registeredBy ?? '')),
    flexible: true,
  },
];

export function componentCommands(program: Command, terminal: Terminal): void {
  const group = program.command('components').description('components: list, register, delete');
  readCommand<readonly Component[]>(group, terminal, 'list', 'list the components', PATH, {
    lines: (all) => tableOr('There are no components.', COLUMNS, all, terminal),
  });
  const about = 'register a component: its descriptor, or - for standard input';
  askCommand(group, 'register <FILE>', about).action(async (file: string, options: RestOptions) => {
    const call = {
      method: 'POST',
      path: `${PATH}/registerUnmanaged?details=true`,
      body: await textOf(file),
    } as const;
    await show<{ readonly message: string }>(terminal, options, call, {
      lines: (answer) => [answer.message, ...warningLines(answer)],
    });
  });
  command(group, 'delete <NAME>', 'remove a registered component').action(
    (name: string, options: RestOptions) => {
      const call = { method: 'DELETE', path: `${PATH}/${segment(name)}` } as const;
      return show(terminal, options, call, { lines: () => [`Component ${name} is removed.`] });
    },
  );
}
