/** Starts an operation on many jobs, follows it to its end, and prints its result. */
import { createInterface } from 'node:readline/promises';
import type { Operation, OperationRequest } from '../../../../client/answers.ts';
import { UnreachableError } from '../../../../client/errors.ts';
import { pause } from '../../../../client/pause.ts';
import type { RestClient } from '../../../../client/rest-client.ts';
import { printable } from '../../../../domain/text/printable.ts';
import { showProgress } from '../../../render/progress.ts';
import { EXIT, Failure } from '../../../terminal/failure.ts';
import { Interrupts } from '../../../terminal/interrupts.ts';
import type { Terminal } from '../../../terminal/terminal.ts';
import { clientOf, type RestOptions } from '../command.ts';

interface OperateOptions extends RestOptions {
  readonly dryRun?: boolean;
  readonly yes?: boolean;
  /** True if the command asks for confirmation before it starts. */
  readonly isAsked: boolean;
}

/** Time between two requests for the state of an operation. */
const FIRST_LOOK_MS = 100;
const LONGEST_LOOK_MS = 1_000;

/** Past participles of the actions, for messages. */
const DONE: Readonly<Record<OperationRequest['action'], string>> = {
  resubmit: 'resubmitted',
  retry: 'retried',
  cancel: 'cancelled',
  delete: 'deleted',
  label: 'labelled',
  priority: 'given the new priority',
  archiverepost: 'posted',
};

/** Runs an operation. Returns the exit code. @throws Failure if the operation does not start */
export async function operate(
  request: OperationRequest,
  options: OperateOptions,
  terminal: Terminal,
): Promise<number> {
  const client = await clientOf(options, terminal);
  if (options.dryRun === true)
    return tell(await run(client, { ...request, dryRun: true }, terminal), options, terminal);
  if (options.isAsked && options.yes !== true && !(await isConfirmed(client, request, terminal))) {
    terminal.note('Nothing was done.');
    return EXIT.refused;
  }
  return tell(await run(client, request, terminal), options, terminal);
}

/** Shows what the operation would do, and asks for confirmation. */
async function isConfirmed(
  client: RestClient,
  request: OperationRequest,
  terminal: Terminal,
): Promise<boolean> {
  if (!process.stdin.isTTY || !terminal.live)
    throw new Failure(
      'Add --yes to change the jobs of a filter without confirmation, or --dry-run to see which they are.',
    );
  const planned = await run(client, { ...request, dryRun: true }, terminal);
  for (const line of lines(planned)) terminal.note(line);
  if (planned.done === 0) return false;
  const questions = createInterface({ input: process.stdin, output: terminal.stderr });
  try {
    return /^y(es)?$/i.test((await questions.question('Continue? [y/N] ')).trim());
  } finally {
    questions.close();
  }
}

async function run(client: RestClient, request: OperationRequest, terminal: Terminal): Promise<Operation> {
  const body = JSON.stringify(request);
  const answer = await client.ask({ method: 'POST', path: '/rest/operations', body, once: 'operation' });
  const started = client.good(answer) as Operation;
  return follow(client, started.operationId, terminal);
}

/** Shows the progress until the end. Ctrl-C ends only the display. */
export async function follow(client: RestClient, id: string, terminal: Terminal): Promise<Operation> {
  const interrupts = new Interrupts();
  const progress = await showProgress(terminal, [id]);
  try {
    for (let ms = FIRST_LOOK_MS; ; ms = Math.min(LONGEST_LOOK_MS, 2 * ms)) {
      const operation = await operationOf(client, id);
      progress.update(id, asProgress(operation));
      if (operation.terminal) return operation;
      await pause(ms, interrupts.signal);
      if (interrupts.signal.aborted)
        throw new Failure(`Operation ${id} continues. troupe operations cancel ${id} ends it.`, EXIT.failed);
    }
  } catch (error) {
    throw error instanceof UnreachableError ? new UnreachableError(client.url, `operation ${id}`) : error;
  } finally {
    progress.stop();
    interrupts.close();
  }
}

export async function operationOf(client: RestClient, id: string): Promise<Operation> {
  const answer = await client.ask({ method: 'GET', path: `/rest/operations/${encodeURIComponent(id)}` });
  return client.good(answer) as Operation;
}

const asProgress = ({ progress, status, message, terminal }: Operation) => ({
  jobProgress: progress,
  // The statuses of operations are not those of jobs. They are shown unchanged.
  jobStatus: status as 'COMPLETE',
  terminal,
  waitingFor: message === null ? null : { reason: message },
});

function tell(operation: Operation, { json }: RestOptions, terminal: Terminal): number {
  if (json === true) terminal.print(JSON.stringify(operation));
  else for (const line of lines(operation)) terminal.print(printable(line));
  return operation.status === 'COMPLETE' && operation.refused === 0 ? EXIT.done : EXIT.failed;
}

/** Describes the result of an operation. */
export function lines(operation: Operation): readonly string[] {
  const { operationId, action, dryRun, status, matched, done, refused, refusals, message } = operation;
  const verb = dryRun ? 'would be' : done === 1 || matched === 1 ? 'was' : 'were';
  const left = matched - done - refused;
  return [
    `${done} of ${jobs(matched)} ${verb} ${DONE[action]}.`,
    ...refusals.map(
      ({ count, message: why, examples }) =>
        `${jobs(count)} ${dryRun ? 'would be' : count === 1 ? 'was' : 'were'} refused: ${why} (${examples.join(', ')}${count > examples.length ? ', …' : ''})`,
    ),
    ...(status === 'COMPLETE'
      ? []
      : [`Operation ${operationId}: ${status}${message === null ? '' : `: ${message}`}`]),
    ...(left > 0 ? [`${jobs(left)} ${left === 1 ? 'was' : 'were'} not handled.`] : []),
  ];
}

const jobs = (count: number) => `${count} ${count === 1 ? 'job' : 'jobs'}`;
