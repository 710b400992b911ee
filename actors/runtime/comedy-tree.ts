import comedy, { type Actor } from 'comedy';
import type { ActorTree, Deliver, TreeNode } from './tree.ts';

/** Most siblings of an actor: removing one of n siblings costs comedy O(n). */
const SHELF_SIZE = 2_000;
/** Timeout of removals, because comedy waits for handlers without a limit. */
const REMOVE_MS = 1_000;
/** The only topic. A topic names a property of the definition, so it must never come from input. */
const TOPIC = 'deliver';

interface Shelf {
  readonly actor: Promise<Actor>;
  size: number;
}

/** The actor tree of comedy, in-memory mode only. No other file imports comedy. */
export class ComedyTree implements ActorTree {
  readonly #system = createQuietSystem();
  readonly #shelves: Shelf[] = [];

  /** Number of actors in each shelf. */
  get sizes(): readonly number[] {
    return this.#shelves.map(({ size }) => size);
  }

  async add(name: string, deliver: Deliver): Promise<TreeNode> {
    const shelf = this.#shelves.find(({ size }) => size < SHELF_SIZE) ?? this.#newShelf();
    shelf.size++;
    const parent = await shelf.actor;
    // With a given id, because comedy takes as long to make one as for everything else.
    const definition = { [TOPIC]: (handle: () => Promise<unknown>) => handle() };
    const child = await parent.createChild(definition, { id: name, name, mode: 'in-memory' });
    return {
      deliver: (message) =>
        new Promise((resolve, reject) => {
          // The reply bypasses comedy, which would delay it by another turn of the event loop.
          const handle = () => {
            const reply = deliver(message);
            reply.then(resolve, reject);
            return reply;
          };
          child.sendAndReceive(TOPIC, handle).catch(reject);
        }),
      remove: async () => {
        shelf.size--;
        await withinLimit(child.destroy());
      },
    };
  }

  async destroy(): Promise<void> {
    await withinLimit(this.#system.destroy());
  }

  #newShelf(): Shelf {
    const actor = new Promise<Actor>((resolve, reject) => {
      // The reference to a child cannot create children, but the actor itself can.
      const definition = { initialize: resolve };
      const options = { name: `shelf ${this.#shelves.length + 1}`, mode: 'in-memory' } as const;
      const made = this.#system.rootActor().then((root) => root.createChild(definition, options));
      made.catch(reject);
    });
    const shelf = { actor, size: 0 };
    this.#shelves.push(shelf);
    return shelf;
  }
}

/** Removes the signal listeners of comedy, which exit at the first SIGINT or SIGTERM. The server drains first. */
function createQuietSystem(): comedy.ActorSystem {
  const signals = ['SIGINT', 'SIGTERM'] as const;
  const before = signals.map((signal) => process.listeners(signal));
  const silent = { isDebug: () => false, debug() {}, info() {}, warn() {}, error() {} };
  const system = comedy.createSystem({ config: {}, logger: silent });
  for (const [n, signal] of signals.entries())
    for (const listener of process.listeners(signal))
      if (!before[n]!.includes(listener)) process.removeListener(signal, listener);
  return system;
}

async function withinLimit(work: Promise<unknown>): Promise<void> {
  const limit = new Promise<void>((resolve) => void setTimeout(resolve, REMOVE_MS).unref());
  await Promise.race([Promise.resolve(work).catch(() => undefined), limit]);
}
