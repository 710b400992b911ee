import { spawn, type ChildProcess, type ChildProcessByStdio } from 'node:child_process';
import { statSync } from 'node:fs';
import type { Socket } from 'node:net';
import { StringDecoder } from 'node:string_decoder';
import type { Readable, Writable } from 'node:stream';
import { watchMemory } from './resident-memory.ts';

export interface Launch {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string>>;
  /** First line on the standard input of the process. The pipe then stays open while the server or node lives. */
  readonly bootstrap: string;
  /** Memory limit in bytes. A process above it is killed. */
  readonly maxMemory: number;
  /** The process starts when this has resolved, because its token is unknown before. */
  readonly after?: Promise<void> | undefined;
  /** True if the process is given connections. It then has a channel for messages. */
  readonly takesConnections?: boolean;
}

export interface ProcessEvents {
  onStart(pid: number): void;
  /** Called once, when the process has ended or could not be started. */
  onEnd(end: ProcessEnd): void;
  line(stream: 'stdout' | 'stderr', text: string): void;
  /** Called with each message of a process that is given connections. */
  onMessage?(message: unknown): void;
}

export interface ProcessEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** Why the process was killed, or why it could not be started. */
  readonly error?: string;
  /** True if the process cannot start until the problem in `error` is solved. Otherwise the system lacked resources temporarily. */
  readonly unstartable?: boolean;
}

export interface ComponentProcess {
  signal(signal: 'SIGTERM' | 'SIGKILL'): void;
  /** Gives a connection to a process that takes connections. The caller closes its own handle when the process has received it. */
  give(connection: Socket): void;
}

/** Maximum length of an output line. Longer ones are cut. */
const MAX_LINE = 2_000;
/** Maximum number of output lines per second, so that a component cannot flood the log. */
const LINES_PER_SECOND = 50;

type Child = ChildProcessByStdio<Writable, Readable, Readable> & ChildProcess;

/**
 * Starts a component process with a pipe as standard input. When the parent dies, the pipe closes and the component ends. The process leads
 * its own process group, so that its children end with it.
 */
export function startComponent(launch: Launch, events: ProcessEvents): ComponentProcess {
  return launch.after === undefined ? startNow(launch, events) : startLater(launch.after, launch, events);
}

/** A signal before the start prevents the start. */
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
    give: (connection) => (started === undefined ? void connection.destroy() : started.give(connection)),
  };
}

const NOT_STARTED: ComponentProcess = {
  signal: () => undefined,
  give: (connection) => void connection.destroy(),
};

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
      stdio: ['pipe', 'pipe', 'pipe', ...(launch.takesConnections === true ? (['ipc'] as const) : [])],
      detached: true,
    }) as Child;
  } catch (error) {
    setImmediate(() => end(failureOf(error as NodeJS.ErrnoException, launch)));
    return NOT_STARTED;
  }
  child.once('error', (error) => end(failureOf(error, launch)));
  // Without free file descriptors, there are no pipes, and the error follows.
  if ((child.stdin as Writable | undefined) === undefined) return NOT_STARTED;
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
  child.once('exit', (code, signal) => {
    stopWatch();
    signalGroup(child, 'SIGKILL');
    end({ code, signal, ...tooLarge });
  });
  // The pipe of a dead process fails. The exit event reports the rest.
  child.stdin.on('error', () => undefined);
  for (const stream of ['stdout', 'stderr'] as const) {
    const pass = limitText((text) => events.line(stream, text));
    passLines(child[stream], pass);
  }
  child.on('message', (message) => events.onMessage?.(message));
  return {
    signal: (signal) => !ended && signalGroup(child, signal),
    give: (connection) => giveTo(child, connection),
  };
}

function giveTo(child: Child, connection: Socket): void {
  const options = { keepOpen: true };
  // Without a channel, `send` reports an error that would end this process.
  if (!child.connected) return void connection.destroy();
  child.send({}, connection, options, (error) => error !== null && connection.destroy());
}

const inMib = (bytes: number) => Math.round(bytes / 1024 ** 2).toLocaleString('en');

const tooMuchMemory = (bytes: number, most: number) =>
  `the process had ${inMib(bytes)} MiB of memory and was ended; MAX_COMPONENT_MEMORY allows ${inMib(most)} MiB`;

function signalGroup({ pid }: Child, signal: 'SIGTERM' | 'SIGKILL'): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // The process group has no members left.
  }
}

/** Errors of a temporary lack of resources. The same start may succeed later. */
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
  // The system reports the same error for a missing command and a missing folder.
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

/** Passes the lines of a stream. A line without an end is cut. */
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
