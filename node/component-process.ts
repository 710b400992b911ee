import { spawn } from 'node:child_process';
import { StringDecoder } from 'node:string_decoder';
import type { Readable } from 'node:stream';

export interface Launch {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Written to the process's standard input as its first line; the pipe then stays open as long as we live. */
  readonly greeting: string;
}

export interface ProcessEvents {
  started(pid: number): void;
  /** Once, however the process ended or failed to start. */
  ended(end: ProcessEnd): void;
  line(stream: 'stdout' | 'stderr', text: string): void;
}

export interface ProcessEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** Set when it could not be started at all. */
  readonly error?: string;
}

export interface ComponentProcess {
  signal(signal: 'SIGTERM' | 'SIGKILL'): void;
}

/** Longest line of a component's output that is passed on; what is longer is cut. */
const MAX_LINE = 2_000;
/** Lines passed on in a second; a component that floods its log is not allowed to flood ours. */
const LINES_PER_SECOND = 50;

/** Starts a component process whose standard input is a pipe of ours: when we die, the pipe closes and so does it. */
export function startComponent(launch: Launch, events: ProcessEvents): ComponentProcess {
  const child = spawn(launch.command, [...launch.args], {
    cwd: launch.cwd,
    env: { ...launch.environment },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let ended = false;
  const end = (result: ProcessEnd) => {
    if (ended) return;
    ended = true;
    events.ended(result);
  };
  child.once('spawn', () => {
    child.stdin.write(`${launch.greeting}\n`);
    if (child.pid !== undefined) events.started(child.pid);
  });
  child.once('error', (error) => end({ code: null, signal: null, error: error.message }));
  child.once('exit', (code, signal) => end({ code, signal }));
  // A process that is gone closes the pipe under us; its exit tells the rest.
  child.stdin.on('error', () => undefined);
  for (const stream of ['stdout', 'stderr'] as const) {
    const pass = limited((text) => events.line(stream, text));
    passLines(child[stream], pass);
  }
  return { signal: (signal) => void child.kill(signal) };
}

/** Lines of a stream; of a line without end only the beginning is kept. */
function passLines(stream: Readable, pass: (text: string) => void): void {
  const decoder = new StringDecoder('utf8');
  let line = '';
  stream.on('data', (chunk: Buffer) => {
    const [first = '', ...others] = decoder.write(chunk).split('\n');
    line = (line + first.slice(0, MAX_LINE)).slice(0, MAX_LINE);
    for (const other of others) {
      pass(line);
      line = other.slice(0, MAX_LINE);
    }
  });
  stream.on('end', () => line !== '' && pass(line));
  stream.on('error', () => undefined);
}

function limited(pass: (text: string) => void): (text: string) => void {
  let second = 0;
  let lines = 0;
  return (text) => {
    const now = Math.floor(performance.now() / 1_000);
    if (now !== second) {
      second = now;
      lines = 0;
    }
    lines++;
    if (lines <= LINES_PER_SECOND) pass(text);
    else if (lines === LINES_PER_SECOND + 1) pass('(more lines in this second were left out)');
  };
}
