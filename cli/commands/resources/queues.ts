/** `troupe queues ...` (specification 4.8). */
import type { Queue } from '../../../client/answers.ts';
import type { Command } from 'commander';
import type { Column } from '../../terminal/columns.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { askCommand, readCommand, segment, show, tableOr, type RestOptions } from './command.ts';

const COLUMNS: readonly Column<Queue>[] = [
  { title: 'QUEUE', of: ({ name }) => name },
  { title: 'WAITING', of: ({ messagesInQueue }) => String(messagesInQueue), right: true },
  { title: 'PAUSED', of: ({ paused }) => (paused === undefined ? '' : `by ${paused.by}`) },
];
const CHANGES = [
  ['pause', 'start no work of a queue; running work finishes'],
  ['resume', 'start its work again'],
] as const;

export function queueCommands(program: Command, terminal: Terminal): void {
  const group = program.command('queues').description('queues of sub-jobs: list, show, pause, resume');
  readCommand<readonly Queue[]>(
    group,
    terminal,
    'list',
    'list the queues with their length',
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
  for (const [verb, about] of CHANGES)
    askCommand(group, `${verb} <NAME>`, about).action((name: string, options: RestOptions) =>
      show<Queue>(
        terminal,
        options,
        { method: 'POST', path: `/rest/queues/${segment(name)}/${verb}` },
        { lines: (queue) => tableOr('', COLUMNS, [queue], terminal) },
      ),
    );
}
