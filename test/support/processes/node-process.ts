import { fork, type ChildProcess } from 'node:child_process';
import { chownSync, mkdirSync, mkdtempSync, readFileSync, realpathSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadOrCreateDevelopmentSecrets } from '../../../http/access/development-secrets.ts';
import { joinToken } from '../../../http/access/node-tokens.ts';
import { NOBODY } from './other-user.ts';
import { splitNames, inheritSettings } from './environment.ts';
import { endOf, isAlive, SHORT_LIFE } from './processes.ts';
import type { LogLine, Service } from './service.ts';
import { until, within } from '../until.ts';

const WITHIN_MS = 30_000;

/** The lines that `troupe node token` prints for a node. */
export async function tokenFor(
  service: Pick<Service, 'dataDir'>,
  node: string,
  lifeMs?: number,
): Promise<string> {
  const { nodeSecret } = await loadOrCreateDevelopmentSecrets(service.dataDir);
  return joinToken(nodeSecret, node, Date.now(), lifeMs);
}

/** A node manager in a separate process with its own folder. */
export class NodeProcess {
  readonly name: string;
  readonly folder: string;
  readonly dataDir: string;
  #env: Readonly<Record<string, string>>;
  #child: ChildProcess | undefined;
  #user: { readonly uid?: number; readonly gid?: number } = {};
  /** Of the services that it runs; without one, those that are configured. */
  nodeClass: string | undefined;
  #command: { readonly execPath?: string; readonly execArgv?: string[] } = {};

  constructor(name: string, env: Readonly<Record<string, string>> = {}) {
    this.name = name;
    this.folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'troupe-node-')));
    this.dataDir = path.join(this.folder, 'data');
    mkdirSync(this.dataDir);
    this.#env = env;
  }

  /** Creates a node of this service, with a token. */
  static async of(
    service: Service,
    name: string,
    env: Readonly<Record<string, string>> = {},
  ): Promise<NodeProcess> {
    const node = new NodeProcess(name, {
      TROUPE_URL: service.url,
      TROUPE_TOKEN: await tokenFor(service, name),
      ...env,
    });
    node.start();
    await node.waitUntilConnected();
    return node;
  }

  /** From its next start, it runs as another user, who cannot read the files of the service. Needs root. */
  disown(): void {
    for (const folder of [this.folder, this.dataDir]) chownSync(folder, NOBODY.uid, NOBODY.gid);
    this.#user = NOBODY;
  }

  /** From its next start, it runs in a network namespace. */
  moveTo(namespace: string): void {
    this.#command = {
      execPath: 'ip',
      execArgv: ['netns', 'exec', namespace, process.execPath, ...SHORT_LIFE],
    };
  }

  get pid(): number {
    return this.#child?.pid ?? -1;
  }

  start(env: Readonly<Record<string, string>> = {}): void {
    this.#env = { ...this.#env, ...env };
    const { env: settings, tuning } = splitNames({
      ...inheritSettings(),
      ...{ NODE_NAME: this.name, DATA_DIR: this.dataDir, RESTART_DELAY_MS: '50', ...this.#env },
    });
    this.#child = fork(
      fileURLToPath(new URL('./node-main.js', import.meta.url)),
      [path.join(this.folder, 'log'), JSON.stringify(tuning), this.nodeClass ?? ''],
      {
        env: { ...settings },
        execArgv: [...SHORT_LIFE],
        stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
        ...this.#user,
        ...this.#command,
      },
    );
  }

  /** Waits until it has connected this number of times. */
  async waitUntilConnected(times = 1): Promise<void> {
    await until(
      `${this.name} is connected`,
      () => this.log('the node is connected to its server'),
      (lines) => lines.length >= times,
      { withinMs: WITHIN_MS },
    );
  }

  log(message?: string): readonly LogLine[] {
    try {
      const lines = readFileSync(path.join(this.folder, 'log'), 'utf8').split('\n').slice(0, -1);
      const all = lines.map((line) => JSON.parse(line) as LogLine);
      return message === undefined ? all : all.filter((line) => line.message === message);
    } catch {
      return [];
    }
  }

  /** The error and exit code of a refused node. */
  async waitForRefusal(): Promise<readonly [number | NodeJS.Signals, string]> {
    const code = await this.waitForExit();
    const told = this.log().findLast(({ message }) => message.startsWith('refused: '));
    return [code, told?.message.slice('refused: '.length) ?? ''];
  }

  signal(signal: NodeJS.Signals): void {
    this.#runningProcess().kill(signal);
  }

  waitForExit(): Promise<number | NodeJS.Signals> {
    return within(WITHIN_MS, `the node ${this.name} has ended`, endOf(this.#runningProcess()));
  }

  stop(): Promise<number | NodeJS.Signals> {
    this.signal('SIGTERM');
    return this.waitForExit();
  }

  kill9(): Promise<number | NodeJS.Signals> {
    this.signal('SIGKILL');
    return this.waitForExit();
  }

  async close(): Promise<void> {
    if (this.#child !== undefined && isAlive(this.#child)) await this.kill9();
    await rm(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }

  #runningProcess(): ChildProcess {
    if (this.#child === undefined) throw new Error('The node was not started.');
    return this.#child;
  }
}
