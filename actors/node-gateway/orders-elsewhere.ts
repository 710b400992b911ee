import { randomUUID } from 'node:crypto';
import type { Cluster, Order } from '../cluster.ts';
import type { Clock } from '../runtime/clock.ts';
import { ORDER_MS } from './orders.ts';

export type ServiceVerb = 'startService' | 'stopService';

export interface OrdersElsewhereDeps {
  readonly cluster: Pick<Cluster, 'order' | 'onOrder'>;
  readonly clock: Clock;
  /** Does it when the node of the service is this server's own, or is connected to it: true once it is done. */
  carryOut(type: ServiceVerb, service: string): Promise<boolean>;
}

/** What administrators want of services whose node another server has, and what other servers are asked for such. */
export class OrdersElsewhere {
  readonly #deps: OrdersElsewhereDeps;
  /** Who waits to hear that an order was carried out. */
  readonly #asked = new Map<string, () => void>();

  constructor(deps: OrdersElsewhereDeps) {
    this.#deps = deps;
    deps.cluster.onOrder((order) => this.#hear(order));
  }

  /** TOLD: the other servers were told, and none has said yet that it was carried out. */
  give(type: ServiceVerb, service: string): Promise<'DONE' | 'TOLD'> {
    const { cluster, clock } = this.#deps;
    const id = randomUUID();
    return new Promise((resolve) => {
      const answer = (outcome: 'DONE' | 'TOLD') => {
        cancel();
        this.#asked.delete(id);
        resolve(outcome);
      };
      const cancel = clock.after(ORDER_MS, () => answer('TOLD'));
      this.#asked.set(id, () => answer('DONE'));
      cluster.order({ type, service, id });
    });
  }

  #hear(order: Order): void {
    const { cluster, carryOut } = this.#deps;
    if (order.type === 'obeyed') this.#asked.get(order.id)?.();
    if (order.type !== 'startService' && order.type !== 'stopService') return;
    // Nobody hears of what cannot be carried out: whoever gave the order has looked before, and looks again.
    void carryOut(order.type, order.service).then(
      (isDone) => {
        if (isDone) cluster.order({ type: 'obeyed', id: order.id });
      },
      () => undefined,
    );
  }
}
