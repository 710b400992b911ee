import type { JobProgress } from '../../client/answers.ts';
import { printable, shortenText } from '../../domain/text/printable.ts';
import type { Terminal } from '../terminal/terminal.ts';

const REASON_LENGTH = 120;
/** Time after which a wait of a job is reported. */
const LASTING_MS = 2_000;

/** Displays the progress of jobs, each with its label. */
export interface Progress {
  update(label: string, job: JobProgress): void;
  stop(): void;
}

export interface ProgressOptions {
  /** Per cent between two lines. */
  readonly step?: number;
  /** When to print a line about a wait: for each reason, or only for a lasting wait. Bars always show the reason. */
  readonly waits?: 'all' | 'lasting';
}

/** Shows bars on a terminal. Otherwise prints a line per `step` per cent and per change of state. */
export async function showProgress(
  terminal: Terminal,
  labels: readonly string[],
  options: ProgressOptions = {},
): Promise<Progress> {
  const width = Math.max(0, ...labels.map(({ length }) => length));
  return terminal.live ? bars(terminal, labels, width) : lines(terminal, width, options);
}

async function bars(terminal: Terminal, labels: readonly string[], width: number): Promise<Progress> {
  // loaded when needed, because most commands show no progress
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

/** Reports each reason for a wait once, and only if the wait lasts. Most waits end before a user could read about them. */
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

/** Removes numbers, so that a new position in a queue does not count as a new reason. */
const withoutPlaces = (text: string) => text.replace(/\d+/g, '');

/** Returns the state with the reason for a wait. */
function stateOf({ jobStatus, waitingFor }: JobProgress): string {
  if (waitingFor === undefined || waitingFor === null) return jobStatus;
  return `${jobStatus}, waiting: ${shortenText(printable(waitingFor.reason), REASON_LENGTH)}`;
}
