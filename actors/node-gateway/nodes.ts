import type { Family } from '../runtime/system.ts';
import type { ConfigurationCommand, ConfigurationReply } from '../node-configuration/model.ts';
import type { NodeGateway } from './gateway.ts';
import type { OwnNode } from './own-node.ts';
import type { ServiceOrders } from './service-orders.ts';

/** All nodes, as the server reaches them: its own and those on other hosts. */
export interface Nodes {
  readonly own: OwnNode;
  readonly gateway: NodeGateway;
  /** For single services, wherever they run. */
  readonly orders: ServiceOrders;
  readonly configuration: Family<ConfigurationCommand, ConfigurationReply>;
  /** What nodes of each class run. */
  readonly classes: Family<ConfigurationCommand, ConfigurationReply>;
  /** Reads what they are to run; settles when the server's own knows. */
  configure(): Promise<void>;
  /** So much work waits in each of these queues while so much is held. */
  onOffer: NodeGateway['onOffer'];
  /** This process hangs: whoever started it ends it. */
  kill(worker: string, reason: string): void;
  /** There is nothing to do for this process, which was started for a stream; one that no node has started is let be. */
  rest(worker: string): void;
  /** Whether nobody but processes of this host that have this variable of the server does work of this queue. */
  isOnlyHere(queue: string, variable: string): boolean;
  /** Why work of this queue waits, as far as services are the reason. */
  waitingReason(queue: string): string | undefined;
}
