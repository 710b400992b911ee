import { createServer, type Server, type Socket } from 'node:net';
import { startComponent, type ComponentProcess, type Launch } from './component-process.ts';

export interface SharedProcessOptions {
  /** Path of the socket at which other processes of this host connect. */
  readonly path: string;
  /** Time without connections after which the process is ended, in milliseconds; 0: never. */
  readonly idleMs: number;
  /** Returns how to start the process. */
  launch(): Launch;
  onStart(pid: number): void;
  onEnd(pid: number | undefined, reason: string): void;
  line(text: string): void;
}

/** What the process sends when it has received a connection, and every few seconds. */
export interface SharedProcessReport {
  /** Number of connections that it has received since its start. */
  readonly received: number;
  /** Number of those that are open. */
  readonly open: number;
}

/** Maximum length of the path of a socket, in bytes. */
const LONGEST_PATH = 103;
/** Time without a report after which the process is killed, in milliseconds. */
const SILENCE_MS = 10_000;
/** Time for its start until the first report, in milliseconds. Then it is killed. */
const START_MS = 15_000;
/** Longest interval between two looks at the process, in milliseconds. */
const LOOK_MS = 1_000;

/**
 * A process that works for many others. It starts when the first of them connects, gets their connections, and ends when it has had none for
 * a while. After its death, the next connection starts another one.
 */
export class SharedProcess {
  readonly path: string;
  readonly #options: SharedProcessOptions;
  readonly #server: Server;
  #running: Running | undefined;

  private constructor(options: SharedProcessOptions, server: Server) {
    this.path = options.path;
    this.#options = options;
    this.#server = server;
    server.on('connection', (connection) => this.#give(connection));
  }

  /** Returns undefined where no socket can listen at the path: it is too long, or its file system has no sockets. */
  static listen(options: SharedProcessOptions): SharedProcess | undefined {
    if (Buffer.byteLength(options.path) > LONGEST_PATH) return undefined;
    // The process that gets a connection reads it, so this one must not.
    const server = createServer({ pauseOnConnect: true });
    server.on('error', (error) => options.line(`No process is shared: ${error.message}`));
    server.listen(options.path);
    server.unref();
    return new SharedProcess(options, server);
  }

  close(): void {
    this.#server.close();
    this.#running?.kill();
  }

  #give(connection: Socket): void {
    this.#running ??= new Running(this.#options, (ended) => {
      if (this.#running === ended) this.#running = undefined;
    });
    this.#running.give(connection);
  }
}

class Running {
  readonly #process: ComponentProcess;
  /** Connections that were given to the process and that it has not received yet. */
  readonly #onTheWay: Socket[] = [];
  #received = 0;
  #hasConnections = true;
  #pid: number | undefined;
  readonly #idleMs: number;
  /** Time until which the process must report. */
  #reportBy = performance.now() + START_MS;
  #usedAt = performance.now();
  readonly #timer: NodeJS.Timeout;
  readonly #onEnd: () => void;

  constructor(
    { idleMs, launch, onStart, onEnd, line }: SharedProcessOptions,
    ended: (running: Running) => void,
  ) {
    this.#onEnd = () => ended(this);
    this.#idleMs = idleMs > 0 ? idleMs : Number.POSITIVE_INFINITY;
    this.#process = startComponent(launch(), {
      onStart: (pid) => onStart((this.#pid = pid)),
      onEnd: ({ code, signal, error }) => {
        this.#leave();
        onEnd(this.#pid, error ?? (signal === null ? `exit code ${code}` : `ended by ${signal}`));
      },
      line: (_stream, text) => line(text),
      onMessage: (report) => this.#onReport(report as SharedProcessReport),
    });
    this.#timer = setInterval(() => this.#look(), Math.min(LOOK_MS, this.#idleMs / 4));
    this.#timer.unref();
  }

  give(connection: Socket): void {
    this.#onTheWay.push(connection);
    this.#hasConnections = true;
    connection.on('error', () => undefined);
    this.#process.give(connection);
  }

  kill(): void {
    this.#leave();
    this.#process.signal('SIGKILL');
  }

  /** The next connection starts another process, even if this one takes time to end. */
  #leave(): void {
    clearInterval(this.#timer);
    for (const connection of this.#onTheWay.splice(0)) connection.destroy();
    this.#onEnd();
  }

  #onReport({ received, open }: SharedProcessReport): void {
    this.#reportBy = performance.now() + SILENCE_MS;
    // The process has its own handles of them.
    for (const connection of this.#onTheWay.splice(0, received - this.#received)) connection.destroy();
    this.#received = received;
    this.#hasConnections = open > 0 || this.#onTheWay.length > 0;
  }

  #look(): void {
    const now = performance.now();
    if (this.#hasConnections) this.#usedAt = now;
    if (now - this.#usedAt > this.#idleMs) this.kill();
    // After a pause of this process, reports that have arrived are read first.
    else if (now > this.#reportBy) setImmediate(() => performance.now() > this.#reportBy && this.kill());
  }
}
