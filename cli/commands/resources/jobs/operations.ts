/** `troupe operations ...`: actions on many jobs. */
import type { Command } from 'commander';
import type { Operation, OperationList } from '../../../../client/answers.ts';
import type { Column } from '../../../terminal/columns.ts';
import { EXIT } from '../../../terminal/failure.ts';
import type { Terminal } from '../../../terminal/terminal.ts';
import {
  askCommand,
  clientOf,
  momentText,
  readCommand,
  segment,
  show,
  tableOr,
  type RestOptions,
} from '../command.ts';
import { follow, lines } from './operate.ts';

const COLUMNS: readonly Column<Operation>[] = [
  { title: 'OPERATION', of: ({ operationId }) => operationId },
  { title: 'ACTION', of: ({ action, dryRun }) => (dryRun ? `${action} (dry run)` : action) },
  { title: 'STATUS', of: ({ status }) => status },
  { title: '%', of: ({ progress }) => String(progress), right: true },
  { title: 'JOBS', of: ({ matched }) => String(matched), right: true },
  { title: 'DONE', of: ({ done }) => String(done), right: true },
  { title: 'REFUSED', of: ({ refused }) => String(refused), right: true },
  { title: 'STARTED', of: ({ startDate }) => momentText(startDate) },
  { title: 'BY', of: ({ startedBy }) => startedBy, flexible: true },
];

const unknown = (id: string) => `There is no operation ${id}: troupe operations list shows all.`;
const pathOf = (id: string) => `/rest/operations/${segment(id)}`;

export function operationCommands(program: Command, terminal: Terminal): void {
  const group = program.command('operations').description('actions on many jobs: list, show, watch, cancel');
  readCommand<OperationList>(group, terminal, 'list', 'list the newest operations', '/rest/operations', {
    lines: ({ operations }) => tableOr('There are no operations.', COLUMNS, operations, terminal),
  });
  readCommand<Operation>(group, terminal, 'show <ID>', 'show an operation', pathOf, (id) => ({
    lines: (operation) => [...tableOr('', COLUMNS, [operation], terminal), '', ...lines(operation)],
    refusals: { 404: unknown(id) },
  }));
  askCommand(group, 'watch <ID>', 'show the progress of an operation until it has ended').action(
    async (id: string, options: RestOptions) => {
      const operation = await follow(await clientOf(options, terminal), id, terminal);
      if (options.json === true) terminal.print(JSON.stringify(operation));
      else for (const line of lines(operation)) terminal.print(line);
      process.exitCode = operation.status === 'COMPLETE' && operation.refused === 0 ? EXIT.done : EXIT.failed;
    },
  );
  askCommand(group, 'cancel <ID>', 'cancel an operation').action((id: string, options: RestOptions) =>
    show(
      terminal,
      options,
      { method: 'POST', path: `${pathOf(id)}/cancel` },
      { lines: () => [`Operation ${id} is being cancelled.`], refusals: { 404: unknown(id) } },
    ),
  );
}
