/** Python components, run by python3 of the system. */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import path from 'node:path';
import { packageRoot } from '../../config/info.ts';
import { endOf, isAlive } from '../support/processes/processes.ts';
import type { Service } from '../support/processes/service.ts';
import { until, within } from '../support/until.ts';

/** Prefers Debian's own Python, which has only the standard library. */
export const PYTHON = [process.env['TEST_PYTHON'] ?? '', '/usr/bin/python3', 'python3'].find(
  (name) =>
    name !== '' && spawnSync(name, ['-c', 'import sys; sys.exit(sys.version_info < (3, 9))']).status === 0,
);

export const sdkFolder = path.join(packageRoot, 'sdk', 'python');
export const exampleFolder = path.join(sdkFolder, 'examples', 'silence');
export const probeFile = path.join(packageRoot, 'test', 'python', 'components', 'probe', 'detector.py');
export const referenceFolder = path.join(packageRoot, 'test', 'python', 'components', 'reference');
export const REFERENCE_RUNNER = path.join(packageRoot, 'sdk', 'python-reference', 'troupe_reference');
export const REFERENCE_PIPELINE = 'BRIGHTNESS DETECTION PIPELINE';
const RUNNER = path.join(sdkFolder, 'troupe_sdk');

/** Skips the test if there is no Python. */
export function needsPython(context: Mocha.Context): string {
  if (PYTHON === undefined) context.skip();
  return PYTHON;
}

/** A component without a node manager, started in its own folder. It logs to standard error. */
export class PythonComponent {
  readonly #child: ChildProcess;
  #said = '';

  constructor(file: string, environment: Readonly<Record<string, string>>, runner = RUNNER) {
    this.#child = spawn(PYTHON ?? 'python3', ['-B', runner, path.basename(file)], {
      cwd: path.dirname(file),
      env: { PATH: process.env['PATH'] ?? '', ...environment },
      stdio: ['ignore', 'inherit', 'pipe'],
    });
    this.#child.stderr?.on('data', (text: Buffer) => (this.#said += text.toString()));
  }

  /** With the token of an ADMIN. */
  static of(service: Service, file: string, environment: Readonly<Record<string, string>> = {}) {
    return new PythonComponent(file, {
      TROUPE_URL: service.url,
      TROUPE_TOKEN: service.token,
      ...environment,
    });
  }

  get said(): string {
    return this.#said;
  }

  get pid(): number {
    return this.#child.pid ?? -1;
  }

  /** Waits until the output contains this text. */
  says(text: string): Promise<string> {
    return until(
      `the component says "${text}"`,
      () => {
        if (!isAlive(this.#child) && !this.#said.includes(text))
          throw new Error(`The component has ended: ${this.#said}`);
        return this.#said;
      },
      (said) => said.includes(text),
    );
  }

  /** The exit code, or the signal that ended it. */
  waitForExit(): Promise<number | NodeJS.Signals> {
    return within(20_000, 'the component has ended', endOf(this.#child));
  }

  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | NodeJS.Signals> {
    this.#child.kill(signal);
    return this.waitForExit();
  }

  async close(): Promise<void> {
    if (isAlive(this.#child)) await this.stop('SIGKILL');
  }
}
