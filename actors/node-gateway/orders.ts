import { randomUUID } from 'node:crypto';
import type { ServiceLine } from '../service/service-logs.ts';
import type { Clock } from '../basics/clock.ts';
import type { NodeNews } from './messages.ts';
import type { RemoteNode } from './remote-node.ts';

/** Milliseconds after which a caller gets an answer even if the node has not confirmed the order. */
export const ORDER_MS = 5_000;

type Lines = readonly ServiceLine[];
/** AWAY: the node is not connected, or does not answer. */
export type ServiceLines = { readonly lines: Lines } | 'NO_SUCH_SERVICE' | 'AWAY';

/** Orders of administrators for services on other hosts. */
export class NodeOrders {
  readonly #clock: Clock;
  readonly #get: (node: string) => RemoteNode | undefined;
  /** Callers that wait for the lines of a service, by the request that the node was sent. */
  readonly #asked = new Map<string, (lines: Lines | null) => void>();

  constructor(clock: Clock, get: (node: string) => RemoteNode | undefined) {
    this.#clock = clock;
    this.#get = get;
  }

  /**
   * Gives an order. AWAY: the node is not connected, or does not answer. UNCONFIRMED: the node was given the order, and has not confirmed
   * it yet.
   */
  give(
    node: string,
    type: 'startService' | 'stopService',
    service: string,
  ): Promise<'DONE' | 'NO_SUCH_SERVICE' | 'AWAY' | 'UNCONFIRMED'> {
    const remote = this.#for(node, service);
    if (typeof remote === 'string') return Promise.resolve(remote);
    return new Promise((resolve) => {
      const { done, withdraw } = remote.send({ type, service });
      const cancel = this.#clock.after(
        ORDER_MS,
        () => void withdraw().then((isWithdrawn) => resolve(isWithdrawn ? 'AWAY' : 'UNCONFIRMED')),
      );
      void done.then(() => {
        cancel();
        resolve('DONE');
      });
    });
  }

  /** Returns the last lines of a service, which only the node has. */
  linesOf(node: string, service: string): Promise<ServiceLines> {
    const remote = this.#for(node, service);
    if (typeof remote === 'string') return Promise.resolve(remote);
    return new Promise((resolve) => {
      const request = randomUUID();
      const { withdraw } = remote.send({ type: 'tellLines', service, request });
      const answer = (lines: ServiceLines) => {
        cancel();
        this.#asked.delete(request);
        resolve(lines);
      };
      const cancel = this.#clock.after(ORDER_MS, () => {
        void withdraw();
        answer('AWAY');
      });
      this.#asked.set(request, (lines) => answer(lines === null ? 'NO_SUCH_SERVICE' : { lines }));
    });
  }

  /** Passes lines to their caller. Returns false if no caller on this server waits for them. */
  hear({
    request,
    lines,
  }: Pick<Extract<NodeNews, { readonly what: 'lines' }>, 'request' | 'lines'>): boolean {
    const asker = this.#asked.get(request);
    asker?.(lines);
    return asker !== undefined;
  }

  #for(node: string, service: string): RemoteNode | 'AWAY' | 'NO_SUCH_SERVICE' {
    const remote = this.#get(node);
    if (remote === undefined || remote.silent) return 'AWAY';
    return remote.services.some(({ name }) => name === service) ? remote : 'NO_SUCH_SERVICE';
  }
}
