/** Services of a test: small Node scripts that do one thing, and what they tell about themselves. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { NodeManagerModel, ServiceModel } from '../../actors/node-configuration/model.ts';
import type { DeployedServiceModel } from '../../actors/node-manager/node-state.ts';
import type { Service } from '../support/service.ts';
import { until } from '../support/until.ts';

export const HOST = 'test-host';

/** `run` stays; `stubborn` also when it gets SIGTERM; `crash` ends at once. All end when the server is gone. */
export type Kind = 'run' | 'stubborn' | 'crash';
const SCRIPT = `
import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
const [kind, file] = process.argv.slice(2);
if (kind === 'stubborn') process.on('SIGTERM', () => undefined);
createInterface({ input: process.stdin }).once('line', (line) => {
  const { pid, env, argv } = process;
  appendFileSync(file, JSON.stringify({ pid, env, args: argv.slice(4), cwd: process.cwd(), bootstrap: JSON.parse(line) }) + '\\n');
  if (kind === 'crash') process.exit(7);
});
process.stdin.on('end', () => process.exit(0));
`;

/** What a process of a service said when it started. */
export interface Started {
  readonly pid: number;
  readonly cwd: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly bootstrap: Readonly<Record<string, unknown>>;
}

/** The node endpoints of one service, and the scripts that its node manager runs. */
export class Nodes {
  readonly #service: Service;
  readonly #script: string;

  constructor(service: Service) {
    this.#service = service;
    this.#script = join(service.mediaDir, 'service.mjs');
    // A process that starts while it is written anew would read nothing, end, and be started again.
    if (!existsSync(this.#script)) writeFileSync(this.#script, SCRIPT);
  }

  /** A service that runs the script above. */
  model(serviceName: string, kind: Kind = 'run', more: Partial<ServiceModel> = {}): ServiceModel {
    return {
      serviceName,
      serviceDescription: 'Of a test.',
      serviceLauncher: 'simple',
      cmd: '${TROUPE_NODE}',
      args: [this.#script, kind, this.#file(serviceName)],
      serviceCount: 1,
      workingDirectory: this.#service.mediaDir,
      environmentVariables: [],
      ...more,
    };
  }

  /** Processes of a service, the first one first. */
  started(serviceName: string): readonly Started[] {
    try {
      const lines = readFileSync(this.#file(serviceName), 'utf8').split('\n').slice(0, -1);
      return lines.map((line) => JSON.parse(line) as Started);
    } catch {
      return [];
    }
  }

  startedTimes(serviceName: string, times: number): Promise<readonly Started[]> {
    return until(
      `${serviceName} has been started ${times} times`,
      () => this.started(serviceName),
      (all) => all.length >= times,
    );
  }

  async config(): Promise<readonly NodeManagerModel[]> {
    return (await this.#service.ask('GET', '/rest/nodes/config')).body as readonly NodeManagerModel[];
  }

  save(nodes: readonly unknown[]) {
    return this.#service.ask('POST', '/rest/nodes/config', nodes);
  }

  /** This host with these services; must be accepted. */
  async configure(...services: readonly ServiceModel[]): Promise<void> {
    const { status, text } = await this.save([{ host: HOST, services }]);
    if (status !== 201) throw new Error(`The configuration was not accepted: ${status} ${text}`);
  }

  async info(): Promise<readonly DeployedServiceModel[]> {
    const { body } = await this.#service.ask('GET', '/rest/nodes/info');
    return (body as { nodeModels: readonly DeployedServiceModel[] }).nodeModels;
  }

  async state(name: string, host = HOST): Promise<DeployedServiceModel | undefined> {
    return (await this.info()).find((service) => service.name === `${host}:${name}`);
  }

  /** Waits until the service `<service>:<n>` is in this state. */
  async becomes(name: string, lastKnownState: DeployedServiceModel['lastKnownState']) {
    const holds = (seen?: DeployedServiceModel) => seen?.lastKnownState === lastKnownState;
    return (await until(`${name} is ${lastKnownState}`, () => this.state(name), holds))!;
  }

  async change(verb: 'start' | 'stop', name: string): Promise<unknown> {
    const path = `/rest/nodes/services/${encodeURIComponent(`${HOST}:${name}`)}/${verb}`;
    return (await this.#service.ask('POST', path)).body;
  }

  #file(serviceName: string): string {
    return join(this.#service.mediaDir, `${serviceName}.jsonl`);
  }
}
