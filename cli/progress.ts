import type { JobProgress } from './rest-client.ts';
import { printable, shortened, type Terminal } from './terminal.ts';

const REASON_LENGTH = 120;

/** How far jobs are, each under its label. */
export interface Progress {
  update(label: string, job: JobProgress): void;
  stop(): void;
}

export interface ProgressOptions {
  /** Per cent between two lines. */
  readonly step?: number;
  /** A line also for each reason why the job waits; bars always tell it. */
  readonly waits?: boolean;
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

function lines(terminal: Terminal, width: number, { step = 10, waits = false }: ProgressOptions): Progress {
  const shown = new Map<string, string>();
  return {
    update(label, job) {
      const percent = Math.floor(job.jobProgress / step) * step;
      const state = waits ? stateOf(job) : job.jobStatus;
      // a place in a queue that moves on is no news
      const news = `${state.replace(/\d+/g, '')} ${percent}`;
      if (shown.get(label) === news) return;
      shown.set(label, news);
      terminal.note(`${label.padEnd(width)}  ${String(percent).padStart(3)} %  ${state}`);
    },
    stop: () => undefined,
  };
}

/** What keeps a job waiting goes with its state. */
function stateOf({ jobStatus, waitingFor }: JobProgress): string {
  if (waitingFor === undefined || waitingFor === null) return jobStatus;
  return `${jobStatus}, waiting: ${shortened(printable(waitingFor.reason), REASON_LENGTH)}`;
}
