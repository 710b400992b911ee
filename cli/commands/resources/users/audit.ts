/** `troupe audit`. */
import type { Command } from 'commander';
import type { AuditPage } from '../../../../client/answers.ts';
import type { Column } from '../../../terminal/columns.ts';
import type { Terminal } from '../../../terminal/terminal.ts';
import {
  askCommand,
  date,
  momentText,
  show,
  tableOr,
  whole,
  withQuery,
  type RestOptions,
} from '../command.ts';

interface AuditOptions extends RestOptions {
  readonly user?: string;
  readonly path?: string;
  readonly job?: string;
  readonly from?: string;
  readonly to?: string;
  readonly before?: string;
  readonly limit: number;
}

const COLUMNS: readonly Column<AuditPage['entries'][number]>[] = [
  { title: 'TIME', of: ({ at }) => momentText(at) },
  { title: 'USER', of: ({ user }) => user },
  { title: 'FROM', of: ({ ip }) => ip },
  { title: 'OUTCOME', of: ({ outcome, status }) => `${outcome} ${status}` },
  { title: 'REQUEST', of: ({ method, path }) => `${method} ${path}`, flexible: true },
  { title: 'JOB', of: ({ jobId = '' }) => jobId },
];

export function auditCommand(program: Command, terminal: Terminal): void {
  askCommand(program, 'audit', 'show who changed what, and from where, the newest first')
    .option('--user <NAME>', 'only of this user: name or subject')
    .option('--path <TEXT>', 'only requests with this in their path')
    .option('--job <ID>', 'only requests about this job')
    .option('--from <TIME>', 'only since then', date)
    .option('--to <TIME>', 'only before it', date)
    .option('--before <NEXT>', 'continue after this entry')
    .option('--limit <NUMBER>', 'entries at most', whole(1, 500), 50)
    .action(({ url, json, ...query }: AuditOptions) =>
      show<AuditPage>(
        terminal,
        { ...(url === undefined ? {} : { url }), ...(json === undefined ? {} : { json }) },
        { method: 'GET', path: withQuery('/rest/audit', query) },
        {
          lines: ({ entries, next }) => [
            ...tableOr('No entry matches.', COLUMNS, entries, terminal),
            ...(next === null ? [] : ['', `There are more: --before ${next} shows them.`]),
          ],
        },
      ),
    );
}
