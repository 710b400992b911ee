/**
 * Services for tests: small scripts with one behaviour each, which report their process ids and environment.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { NodeManagerModel, ServiceModel } from '../../../actors/node-configuration/model.ts';
import type { DeployedServiceModel } from '../../../actors/node-manager/node-state.ts';
import type { Service } from '../../support/processes/service.ts';
import { until } from '../../support/until.ts';

export const HOST = 'test-host';

/**
 * `run` keeps running; `stubborn` ignores SIGTERM; `crash` ends at once. All of them end when the server has
 * ended.
 */
export type Kind = 'run' | 'stubborn' | 'crash';
const SCRIPT = String.raw`
kind=$1 file=$2
shift 2
[ "$kind" != stubborn ] || trap '' TERM
read -r bootstrap
env -0 > "$file.$$.env"
printf '%s\0' "$PWD" "$bootstrap" "$@" > "$file.$$.told"
echo $$ >> "$file"
[ "$kind" != crash ] || exit 7
while read -r _; do :; done
`;

/** The report of a service process at its start. */
export interface Started {
  readonly pid: number;
  readonly cwd: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly bootstrap: Readonly<Record<string, unknown>>;
}

/** The node endpoints of a server, and the scripts that its node manager runs. */
export class Nodes {
  readonly #service: Service;
  readonly #script: string;

  constructor(service: Service) {
    this.#service = service;
    this.#script = join(service.mediaDir, 'service.sh');
    // Do not rewrite an existing script: a process that starts meanwhile would read an empty file, end, and
    // be restarted.
    if (!existsSync(this.#script)) writeFileSync(this.#script, SCRIPT);
  }

  /** A service that runs the script above. The first of other arguments is a Node script. */
  model(serviceName: string, kind: Kind = 'run', more: Partial<ServiceModel> = {}): ServiceModel {
    return {
      serviceName,
      serviceDescription: 'Of a test.',
      serviceLauncher: 'simple',
      cmd: more.args === undefined ? 'sh' : '${TROUPE_NODE}',
      args: [this.#script, kind, this.#file(serviceName)],
      serviceCount: 1,
      workingDirectory: this.#service.mediaDir,
      environmentVariables: [],
      ...more,
    };
  }

  /** Processes of a service, oldest first. */
  findProcesses(serviceName: string): readonly Started[] {
    try {
      const pids = readFileSync(this.#file(serviceName), 'utf8').split('\n').slice(0, -1);
      return pids.map((pid) => this.#parseStart(serviceName, pid));
    } catch {
      return [];
    }
  }

  startedTimes(serviceName: string, times: number): Promise<readonly Started[]> {
    return until(
      `${serviceName} has been started ${times} times`,
      () => this.findProcesses(serviceName),
      (all) => all.length >= times,
    );
  }

  async config(): Promise<readonly NodeManagerModel[]> {
    return (await this.#service.ask('GET', '/rest/nodes/config')).body as readonly NodeManagerModel[];
  }

  save(nodes: readonly unknown[]) {
    return this.#service.ask('POST', '/rest/nodes/config', nodes);
  }

  /** Posts a configuration of this host with these services, which must be accepted. */
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

  #parseStart(serviceName: string, pid: string): Started {
    const wordsOf = (end: string) =>
      readFileSync(`${this.#file(serviceName)}.${pid}.${end}`, 'utf8')
        .split('\0')
        .slice(0, -1);
    const [cwd = '', bootstrap = '', ...args] = wordsOf('told');
    const env = wordsOf('env').map((line) => [
      line.slice(0, line.indexOf('=')),
      line.slice(line.indexOf('=') + 1),
    ]);
    return {
      ...{ pid: Number(pid), cwd, args },
      env: Object.fromEntries(env) as Started['env'],
      bootstrap: JSON.parse(bootstrap) as Started['bootstrap'],
    };
  }

  #file(serviceName: string): string {
    return join(this.#service.mediaDir, `${serviceName}.started`);
  }
}
