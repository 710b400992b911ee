/** `troupe jobs repost` (specification 6.4). */
import type { Reposted } from '../../../../client/answers.ts';
import type { Command } from 'commander';
import { EXIT, Failure } from '../../../terminal/failure.ts';
import { fieldOf, jsonOf } from '../../../../client/answer-text.ts';
import { refusal } from '../../../../client/rest-client.ts';
import { printable } from '../../../../domain/text/printable.ts';
import type { Terminal } from '../../../terminal/terminal.ts';
import { askCommand, clientOf, type RestOptions } from '../command.ts';

/** Timeout of the request. The service waits for the archive's answer for each job. */
const ANSWER_MS = 600_000;

export function repostCommand(jobs: Command, terminal: Terminal): void {
  askCommand(jobs, 'repost <ID...>', 'post the results of jobs to the archive again')
    .addHelpText('after', '\nExit code: 0 all were posted, 1 some were not.')
    .action(async (ids: string[], options: RestOptions) => {
      process.exitCode = await repost(ids.map(numberOf), options, terminal);
    });
}

async function repost(ids: readonly number[], options: RestOptions, terminal: Terminal): Promise<number> {
  const client = await clientOf(options, terminal);
  const answer = await client.ask({
    method: 'POST',
    path: '/rest/jobs/archiverepost',
    body: JSON.stringify(ids),
    answerMs: ANSWER_MS,
  });
  // 500 means that some posts failed. Its body is the same as that of 200.
  const found = jsonOf(answer);
  if (![200, 500].includes(answer.status) || fieldOf(found, 'failures') === undefined) throw refusal(answer);
  const { success, failures } = found as Reposted;
  if (options.json === true) terminal.print(answer.text);
  else for (const id of success) terminal.print(`Job ${id} is posted.`);
  for (const { jobId, error } of failures) terminal.note(`Job ${jobId} is not posted: ${printable(error)}`);
  return failures.length === 0 ? EXIT.done : EXIT.failed;
}

/** Returns the number of a job. The endpoint expects numbers, but users have ids: <host>-<number>. */
function numberOf(id: string): number {
  const number = /^(?:.*-)?(\d{1,15})$/.exec(id)?.[1];
  if (number === undefined) throw new Failure(`${id} is not a job id. Job ids look like host-7.`);
  return Number(number);
}
