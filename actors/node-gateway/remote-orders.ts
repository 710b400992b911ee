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
  /** Carries out the order if the service is on this server's own node. Resolves to true if it was carried out. */
  carryOut(type: ServiceVerb, service: string): Promise<boolean>;
  /** Returns the last lines of a service, or undefined for another node's service. Null: this server's own node has no such service. */
  linesOf(service: string): Lines | undefined;
}

/** Orders of administrators for services on the own nodes of other servers, and such orders that arrive from other servers. */
export class RemoteOrders {
  readonly #deps: RemoteOrdersDeps;
  /** Callers that wait until an order is carried out. */
  readonly #asked = new Map<string, () => void>();
  /** Callers that wait for the lines of a service. */
  readonly #reading = new Map<string, (lines: Lines) => void>();

  constructor(deps: RemoteOrdersDeps) {
    this.#deps = deps;
    deps.cluster.onOrder((order) => this.#hear(order));
  }

  /** Gives an order to the other servers. UNCONFIRMED: no server has confirmed the order yet. */
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

  /** Returns the last lines of a service, which only the server with its node has. */
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

  /** Confirms an order only if it was carried out. The sender has checked the service before, and checks it again. */
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
