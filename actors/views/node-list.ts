import type { NodeManagerModel } from '../node-configuration/model.ts';
import type { Nodes } from '../node-gateway/nodes.ts';
import { deployedServices, withOthers } from './nodes.ts';
import type { SeenNode } from '../node-manager/node-state.ts';

/** State of a host and of its services. */
export interface NodeInfo {
  readonly host: string;
  /** True for the server's own host. */
  readonly own: boolean;
  readonly connected: boolean;
  /** True if the configuration names the host. */
  readonly configured: boolean;
  /** Version of the product on the host. Null if it never connected. */
  readonly version: string | null;
  /** Time of the last message of the host. Null if there was none, or if it disconnected in order. */
  readonly lastHeard: string | null;
  readonly services: number;
  readonly running: number;
  /** Class with which the node was started. Absent if it has none. */
  readonly nodeClass?: string;
}

/** All hosts that the configuration names or that are connected, the server's own first. */
export async function nodeList(
  configuration: readonly NodeManagerModel[],
  { own, gateway }: Pick<Nodes, 'own' | 'gateway'>,
  server: { readonly version: string; readonly now: number },
): Promise<readonly NodeInfo[]> {
  const { host: thisHost, deployed } = own.manager;
  const heard = [...gateway.connectedNodes().keys(), ...(await own.states.heardNodes())];
  const configured = configuration.map(({ host }) => host);
  const names = [thisHost, ...configured, ...heard];
  const seen = new Map<string, SeenNode>();
  for (const host of new Set(names)) {
    const one = host === thisHost ? undefined : await own.states.findNode(host);
    if (one !== undefined) seen.set(host, one);
  }
  const services = deployedServices(withOthers(configuration, heard), thisHost, deployed, seen);
  // A node that configured itself is not missed after it disconnects.
  const hasGone = (host: string) =>
    !configured.includes(host) &&
    seen.get(host)?.silent === true &&
    seen.get(host)?.about?.nodeClass !== undefined;
  return [...new Set(names)]
    .filter((host) => !hasGone(host))
    .map((host) => {
      const isOwn = host === thisHost;
      const there = seen.get(host);
      const all = services.filter(({ name }) => name.startsWith(`${host}:`));
      const heardAt = isOwn ? server.now : (there?.seenAt ?? 0);
      return {
        host,
        own: isOwn,
        connected: isOwn || there?.silent === false,
        configured: configured.includes(host),
        version: isOwn ? server.version : (there?.version ?? null),
        lastHeard: heardAt === 0 ? null : new Date(heardAt).toISOString(),
        services: all.length,
        running: all.filter(({ lastKnownState }) => lastKnownState === 'Running').length,
        ...(there?.about?.nodeClass === undefined ? {} : { nodeClass: there.about.nodeClass }),
      };
    });
}
