import type { NodeGateway } from './gateway.ts';
import type { ServiceLines } from './orders.ts';
import type { RemoteOrders, ServiceVerb } from './remote-orders.ts';
import type { OwnNode } from './own-node.ts';

/**
 * AWAY: its node does not answer. UNCONFIRMED: the node was given the order and has not confirmed it yet. STOPPING: this server shuts down.
 */
export type OrderOutcome = 'DONE' | 'NO_SUCH_SERVICE' | 'AWAY' | 'UNCONFIRMED' | 'STOPPING';

export interface ServiceOrdersDeps {
  readonly own: OwnNode;
  readonly gateway: NodeGateway;
  /** Undefined if there are no other servers. */
  readonly remoteOrders: RemoteOrders | undefined;
  /** True if the node configuration names this host. */
  isConfigured(node: string): Promise<boolean>;
}

/** The part of the system that can reach the node of a service. */
interface Holder {
  give(type: ServiceVerb, service: string): Promise<OrderOutcome>;
  linesOf(service: string): Promise<ServiceLines>;
}

/** Orders of administrators for a service, on this server's own node, on another host, or on another server's node. */
export class ServiceOrders implements Holder {
  readonly #deps: ServiceOrdersDeps;

  constructor(deps: ServiceOrdersDeps) {
    this.#deps = deps;
  }

  async give(type: ServiceVerb, service: string): Promise<OrderOutcome> {
    const node = nodeOfService(service);
    const holder = await this.#holderOf(node);
    if (holder !== undefined) return holder.give(type, service);
    return (await this.#isKnown(node)) ? 'AWAY' : 'NO_SUCH_SERVICE';
  }

  /** True if the configuration names the node, or the node was connected before. */
  async #isKnown(node: string): Promise<boolean> {
    const { own, isConfigured } = this.#deps;
    return (await isConfigured(node)) || (await own.states.findNode(node)) !== undefined;
  }

  /** Returns the last lines of a service. */
  async linesOf(service: string): Promise<ServiceLines> {
    const holder = await this.#holderOf(nodeOfService(service));
    return holder === undefined ? 'NO_SUCH_SERVICE' : holder.linesOf(service);
  }

  async #holderOf(node: string): Promise<Holder | undefined> {
    const { own, gateway, remoteOrders } = this.#deps;
    if (node === own.manager.host) return ownHolder(own);
    if (gateway.connectedNodes().has(node)) return connectedHolder(gateway, node);
    const seen = remoteOrders === undefined ? undefined : await own.states.findNode(node);
    if (remoteOrders === undefined || seen?.silent !== false) return undefined;
    const isThere = (service: string) => seen.services.some(({ name }) => name === service);
    return {
      give: async (type, service) =>
        isThere(service) ? remoteOrders.give(type, service) : 'NO_SUCH_SERVICE',
      linesOf: (service) => remoteOrders.linesOf(service),
    };
  }
}

/** `<host>:<service>:<n>` */
export const nodeOfService = (service: string): string => service.split(':', 1)[0] ?? '';

const ownHolder = ({ manager: { host, family, deployed, logs } }: OwnNode): Holder => ({
  async give(type, service) {
    const reply = await family.ask(host, { type, service });
    if (reply.kind === 'done') return 'DONE';
    return reply.reason === 'WRONG_STATE' ? 'STOPPING' : 'NO_SUCH_SERVICE';
  },
  linesOf: (service) =>
    Promise.resolve(deployed.get(service) === undefined ? 'NO_SUCH_SERVICE' : { lines: logs.of(service) }),
});

const connectedHolder = ({ orders }: NodeGateway, node: string): Holder => ({
  give: (type, service) => orders.give(node, type, service),
  linesOf: (service) => orders.linesOf(node, service),
});
