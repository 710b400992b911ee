/** `troupe jobs retry` of one job (docs/guides/retry-failed-work.md). */
import { fieldOf } from '../../../../client/answer-text.ts';
import { jobPath } from '../../../../client/rest-client.ts';
import type { Terminal } from '../../../terminal/terminal.ts';
import { show, type RestOptions } from '../command.ts';

export interface RetryOptions extends RestOptions {
  readonly failedMedia?: boolean;
  readonly property?: Readonly<Record<string, string>>;
}

export const retryRequest = ({ failedMedia = false, property: jobProperties }: RetryOptions) => ({
  what: failedMedia ? ('FAILED_MEDIA' as const) : ('FAILED_SUB_JOBS' as const),
  ...(jobProperties === undefined ? {} : { jobProperties }),
});

export function retry(id: string, options: RetryOptions, terminal: Terminal): Promise<void> {
  const body = JSON.stringify(retryRequest(options));
  const call = { method: 'POST', path: `${jobPath(id)}/retry`, body, once: 'job' } as const;
  return show(terminal, options, call, { lines: retriedLines });
}

function retriedLines(retried: unknown): readonly string[] {
  const jobId = String(fieldOf(retried, 'jobId'));
  const run = String(fieldOf(retried, 'run'));
  return [`Job ${jobId} is retried (run ${run}); troupe jobs watch ${jobId} shows its progress.`];
}
