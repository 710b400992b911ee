import { fullName, type NodeManagerModel } from '../node-configuration/model.ts';
import { shownServices, type DeployedServices } from '../node-manager/deployed-services.ts';
import type { DeployedServiceModel, SeenNode } from '../node-manager/node-state.ts';

/** The services of all nodes. On this host, their actual state; on others, the reported state; otherwise the configured one. */
export function deployedServices(
  nodes: readonly NodeManagerModel[],
  thisHost: string,
  deployed: Pick<DeployedServices, 'all'>,
  seen: ReadonlyMap<string, SeenNode>,
): readonly DeployedServiceModel[] {
  const elsewhere = nodes
    .filter(({ host }) => host !== thisHost)
    .flatMap((node) => servicesOf(node, seen.get(node.host)));
  return [...shownServices(deployed), ...elsewhere];
}

/** Adds the own nodes of other servers, which have the same configuration as this server. */
export function ofAllServers(
  nodes: readonly NodeManagerModel[],
  servers: readonly string[],
): readonly NodeManagerModel[] {
  const others = servers.flatMap((host) => nodes.map(({ services }) => ({ host, services })));
  return [...nodes, ...others].toSorted((a, b) => (a.host < b.host ? -1 : 1));
}

/** Adds connected hosts that the configuration does not name. */
export function withOthers(
  nodes: readonly NodeManagerModel[],
  heard: readonly string[],
): readonly NodeManagerModel[] {
  const named = new Set(nodes.map(({ host }) => host));
  const others = [...new Set(heard)].filter((host) => !named.has(host));
  return [...nodes, ...others.map((host) => ({ host, services: [] }))];
}

/** The reported services of a node, and the configured ones that it has not reported yet. The services of a silent node are unknown. */
function servicesOf(node: NodeManagerModel, seen: SeenNode | undefined): readonly DeployedServiceModel[] {
  const told = seen?.services ?? [];
  const names = new Set(told.map(({ name }) => name));
  const all = [...told, ...configuredServices(node).filter(({ name }) => !names.has(name))];
  return seen?.silent === true ? all.map((one) => ({ ...one, lastKnownState: 'Unknown' as const })) : all;
}

const configuredServices = ({ host, services }: NodeManagerModel): readonly DeployedServiceModel[] =>
  services.flatMap(({ serviceName, serviceLauncher, serviceCount }) =>
    Array.from({ length: serviceCount }, (_, index) => ({
      name: fullName(host, serviceName, index + 1),
      kind: serviceLauncher,
      rank: index + 1,
      serviceCount,
      lastKnownState: 'Configured' as const,
      restartCount: 0,
      unlaunchable: false,
    })),
  );
