/** `troupe jobs ...` (specification 4.2). */
import type { Command } from 'commander';
import { printPlan } from '../../dry-run.ts';
import { EXIT } from '../../../terminal/failure.ts';
import { Interrupts } from '../../../terminal/interrupts.ts';
import { showProgress } from '../../../render/progress.ts';
import { jobLine } from '../../../render/tables.ts';
import type { Terminal } from '../../../terminal/terminal.ts';
import { watchJob } from '../../../../client/watch.ts';
import { askCommand, clientOf, show, textOf, type RestOptions } from '../command.ts';
import { createdLines, jobActionCommands } from './job-actions.ts';
import { fetchCommand } from './job-fetch.ts';
import { jobListCommands } from './job-list.ts';
import { outputCommands } from './job-output.ts';
import { repostCommand } from './job-repost.ts';
import { showCommand } from './job-show.ts';
import { zonesCommand } from './job-zones.ts';

const ID = '<ID>';

export function jobCommands(program: Command, terminal: Terminal): void {
  const jobs = program
    .command('jobs')
    .description('jobs: list, show, create, watch, cancel, resubmit, retry, delete, label, ...');
  jobListCommands(jobs, terminal);
  showCommand(jobs, terminal);
  createCommand(jobs, terminal);
  watchCommand(jobs, terminal);
  jobActionCommands(jobs, terminal);
  outputCommands(jobs, terminal);
  fetchCommand(jobs, terminal);
  repostCommand(jobs, terminal);
  zonesCommand(jobs, terminal);
}

function watchCommand(jobs: Command, terminal: Terminal): void {
  const about = 'show the progress of a job until it has ended';
  const codes = '0 the job is complete, 1 it ended with errors, was cancelled or is no longer watched';
  askCommand(jobs, `watch ${ID}`, about)
    .addHelpText('after', `\nExit code: ${codes}.`)
    .action(async (id: string, options: RestOptions) => {
      process.exitCode = await watch(id, options, terminal);
    });
}

type CreateOptions = RestOptions & { readonly idempotencyKey?: string; readonly dryRun?: boolean };

function createCommand(jobs: Command, terminal: Terminal): void {
  askCommand(jobs, 'create <FILE>', 'create a job from a JSON file, or - for standard input')
    .option('--idempotency-key <KEY>', 'repeated requests with this key make only one job')
    .option('--dry-run', 'show what the job would do, without creating it')
    .action(async (file: string, options: CreateOptions) => {
      const key = options.idempotencyKey;
      const body = await textOf(file);
      if (options.dryRun === true)
        return printPlan(await clientOf(options, terminal), body, options, terminal);
      const call = {
        method: 'POST',
        path: '/rest/jobs',
        body,
        ...(key === undefined ? { once: 'job' } : { headers: { 'idempotency-key': key } }),
      } as const;
      await show(terminal, options, call, { lines: createdLines });
    });
}

async function watch(id: string, options: RestOptions, terminal: Terminal): Promise<number> {
  const client = await clientOf(options, terminal);
  const interrupts = new Interrupts();
  const progress = await showProgress(terminal, [id], { waits: 'all' });
  try {
    const job = await watchJob(client, id, {
      onEvent: (seen) => progress.update(id, seen),
      signal: interrupts.signal,
    });
    progress.stop();
    terminal.print(options.json === true ? JSON.stringify(job) : jobLine(job));
    return job.jobStatus.startsWith('COMPLETE') ? EXIT.done : EXIT.failed;
  } finally {
    progress.stop();
    interrupts.close();
  }
}
