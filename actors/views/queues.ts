import { queueOf, withoutLanes } from '../../protocol/transfers.ts';
import { MEDIA_QUEUES } from '../../protocol/worker-protocol.ts';
import type { Algorithm } from '../../domain/types.ts';
import { pausedSince, type PauseBook } from '../pauses/pause-book.ts';
import type { QueueFigures, WorkLedger } from '../../store/ledger.ts';

/** Specification 2.7, QueueInfo. */
export interface QueueInfo {
  readonly name: string;
  /** Number of waiting sub-jobs, without those in processing. */
  readonly messagesInQueue: number;
  /** Present if the queue is paused. */
  readonly paused?: PausedQueue;
}

/** Start of the pause in ISO 8601, and the user who paused it. */
export interface PausedQueue {
  readonly since: string;
  readonly by: string;
}

export interface QueueViewDeps {
  readonly ledger: WorkLedger;
  /** The algorithms of the catalog. Each has a queue, even an empty one. */
  algorithms(): readonly Pick<Algorithm, 'name' | 'actionType'>[];
  readonly pauses: Pick<PauseBook, 'all' | 'find'>;
}

const OWN: ReadonlySet<string> = new Set(Object.values(MEDIA_QUEUES));

/** The queues of sub-jobs, as clients name them. */
export class QueueViews {
  readonly #deps: QueueViewDeps;

  constructor(deps: QueueViewDeps) {
    this.#deps = deps;
  }

  /** All queues by name. */
  async all(): Promise<readonly QueueInfo[]> {
    return this.of(await this.#deps.ledger.queues());
  }

  /** The same from numbers that the ledger has already returned. */
  of(known: ReadonlyMap<string, QueueFigures>): readonly QueueInfo[] {
    const { pauses } = this.#deps;
    const figures = withoutLanes(known);
    const markup = this.#markup();
    const busy = [...figures].filter(([, { waiting }]) => waiting > 0).map(([queue]) => queue);
    return [...new Set([...this.#allQueues(), ...busy])]
      .map((queue) => {
        return {
          name: shownName(queue, markup),
          messagesInQueue: figures.get(queue)?.waiting ?? 0,
          ...pausedSince('paused', pauses.find('queue', queue)),
        };
      })
      .toSorted((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** One queue by its exact name. */
  async one(name: string): Promise<QueueInfo | undefined> {
    return (await this.all()).find((queue) => queue.name === name);
  }

  /** The ledger's name for the queue with exactly this client name. Undefined if there is none. */
  async queueOf(name: string): Promise<string | undefined> {
    const busy = (await this.#deps.ledger.queues()).keys();
    return [...this.#allQueues(), ...busy].find((queue) => this.nameOf(queue) === name);
  }

  /** Queues that exist even if nothing waits. */
  #allQueues(): readonly string[] {
    const { algorithms, pauses } = this.#deps;
    return [...OWN, ...algorithms().map(({ name }) => name), ...pauses.all('queue').map(({ name }) => name)];
  }

  /** The name under which clients know a queue. */
  nameOf(queue: string): string {
    return shownName(queueOf(queue), this.#markup());
  }

  #markup(): ReadonlySet<string> {
    const found = this.#deps.algorithms().filter(({ actionType }) => actionType === 'MARKUP');
    return new Set(found.map(({ name }) => name));
  }
}

function shownName(queue: string, markup: ReadonlySet<string>): string {
  if (OWN.has(queue)) return `TROUPE.${queue}`;
  return `TROUPE.${markup.has(queue) ? 'MARKUP' : 'DETECTION'}_${queue}_REQUEST`;
}
