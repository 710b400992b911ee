import { fullName, type NodeManagerModel, type ServiceModel } from '../node-configuration/model.ts';
import type { Deployed } from '../node-manager/deployed.ts';
import type { ServiceStatus } from '../service/state.ts';

/** Specification 2.4, DeployedServiceModel. */
export interface DeployedServiceModel {
  /** `<host>:<service>:<n>` */
  readonly name: string;
  readonly kind: ServiceModel['serviceLauncher'];
  readonly rank: number;
  readonly serviceCount: number;
  readonly lastKnownState: ServiceStatus;
  readonly restartCount: number;
  readonly unlaunchable: boolean;
}

/** The services of all nodes: of this host as they are, of others as they are configured. */
export function deployedServices(
  nodes: readonly NodeManagerModel[],
  thisHost: string,
  deployed: Deployed,
): readonly DeployedServiceModel[] {
  const here = deployed.all
    .filter(({ own }) => !own)
    .map(({ id, model, rank, state }) => ({
      ...shown(id, model, rank),
      lastKnownState: state.status,
      restartCount: state.restartCount,
      unlaunchable: state.unlaunchable,
    }));
  const elsewhere = nodes
    .filter(({ host }) => host !== thisHost)
    .flatMap(({ host, services }) =>
      services.flatMap((model) =>
        Array.from({ length: model.serviceCount }, (_, index) => ({
          ...shown(fullName(host, model.serviceName, index + 1), model, index + 1),
          lastKnownState: 'Configured' as const,
          restartCount: 0,
          unlaunchable: false,
        })),
      ),
    );
  return [...here, ...elsewhere];
}

function shown(name: string, { serviceLauncher, serviceCount }: ServiceModel, rank: number) {
  return { name, kind: serviceLauncher, rank, serviceCount };
}
