import type { Family } from '../runtime/system.ts';
import type { ConfigurationCommand, ConfigurationReply } from '../node-configuration/model.ts';
import type { NodeGateway } from './gateway.ts';
import type { OwnNode } from './own-node.ts';
import type { ServiceOrders } from './service-orders.ts';

/** All nodes that the server can reach: its own and those on other hosts. */
export interface Nodes {
  readonly own: OwnNode;
  readonly gateway: NodeGateway;
  /** Orders for single services on any node. */
  readonly orders: ServiceOrders;
  readonly configuration: Family<ConfigurationCommand, ConfigurationReply>;
  /** The services of the nodes of each class. */
  readonly classes: Family<ConfigurationCommand, ConfigurationReply>;
  /** Reads the configuration of the nodes. Settles when the server's own node has it. */
  configure(): Promise<void>;
  /** Handles the number of waiting and leased items in each of these queues. */
  onOffer: NodeGateway['onOffer'];
  /** Ends a process that hangs, through the node that started it. */
  kill(worker: string, reason: string): void;
  /**
   * Informs the node that this process, which was started for a stream, has nothing to do. A process that no node has started is ignored.
   */
  rest(worker: string): void;
  /** True if only processes of this host that have this variable of the server do work of this queue. */
  isOnlyHere(queue: string, variable: string): boolean;
  /** Returns the reason why work of this queue waits, if services are the reason. */
  waitingReason(queue: string): string | undefined;
}
