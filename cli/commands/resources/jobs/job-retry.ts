/** `troupe jobs retry` (docs/guides/retry-failed-work.md). */
import type { Command } from 'commander';
import { RefusedError } from '../../../../client/errors.ts';
import { fieldOf } from '../../../../client/answer-text.ts';
import { jobPath, type RestClient } from '../../../../client/rest-client.ts';
import { printable } from '../../../../domain/text/printable.ts';
import { EXIT } from '../../../terminal/failure.ts';
import type { Terminal } from '../../../terminal/terminal.ts';
import { askCommand, clientOf, property, type RestOptions } from '../command.ts';

type RetryOptions = RestOptions & {
  readonly failedMedia?: boolean;
  readonly property?: Readonly<Record<string, string>>;
};

export function retryCommand(jobs: Command, terminal: Terminal): void {
  askCommand(jobs, 'retry <ID...>', 'run again what failed in jobs that have ended; all other results stay')
    .option('--failed-media', 'run all work again on each medium with a failure, not only what failed')
    .option('--property <NAME=VALUE>', 'job property for what runs again; may be repeated', property)
    .addHelpText('after', '\nExit code: 0 all jobs are retried, 1 some are not.')
    .action(async (ids: string[], options: RetryOptions) => {
      process.exitCode = await retryAll(ids, options, terminal);
    });
}

async function retryAll(ids: readonly string[], options: RetryOptions, terminal: Terminal): Promise<number> {
  const client = await clientOf(options, terminal);
  let refused = 0;
  for (const id of ids)
    try {
      await retry(client, id, options, terminal);
    } catch (error) {
      // What cannot be retried does not keep the others; a service that is away does.
      if (!(error instanceof RefusedError) || ids.length === 1) throw error;
      terminal.note(`Job ${id} is not retried: ${printable(error.message)}`);
      refused++;
    }
  return refused === 0 ? EXIT.done : EXIT.failed;
}

async function retry(
  client: RestClient,
  id: string,
  { failedMedia = false, property: jobProperties, json }: RetryOptions,
  terminal: Terminal,
): Promise<void> {
  const what = failedMedia ? 'FAILED_MEDIA' : 'FAILED_SUB_JOBS';
  const body = JSON.stringify({ what, ...(jobProperties === undefined ? {} : { jobProperties }) });
  const answer = await client.ask({ method: 'POST', path: `${jobPath(id)}/retry`, body, once: 'job' });
  const retried = client.good(answer);
  const jobId = String(fieldOf(retried, 'jobId'));
  const run = String(fieldOf(retried, 'run'));
  terminal.print(
    json === true
      ? answer.text
      : printable(`Job ${jobId} is retried (run ${run}); troupe jobs watch ${jobId} shows its progress.`),
  );
}
