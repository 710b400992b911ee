/** The compiled tool as a separate process in a temporary folder. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { RunningServer } from '../../../main.ts';
import { lineLogger } from '../../support/line-logger.ts';
import { onlySettings } from '../../support/processes/environment.ts';
import { SHORT_LIFE } from '../../support/processes/processes.ts';
import { until } from '../../support/until.ts';
import { runWarm } from './warm-tool.ts';

const MAIN = fileURLToPath(new URL('../../../cli/main.js', import.meta.url));
export const DEMO = fileURLToPath(new URL('../../../cli/demo.js', import.meta.url));

export const sample = (name: string) => path.resolve('samples', name);

export interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A temporary folder with the processes that were started in it. */
export class Place {
  readonly folder = mkdtempSync(path.join(tmpdir(), 'troupe-cli-'));
  readonly dataDir = path.join(this.folder, 'data');
  readonly #children: ChildProcess[] = [];
  readonly #servers: RunningServer[] = [];
  readonly #isWarm: boolean;

  /**
   * `warm`: short commands run in a process that has already loaded the tool, for tests of their output.
   * Without it, each command is its own process, as for users.
   */
  constructor({ warm = false }: { readonly warm?: boolean } = {}) {
    this.#isWarm = warm;
  }

  /** Runs a command to its end. */
  async troupe(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Outcome> {
    // A refused start of the server ends its process after a delay, so it needs its own process.
    if (this.#isWarm && args[0] !== 'serve')
      return runWarm({ args, env: this.#environment(env), cwd: this.folder });
    return this.start(args, env).ended;
  }

  /** The same, with text on standard input. */
  async troupeReading(input: string, args: readonly string[]): Promise<Outcome> {
    return this.start(args, {}, MAIN, input).ended;
  }

  start(
    args: readonly string[],
    env: Readonly<Record<string, string>> = {},
    main = MAIN,
    input?: string,
  ): Running {
    const child = spawn(process.execPath, [...SHORT_LIFE, main, ...args], {
      cwd: this.folder,
      env: this.#environment(env),
      stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
    });
    child.stdin?.end(input);
    this.#children.push(child);
    return new Running(child);
  }

  /** Starts a server on a free port and waits until it is ready. */
  async serve(env: Readonly<Record<string, string>> = {}): Promise<Running & { readonly url: string }> {
    const server = this.start(['serve'], { PORT: '0', ...env });
    await server.says('stdout', '"Troupe is up"');
    const { url } = JSON.parse(readFileSync(this.lock, 'utf8')) as { url: string };
    return Object.assign(server, { url });
  }

  /**
   * Starts a server like `troupe serve`, but in the test process: for tests that neither end it nor check its
   * process.
   */
  async serveHere(env: Readonly<Record<string, string>> = {}): Promise<RunningServer> {
    const [{ startServer }, { readSettings }] = await Promise.all([
      import('../../../main.ts'),
      import('../../../config/settings.ts'),
    ]);
    const settings = readSettings({ ...this.#environment(env), PORT: '0', DRAIN_MS: '0' });
    const server = await startServer(settings, { logger: lineLogger(path.join(this.folder, 'server.log')) });
    this.#servers.push(server);
    return server;
  }

  #environment(env: Readonly<Record<string, string>>): Readonly<Record<string, string | undefined>> {
    const own = { PATH: process.env['PATH'] ?? '', DATA_DIR: this.dataDir, COMPONENT_PROCESSES: '1' };
    return onlySettings({ ...own, ...env });
  }

  get lock(): string {
    return path.join(this.dataDir, 'lock');
  }

  /** Ends all processes and removes the folder. */
  async leave(): Promise<void> {
    for (const child of this.#children)
      if (child.exitCode === null && child.signalCode === null) {
        child.kill('SIGKILL');
        await once(child, 'exit');
      }
    for (const server of this.#servers) await server.stop();
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  }
}

export class Running {
  readonly ended: Promise<Outcome>;
  readonly #child: ChildProcess;
  readonly #said = { stdout: '', stderr: '' };

  constructor(child: ChildProcess) {
    this.#child = child;
    for (const stream of ['stdout', 'stderr'] as const)
      child[stream]?.setEncoding('utf8').on('data', (text: string) => {
        this.#said[stream] += text;
      });
    this.ended = once(child, 'close').then(([code]) => ({ code: code as number | null, ...this.#said }));
  }

  signal(name: NodeJS.Signals): void {
    this.#child.kill(name);
  }

  /** Waits until the output contains `words`. */
  async says(stream: 'stdout' | 'stderr', words: string): Promise<void> {
    const readOutput = () =>
      this.#child.exitCode === null ? this.#said[stream] : `${this.#said[stream]} (it has ended)`;
    await until(
      `the process says "${words}"`,
      readOutput,
      (text) => text.includes(words) || this.#child.exitCode !== null,
    );
    if (!this.#said[stream].includes(words))
      throw new Error(`It ended before it said "${words}": ${this.#said.stderr}`);
  }
}

interface Document {
  readonly status: string;
  readonly media: readonly {
    readonly path: string;
    readonly status: string;
    readonly output: Readonly<Record<string, readonly { readonly tracks?: readonly Track[] }[]>>;
  }[];
}
interface Track {
  readonly type: string;
  readonly trackProperties: Readonly<Record<string, string>>;
}

export const documentOf = (text: string) => JSON.parse(text) as Document;
export const tracksOf = ({ media }: Document): readonly Track[] =>
  media.flatMap(({ output }) =>
    Object.values(output).flatMap((entries) => entries.flatMap(({ tracks }) => tracks ?? [])),
  );
