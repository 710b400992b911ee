import { MultiBar } from 'cli-progress';
import type { JobInfo } from './rest-client.ts';
import type { Terminal } from './terminal.ts';

/** How far jobs are, each under its label. */
export interface Progress {
  update(label: string, job: JobInfo): void;
  stop(): void;
}

/** Bars on a terminal; elsewhere a line per `step` per cent, and per change of state. */
export function showProgress(terminal: Terminal, labels: readonly string[], step = 10): Progress {
  const width = Math.max(0, ...labels.map(({ length }) => length));
  return terminal.live ? bars(terminal, labels, width) : lines(terminal, width, step);
}

function bars(terminal: Terminal, labels: readonly string[], width: number): Progress {
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
    update: (label, { jobProgress, jobStatus }) =>
      shown.get(label)?.update(Math.floor(jobProgress), payload(label, jobStatus)),
    stop: () => multi.stop(),
  };
}

function lines(terminal: Terminal, width: number, step: number): Progress {
  const shown = new Map<string, string>();
  return {
    update(label, { jobProgress, jobStatus }) {
      const percent = Math.floor(jobProgress / step) * step;
      const state = `${jobStatus} ${percent}`;
      if (shown.get(label) === state) return;
      shown.set(label, state);
      terminal.note(`${label.padEnd(width)}  ${String(percent).padStart(3)} %  ${jobStatus}`);
    },
    stop: () => undefined,
  };
}
