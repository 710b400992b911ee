/** `troupe queues ...` (specification 4.8). */
import type { Queue } from '../../../client/answers.ts';
import type { Command } from 'commander';
import type { Column } from '../../terminal/columns.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { readCommand, segment, tableOr } from './command.ts';

const COLUMNS: readonly Column<Queue>[] = [
  { title: 'QUEUE', of: ({ name }) => name },
  { title: 'WAITING', of: ({ messagesInQueue }) => String(messagesInQueue), right: true },
];

export function queueCommands(program: Command, terminal: Terminal): void {
  const group = program.command('queues').description('queues of sub-jobs: list, show');
  readCommand<readonly Queue[]>(
    group,
    terminal,
    'list',
    'list the queues, and how many sub-jobs wait in each',
    '/rest/queues',
    { lines: (all) => tableOr('There are no queues.', COLUMNS, all, terminal) },
  );
  readCommand<Queue>(
    group,
    terminal,
    'show <NAME>',
    'show one queue',
    (name) => `/rest/queues/${segment(name)}`,
    (name) => ({
      lines: (queue) => tableOr('', COLUMNS, [queue], terminal),
      refusals: { 404: `There is no queue ${name}: troupe queues list shows all.` },
    }),
  );
}
