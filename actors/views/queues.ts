import { MEDIA_QUEUES } from '../../components/sdk/protocol.ts';
import type { Algorithm } from '../../pipeline/types.ts';
import { DISPATCHER } from '../dispatcher/actor.ts';
import type { DispatcherCommand, DispatcherReply } from '../dispatcher/commands.ts';
import type { Family } from '../runtime/system.ts';

/** Specification 2.7, QueueInfo. */
export interface QueueInfo {
  readonly name: string;
  /** Sub-jobs that wait; what a component has in hand is not counted. */
  readonly messagesInQueue: number;
}

export interface QueueViewParts {
  readonly dispatcher: Family<DispatcherCommand, DispatcherReply>;
  /** The algorithms of the catalog: each has a queue, also when it is empty. */
  algorithms(): readonly Pick<Algorithm, 'name' | 'actionType'>[];
}

const OWN: ReadonlySet<string> = new Set(Object.values(MEDIA_QUEUES));

/** The queues of sub-jobs, as clients name them. */
export class QueueViews {
  readonly #parts: QueueViewParts;

  constructor(parts: QueueViewParts) {
    this.#parts = parts;
  }

  /** By name. */
  async all(): Promise<readonly QueueInfo[]> {
    const report = await this.#parts.dispatcher.ask(DISPATCHER, { type: 'report' });
    return this.ofLengths(report.kind === 'report' ? report.waiting : new Map<string, number>());
  }

  /** The same, of lengths that are known already. */
  ofLengths(waiting: ReadonlyMap<string, number>): readonly QueueInfo[] {
    const { algorithms } = this.#parts;
    const markup = this.#markup();
    const busy = [...waiting].filter(([, length]) => length > 0).map(([queue]) => queue);
    const queues = new Set([...OWN, ...algorithms().map(({ name }) => name), ...busy]);
    return [...queues]
      .map((queue) => ({ name: shownName(queue, markup), messagesInQueue: waiting.get(queue) ?? 0 }))
      .toSorted((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** Names are compared exactly. */
  async one(name: string): Promise<QueueInfo | undefined> {
    return (await this.all()).find((queue) => queue.name === name);
  }

  /** The name under which clients know a queue. */
  nameOf(queue: string): string {
    return shownName(queue, this.#markup());
  }

  #markup(): ReadonlySet<string> {
    const found = this.#parts.algorithms().filter(({ actionType }) => actionType === 'MARKUP');
    return new Set(found.map(({ name }) => name));
  }
}

function shownName(queue: string, markup: ReadonlySet<string>): string {
  if (OWN.has(queue)) return `TROUPE.${queue}`;
  return `TROUPE.${markup.has(queue) ? 'MARKUP' : 'DETECTION'}_${queue}_REQUEST`;
}
