/** `troupe deliveries ...`: callbacks of jobs, and the attempts to deliver them. */
import { Option, type Command } from 'commander';
import type { Delivery, DeliveryPage } from '../../../../client/answers.ts';
import { factLines, type Column } from '../../../terminal/columns.ts';
import type { Terminal } from '../../../terminal/terminal.ts';
import {
  askCommand,
  momentText,
  readCommand,
  segment,
  show,
  tableOr,
  whole,
  withQuery,
  type RestOptions,
} from '../command.ts';

interface ListOptions extends RestOptions {
  readonly job?: string;
  readonly state?: string;
  readonly receiver?: string;
  readonly limit: number;
}

const PATH = '/rest/deliveries';
/** Maximum page size of the service. */
const PAGE = 500;

const COLUMNS: readonly Column<Delivery>[] = [
  { title: 'DELIVERY', of: ({ id }) => id },
  { title: 'STATE', of: ({ state }) => state },
  { title: 'CREATED', of: ({ createdAt }) => momentText(createdAt) },
  { title: 'ATTEMPTS', of: ({ attempts }) => String(attempts.length), right: true },
  { title: 'URL', of: ({ url }) => url, flexible: true },
  { title: 'LAST ERROR', of: ({ attempts }) => attempts.at(-1)?.error ?? '', flexible: true },
];

const unknownDelivery = (id: string) => ({
  404: `There is no delivery ${id}. troupe deliveries list shows all.`,
});

export function deliveryCommands(program: Command, terminal: Terminal): void {
  const group = program.command('deliveries').description('callbacks of jobs: list, show, redeliver');
  askCommand(group, 'list', 'list the callbacks of jobs that have ended')
    .option('--job <ID>', 'only that of this job')
    .addOption(new Option('--state <STATE>', 'only those in this state').choices(STATES))
    .option('--receiver <HOST>', 'only those to this host or origin')
    .option('--limit <NUMBER>', 'deliveries at most', whole(1, PAGE), 50)
    .action((options: ListOptions) => {
      const { job, state, receiver, limit } = options;
      const path = withQuery(PATH, { job, state: state?.toUpperCase(), receiver, limit });
      return show<DeliveryPage>(
        terminal,
        options,
        { method: 'GET', path },
        { lines: (page) => pageLines(page, terminal) },
      );
    });
  readCommand<Delivery>(
    group,
    terminal,
    'show <ID>',
    'show a callback with its attempts',
    (id) => `${PATH}/${segment(id)}`,
    (id) => ({ lines: deliveryLines, refusals: unknownDelivery(id) }),
  );
  askCommand(group, 'redeliver <ID>', 'send a callback once more').action(
    (id: string, options: RestOptions) => {
      const call = { method: 'POST', path: `${PATH}/${segment(id)}/redeliver` } as const;
      const lines = ({ url }: Delivery) => [`The callback is sent to ${url}.`];
      return show<Delivery>(terminal, options, call, { lines, refusals: unknownDelivery(id) });
    },
  );
}

const STATES = ['pending', 'delivered', 'failed'];

function pageLines({ deliveries, next }: DeliveryPage, terminal: Terminal): readonly string[] {
  const lines = tableOr('No callback matches.', COLUMNS, deliveries, terminal);
  return next === null ? lines : [...lines, 'There are more: --limit and the filters show them.'];
}

const deliveryLines = (delivery: Delivery): readonly string[] =>
  factLines({
    Delivery: delivery.id,
    Job: delivery.jobId,
    State: delivery.state,
    URL: `${delivery.method} ${delivery.url}`,
    Created: momentText(delivery.createdAt),
    'Next attempt': delivery.nextAttempt === null ? undefined : momentText(delivery.nextAttempt),
    Attempts: delivery.attempts.map(
      ({ at, status, error }) => `${momentText(at)}  ${status ?? '-'}  ${error ?? 'accepted'}`,
    ),
  });
