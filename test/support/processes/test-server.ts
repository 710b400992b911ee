/** Servers of tests: in a separate process, or in the process of the test. */
import { fork, type ChildProcess } from 'node:child_process';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { packageRoot } from '../../../config/info.ts';
import { BUILT_IN } from '../../../config/places.ts';
import { startServer, type RunningServer } from '../../../main.ts';
import type { Store } from '../../../store/store.ts';
import { lineLogger } from '../line-logger.ts';
import { splitNames, settingsOf, type Environment } from './environment.ts';
import { mortalStore } from './crashing-store.ts';
import { endOf, isAlive, SHORT_LIFE } from './processes.ts';
import type { FromServer, ToServer } from './server-main.ts';
import { TEST_COMPONENTS } from './test-components.ts';
import { within } from '../until.ts';

const WITHIN_MS = 20_000;

export type End = number | NodeJS.Signals;

export interface TestServer {
  readonly url: string;
  readonly pid: number;
  /** Stops it and waits for its end. */
  stop(): Promise<End>;
  /** Resolves when it ends: with its exit code or the signal that ended it. */
  waitForExit(): Promise<End>;
  kill9(): Promise<End>;
  tell(message: ToServer): Promise<FromServer>;
  /** Kills it if it still runs. */
  close(): Promise<void>;
}

/** Options of a server process. */
export interface Surroundings {
  readonly root?: string | undefined;
  readonly surroundings?: Readonly<Record<string, string>> | undefined;
}

export class ServerProcess implements TestServer {
  readonly url: string;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, url: string) {
    this.#child = child;
    this.url = url;
  }

  /** `root`: the folder of another version of Troupe. `surroundings`: environment variables that are no settings. */
  static async start(
    names: Environment,
    logFile: string,
    { root, surroundings }: Surroundings = {},
  ): Promise<ServerProcess> {
    const { env, tuning } = splitNames(names);
    const main = fileURLToPath(
      root === undefined
        ? new URL('./server-main.js', import.meta.url)
        : new URL('dist/test/support/processes/server-main.js', pathToFileURL(`${root}/`)),
    );
    const child = fork(main, [logFile, JSON.stringify(tuning)], {
      cwd: root ?? packageRoot,
      env: { ...env, ...surroundings },
      execArgv: [...SHORT_LIFE],
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    try {
      const message = await within(WITHIN_MS, 'the server is up', firstMessage(child));
      if (message.type !== 'up') throw new Error(`The server did not start: ${JSON.stringify(message)}`);
      return new ServerProcess(child, message.url);
    } catch (error) {
      child.kill('SIGKILL');
      throw error;
    }
  }

  get pid(): number {
    return this.#child.pid ?? -1;
  }

  waitForExit(): Promise<End> {
    return within(WITHIN_MS, 'the server process has ended', endOf(this.#child));
  }

  stop(): Promise<End> {
    this.#child.kill('SIGTERM');
    return this.waitForExit();
  }

  kill9(): Promise<End> {
    this.#child.kill('SIGKILL');
    return this.waitForExit();
  }

  async tell(message: ToServer): Promise<FromServer> {
    const obeyed = firstMessage(this.#child);
    this.#child.send(message);
    return within(WITHIN_MS, 'the server obeys', obeyed);
  }

  async close(): Promise<void> {
    if (isAlive(this.#child)) await this.kill9();
  }
}

/** A server in the process of the test, where all modules are already loaded. */
export class ServerHere implements TestServer {
  readonly #server: RunningServer;
  #end: Promise<End> | undefined;

  private constructor(server: RunningServer) {
    this.#server = server;
  }

  static async start(names: Environment, logFile: string): Promise<ServerHere> {
    const componentFolders = [BUILT_IN, TEST_COMPONENTS];
    const logger = lineLogger(logFile);
    const wrapStore = (store: Store) => mortalStore(store, logger, { wish: undefined, commits: 0 });
    return new ServerHere(await startServer(settingsOf(names), { logger, componentFolders, wrapStore }));
  }

  get url(): string {
    return this.#server.url;
  }

  get pid(): number {
    return process.pid;
  }

  stop(): Promise<End> {
    this.#end ??= this.#server.stop().then(() => 0);
    return within(WITHIN_MS, 'the server has stopped', this.#end);
  }

  waitForExit(): Promise<End> {
    throw noProcess();
  }

  kill9(): Promise<End> {
    throw noProcess();
  }

  tell(): Promise<FromServer> {
    throw noProcess();
  }

  async close(): Promise<void> {
    await this.stop();
  }
}

/** A shared server. Stopping it has no effect, because other tests use it. */
export class LentServer implements TestServer {
  readonly url: string;
  readonly pid: number;

  constructor({ url, pid }: TestServer) {
    this.url = url;
    this.pid = pid;
  }

  stop(): Promise<End> {
    throw notOwn();
  }

  waitForExit(): Promise<End> {
    throw notOwn();
  }

  kill9(): Promise<End> {
    throw notOwn();
  }

  tell(): Promise<FromServer> {
    throw notOwn();
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}

const notOwn = () => new Error('The server is shared with other tests: start one with Service.here().');

const noProcess = () => new Error('The server has no process of its own: start it with Service.started().');

function firstMessage(child: ChildProcess): Promise<FromServer> {
  return new Promise((resolve, reject) => {
    const waitForExit = (code: number | null) => reject(new Error(`The server process ended with ${code}.`));
    child.once('exit', waitForExit);
    child.once('message', (message) => {
      child.off('exit', waitForExit);
      resolve(message as FromServer);
    });
  });
}
