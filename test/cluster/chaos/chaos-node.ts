/** A node on another host, and which components it runs for the jobs of a run. */
import type { NodeManagerModel, ServiceModel } from '../../../actors/node-configuration/model.ts';
import type { Service } from '../../support/processes/service.ts';

export const FAR = 'far';
const ITS_SERVICES = ['TestLight', 'TestTrouble'];
const ON_DEMAND = [{ name: 'TROUPE_START', value: 'ON_DEMAND' }];

/** Each server runs all components, and the node some of them. */
export async function configureNode(service: Service, servers: readonly string[]): Promise<void> {
  const [here] = (await service.ask('GET', '/rest/nodes/config')).body as readonly NodeManagerModel[];
  const offered = (await service.ask('GET', '/rest/nodes/services')).body as Record<string, ServiceModel>;
  const far = ITS_SERVICES.map((name) => ({
    ...offered[name]!,
    serviceCount: 1,
    environmentVariables: ON_DEMAND,
  }));
  const near = servers.map((host) => ({ host, services: here!.services }));
  const { status, text } = await service.ask('POST', '/rest/nodes/config', [
    ...near,
    { host: FAR, services: far },
  ]);
  if (status !== 201) throw new Error(`The node was not configured: ${status} ${text}`);
}
