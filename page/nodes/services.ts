import type { z } from 'zod';
import type { deployedNodeManagerModel, nodeConfiguration } from '../../http/schemas/nodes.ts';

export type DeployedService = z.output<typeof deployedNodeManagerModel>['nodeModels'][number];
type Configuration = z.input<typeof nodeConfiguration>;

/** Returns the processes of every host by service, sorted by name. Services configured with no process are included. */
export function servicesByHost(
  deployed: readonly DeployedService[],
  hosts: readonly string[],
  configuration: Configuration,
): ReadonlyMap<string, ReadonlyMap<string, readonly DeployedService[]>> {
  const all = new Map<string, Map<string, DeployedService[]>>(hosts.map((host) => [host, new Map()]));
  for (const { host, services } of configuration)
    all.set(host, new Map(services.map(({ serviceName }) => [serviceName, []])));
  for (const one of deployed.toSorted((a, b) => a.rank - b.rank)) {
    const [host = '', service = ''] = one.name.split(':');
    const services = all.get(host) ?? new Map<string, DeployedService[]>();
    all.set(host, services.set(service, [...(services.get(service) ?? []), one]));
  }
  return new Map(
    [...all].map(([host, services]) => [
      host,
      new Map([...services].toSorted(([a], [b]) => (a < b ? -1 : 1))),
    ]),
  );
}

/** Returns the configuration with the given number of additional processes of a service. The result is never below 0. */
export const withMore = (
  configuration: Configuration,
  host: string,
  service: string,
  more: number,
): Configuration =>
  configuration.map((node) =>
    node.host !== host
      ? node
      : {
          ...node,
          services: node.services.map((one) =>
            one.serviceName === service
              ? { ...one, serviceCount: Math.max(0, one.serviceCount + more) }
              : one,
          ),
        },
  );
