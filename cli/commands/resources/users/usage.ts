/** `troupe usage`: processing by user, client or pipeline. */
import type { Usage } from '../../../../client/answers.ts';
import { Option, type Command } from 'commander';
import type { Column } from '../../../terminal/columns.ts';
import type { Terminal } from '../../../terminal/terminal.ts';
import { askCommand, show, tableOr, withQuery, type RestOptions } from '../command.ts';

interface UsageOptions extends RestOptions {
  readonly by?: string;
  readonly from?: string;
  readonly to?: string;
}

const COLUMNS: readonly Column<Usage['usage'][number]>[] = [
  { title: 'NAME', of: ({ name }) => name, flexible: true },
  { title: 'JOBS', of: ({ jobs }) => String(jobs), right: true },
  { title: 'MEDIA', of: ({ media }) => String(media), right: true },
  { title: 'MB', of: ({ bytes }) => (bytes / 1e6).toFixed(1), right: true },
  { title: 'PROCESSING', of: ({ processingSeconds }) => `${processingSeconds.toFixed(1)} s`, right: true },
  { title: 'CPU', of: cpuText, right: true },
];

/** Returns the CPU time, with a plus if some components did not report theirs. */
function cpuText({ cpuSeconds, processingSecondsWithoutCpu }: Usage['usage'][number]): string {
  return `${cpuSeconds.toFixed(1)} s${processingSecondsWithoutCpu > 0 ? ' +' : ''}`;
}

export function usageCommand(program: Command, terminal: Terminal): void {
  askCommand(program, 'usage', 'show how much was processed')
    .addOption(new Option('--by <WHAT>', 'default: user').choices(['user', 'group', 'pipeline', 'component']))
    .option('--from <DAY>', 'first day (UTC); default: 30 days before the last one')
    .option('--to <DAY>', 'the last day; default: today')
    .action(({ by, from, to, ...options }: UsageOptions) => {
      const path = withQuery('/rest/usage', { by, from, to });
      return show<Usage>(
        terminal,
        options,
        { method: 'GET', path },
        { lines: ({ usage }) => tableOr('Nothing was processed in these days.', COLUMNS, usage, terminal) },
      );
    });
}
