import { randomUUID } from 'node:crypto';
import type { Cluster, LinesOrder, Order, ServiceOrder } from '../cluster/cluster.ts';
import type { Clock } from '../basics/clock.ts';
import { MOST_LINES_TEXT, newest, type ServiceLine } from '../service/service-logs.ts';
import { ORDER_MS, type ServiceLines } from './orders.ts';

export type ServiceVerb = 'startService' | 'stopService';

type Lines = readonly ServiceLine[] | null;

export interface RemoteOrdersDeps {
  readonly cluster: Pick<Cluster, 'order' | 'onOrder'>;
  readonly clock: Clock;
  /** Does it when the service is on this server's own node: true once it is done. */
  carryOut(type: ServiceVerb, service: string): Promise<boolean>;
  /** Its last lines, when the service is on this server's own node; null: it has no such service. */
  linesOf(service: string): Lines | undefined;
}

/** Orders of administrators for services on the own nodes of other servers, and such orders that arrive from other servers. */
export class RemoteOrders {
  readonly #deps: RemoteOrdersDeps;
  /** Who waits to hear that an order was carried out. */
  readonly #asked = new Map<string, () => void>();
  /** Who waits for the lines of a service. */
  readonly #reading = new Map<string, (lines: Lines) => void>();

  constructor(deps: RemoteOrdersDeps) {
    this.#deps = deps;
    deps.cluster.onOrder((order) => this.#hear(order));
  }

  /** UNCONFIRMED: the other servers were told, and none has said yet that it was carried out. */
  give(type: ServiceVerb, service: string): Promise<'DONE' | 'UNCONFIRMED'> {
    const { cluster, clock } = this.#deps;
    const id = randomUUID();
    return new Promise((resolve) => {
      const answer = (outcome: 'DONE' | 'UNCONFIRMED') => {
        cancel();
        this.#asked.delete(id);
        resolve(outcome);
      };
      const cancel = clock.after(ORDER_MS, () => answer('UNCONFIRMED'));
      this.#asked.set(id, () => answer('DONE'));
      cluster.order({ type, service, id });
    });
  }

  /** The last lines of a service, which the server alone knows whose node it is on. */
  linesOf(service: string): Promise<ServiceLines> {
    const { cluster, clock } = this.#deps;
    const request = randomUUID();
    return new Promise((resolve) => {
      const answer = (lines: ServiceLines) => {
        cancel();
        this.#reading.delete(request);
        resolve(lines);
      };
      const cancel = clock.after(ORDER_MS, () => answer('AWAY'));
      this.#reading.set(request, (lines) => answer(lines === null ? 'NO_SUCH_SERVICE' : { lines }));
      cluster.order({ type: 'tellLines', service, request });
    });
  }

  #hear(order: Order): void {
    if (order.type === 'obeyed') this.#asked.get(order.id)?.();
    else if (order.type === 'lines') this.#reading.get(order.request)?.(order.lines);
    else if (order.type === 'tellLines') this.#tellLines(order);
    else if (order.type === 'startService' || order.type === 'stopService') this.#carryOut(order);
  }

  #tellLines({ service, request }: LinesOrder): void {
    const lines = this.#deps.linesOf(service);
    if (lines === undefined) return;
    const told = lines && newest(lines, MOST_LINES_TEXT);
    this.#deps.cluster.order({ type: 'lines', request, lines: told });
  }

  /** Nobody hears of what cannot be carried out: whoever gave the order has looked before, and looks again. */
  #carryOut({ type, service, id }: ServiceOrder): void {
    const { cluster, carryOut } = this.#deps;
    void carryOut(type, service).then(
      (isDone) => {
        if (isDone) cluster.order({ type: 'obeyed', id });
      },
      () => undefined,
    );
  }
}
