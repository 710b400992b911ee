import { queueOf, withoutLanes } from '../../protocol/transfers.ts';
import { MEDIA_QUEUES } from '../../protocol/worker-protocol.ts';
import type { Algorithm } from '../../domain/types.ts';
import type { QueueFigures, WorkLedger } from '../../store/ledger.ts';

/** Specification 2.7, QueueInfo. */
export interface QueueInfo {
  readonly name: string;
  /** Sub-jobs that wait; what a component has in hand is not counted. */
  readonly messagesInQueue: number;
}

export interface QueueViewDeps {
  readonly ledger: WorkLedger;
  /** The algorithms of the catalog: each has a queue, also when it is empty. */
  algorithms(): readonly Pick<Algorithm, 'name' | 'actionType'>[];
}

const OWN: ReadonlySet<string> = new Set(Object.values(MEDIA_QUEUES));

/** The queues of sub-jobs, as clients name them. */
export class QueueViews {
  readonly #deps: QueueViewDeps;

  constructor(deps: QueueViewDeps) {
    this.#deps = deps;
  }

  /** By name. */
  async all(): Promise<readonly QueueInfo[]> {
    return this.of(await this.#deps.ledger.queues());
  }

  /** The same, of what the ledger has told already. */
  of(known: ReadonlyMap<string, QueueFigures>): readonly QueueInfo[] {
    const { algorithms } = this.#deps;
    const figures = withoutLanes(known);
    const markup = this.#markup();
    const busy = [...figures].filter(([, { waiting }]) => waiting > 0).map(([queue]) => queue);
    const queues = new Set([...OWN, ...algorithms().map(({ name }) => name), ...busy]);
    return [...queues]
      .map((queue) => ({
        name: shownName(queue, markup),
        messagesInQueue: figures.get(queue)?.waiting ?? 0,
      }))
      .toSorted((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** Names are compared exactly. */
  async one(name: string): Promise<QueueInfo | undefined> {
    return (await this.all()).find((queue) => queue.name === name);
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
