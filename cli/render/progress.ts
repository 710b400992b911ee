import type { JobProgress } from '../../client/answers.ts';
import { printable, shortenText } from '../../domain/text/printable.ts';
import type { Terminal } from '../terminal/terminal.ts';

const REASON_LENGTH = 120;
/** What a job waits for so long is worth a line. */
const LASTING_MS = 2_000;

/** How far jobs are, each under its label. */
export interface Progress {
  update(label: string, job: JobProgress): void;
  stop(): void;
}

export interface ProgressOptions {
  /** Per cent between two lines. */
  readonly step?: number;
  /** Lines: one for each reason why the job waits (bars always tell it), or only for one that lasts. */
  readonly waits?: 'all' | 'lasting';
}

/** Bars on a terminal; elsewhere a line per `step` per cent, and per change of state. */
export async function showProgress(
  terminal: Terminal,
  labels: readonly string[],
  options: ProgressOptions = {},
): Promise<Progress> {
  const width = Math.max(0, ...labels.map(({ length }) => length));
  return terminal.live ? bars(terminal, labels, width) : lines(terminal, width, options);
}

async function bars(terminal: Terminal, labels: readonly string[], width: number): Promise<Progress> {
  // most commands show none
  const { MultiBar } = await import('cli-progress');
  const multi = new MultiBar({
    stream: terminal.stderr,
    format: '{label} [{bar}] {percentage} %  {state}  {duration_formatted}',
    barCompleteChar: '=',
    barIncompleteChar: ' ',
    barsize: 30,
    hideCursor: null,
    linewrap: true,
    clearOnComplete: false,
    gracefulExit: false,
  });
  const payload = (label: string, state: string) => ({ label: label.padEnd(width), state });
  const shown = new Map(labels.map((label) => [label, multi.create(100, 0, payload(label, ''))]));
  return {
    update: (label, job) =>
      shown.get(label)?.update(Math.floor(job.jobProgress), payload(label, stateOf(job))),
    stop: () => multi.stop(),
  };
}

function lines(
  terminal: Terminal,
  width: number,
  { step = 10, waits = 'lasting' }: ProgressOptions,
): Progress {
  const shown = new Map<string, string>();
  const waiting = new LastingWaits();
  return {
    update(label, job) {
      const percent = Math.floor(job.jobProgress / step) * step;
      const state = waits === 'all' ? stateOf(job) : job.jobStatus;
      const reason = waits === 'all' ? undefined : waiting.newOf(label, job);
      if (reason !== undefined) terminal.note(`${label.padEnd(width)}  waiting: ${reason}`);
      const news = `${withoutPlaces(state)} ${percent}`;
      if (shown.get(label) === news) return;
      shown.set(label, news);
      terminal.note(`${label.padEnd(width)}  ${String(percent).padStart(3)} %  ${state}`);
    },
    stop: () => undefined,
  };
}

/** Tells a reason for which a job waits once, and only when it lasts: most waits are over before anybody could read of them. */
class LastingWaits {
  readonly #since = new Map<string, { readonly reason: string; readonly at: number }>();
  readonly #told = new Map<string, string>();

  newOf(label: string, { waitingFor }: JobProgress): string | undefined {
    const text = printable(waitingFor?.reason ?? '');
    const reason = withoutPlaces(text);
    const before = this.#since.get(label);
    if (before?.reason !== reason) this.#since.set(label, { reason, at: performance.now() });
    else if (
      reason !== '' &&
      this.#told.get(label) !== reason &&
      performance.now() - before.at >= LASTING_MS
    ) {
      this.#told.set(label, reason);
      return text;
    }
    return undefined;
  }
}

/** A place in a queue that moves on is no news. */
const withoutPlaces = (text: string) => text.replace(/\d+/g, '');

/** What keeps a job waiting goes with its state. */
function stateOf({ jobStatus, waitingFor }: JobProgress): string {
  if (waitingFor === undefined || waitingFor === null) return jobStatus;
  return `${jobStatus}, waiting: ${shortenText(printable(waitingFor.reason), REASON_LENGTH)}`;
}
