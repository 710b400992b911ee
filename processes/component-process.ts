import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { statSync } from 'node:fs';
import { StringDecoder } from 'node:string_decoder';
import type { Readable, Writable } from 'node:stream';
import { watchMemory } from './resident-memory.ts';

export interface Launch {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Written to the process's standard input as its first line; the pipe then stays open as long as we live. */
  readonly bootstrap: string;
  /** Bytes of memory that it may have; with more it is ended. */
  readonly maxMemory: number;
  /** It is started when this has settled: until then nobody knows its token. */
  readonly after?: Promise<void> | undefined;
}

export interface ProcessEvents {
  onStart(pid: number): void;
  /** Once, however the process ended or failed to start. */
  onEnd(end: ProcessEnd): void;
  line(stream: 'stdout' | 'stderr', text: string): void;
}

export interface ProcessEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** Why it was ended from here; or why it could not be started at all. */
  readonly error?: string;
  /** It cannot be started as long as nobody mends what `error` says; otherwise the system had no room for it just now. */
  readonly unstartable?: boolean;
}

export interface ComponentProcess {
  signal(signal: 'SIGTERM' | 'SIGKILL'): void;
}

/** Longest line of a component's output that is passed on; what is longer is cut. */
const MAX_LINE = 2_000;
/** Lines passed on in a second; a component that floods its log is not allowed to flood ours. */
const LINES_PER_SECOND = 50;

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

/**
 * Starts a component process whose standard input is a pipe of ours: when we die, the pipe closes and so does it. It leads a
 * process group of its own, so that what it has started itself ends with it.
 */
export function startComponent(launch: Launch, events: ProcessEvents): ComponentProcess {
  return launch.after === undefined ? startNow(launch, events) : startLater(launch.after, launch, events);
}

/** A signal that comes before its start ends it without one. */
function startLater(after: Promise<void>, launch: Launch, events: ProcessEvents): ComponentProcess {
  let started: ComponentProcess | undefined;
  let ending: NodeJS.Signals | undefined;
  void after.then(() => {
    if (ending === undefined) started = startNow(launch, events);
    else events.onEnd({ code: null, signal: ending });
  });
  return {
    signal(signal) {
      if (started === undefined) ending ??= signal;
      else started.signal(signal);
    },
  };
}

function startNow(launch: Launch, events: ProcessEvents): ComponentProcess {
  let ended = false;
  const end = (result: ProcessEnd) => {
    if (ended) return;
    ended = true;
    events.onEnd(result);
  };
  let child: Child;
  try {
    child = spawn(launch.command, [...launch.args], {
      cwd: launch.cwd,
      env: { ...launch.environment },
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: true,
    });
  } catch (error) {
    setImmediate(() => end(failureOf(error as NodeJS.ErrnoException, launch)));
    return { signal: () => undefined };
  }
  let tooLarge: { readonly error: string } | undefined;
  let stopWatch = () => {};
  child.once('spawn', () => {
    child.stdin.write(`${launch.bootstrap}\n`);
    if (child.pid === undefined) return;
    stopWatch = watchMemory(child.pid, launch.maxMemory, (bytes) => {
      tooLarge = { error: tooMuchMemory(bytes, launch.maxMemory) };
      signalGroup(child, 'SIGKILL');
    });
    events.onStart(child.pid);
  });
  child.once('error', (error) => end(failureOf(error, launch)));
  child.once('exit', (code, signal) => {
    stopWatch();
    signalGroup(child, 'SIGKILL');
    end({ code, signal, ...tooLarge });
  });
  // A process that is gone closes the pipe under us; its exit tells the rest.
  child.stdin.on('error', () => undefined);
  for (const stream of ['stdout', 'stderr'] as const) {
    const pass = limitText((text) => events.line(stream, text));
    passLines(child[stream], pass);
  }
  return { signal: (signal) => !ended && signalGroup(child, signal) };
}

const inMib = (bytes: number) => Math.round(bytes / 1024 ** 2).toLocaleString('en');

const tooMuchMemory = (bytes: number, most: number) =>
  `the process had ${inMib(bytes)} MiB of memory and was ended; MAX_COMPONENT_MEMORY allows ${inMib(most)} MiB`;

function signalGroup({ pid }: Child, signal: 'SIGTERM' | 'SIGKILL'): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // Nobody of the group is left.
  }
}

/** The system has too little of something now; the same start may succeed later. */
const TRANSIENT = new Set(['EAGAIN', 'ENOMEM', 'EMFILE', 'ENFILE', 'EINTR', 'ETXTBSY']);

function failureOf({ code, message }: NodeJS.ErrnoException, { command, cwd }: Launch): ProcessEnd {
  const failed = { code: null, signal: null };
  if (code !== undefined && TRANSIENT.has(code)) return { ...failed, error: message };
  if (code === 'E2BIG')
    return {
      ...failed,
      error: `the command ${command} cannot be run: its arguments and environment variables are longer than the system allows`,
      unstartable: true,
    };
  // The system says the same of a missing command and a missing folder.
  const error = isFolder(cwd)
    ? `the command ${command} cannot be run (${code ?? message}): it must be an executable file`
    : `its working directory ${cwd} does not exist`;
  return { ...failed, error, unstartable: true };
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
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

function limitText(pass: (text: string) => void): (text: string) => void {
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
