import comedy, { type Actor, type ActorRef } from 'comedy';
import type { ActorTree, Deliver, TreeNode, TreePrint } from './tree.ts';

/** Removing one of n siblings costs comedy O(n): a branch is split into shelves of at most this many children. */
const SHELF_SIZE = 2_000;
/** comedy waits for handlers without end; nothing here waits longer for it. */
const REMOVE_MS = 1_000;
/** The only topic that is ever used: a topic names a property of the definition, so none may come from outside. */
const TOPIC = 'deliver';

interface Shelf {
  readonly actor: Promise<Actor>;
  size: number;
}

/**
 * The actor tree of comedy, in-memory mode only: its forked, threaded and remote modes, configuration files and balancers
 * are not used. The one file that imports comedy.
 */
export class ComedyTree implements ActorTree {
  readonly #system = createQuietSystem();
  /** By place. */
  readonly #shelves = new Map<string, Shelf[]>();

  async add(place: readonly string[], name: string, deliver: Deliver): Promise<TreeNode> {
    const shelf = this.#shelfOf(place, ({ size }) => size < SHELF_SIZE);
    shelf.size++;
    const parent = await shelf.actor;
    // An id of ours: to make one of its own takes comedy as long as all else that an actor needs.
    const definition = { [TOPIC]: (handle: () => Promise<unknown>) => handle() };
    const child = await parent.createChild(definition, { id: name, name, mode: 'in-memory' });
    return {
      deliver: (message) =>
        new Promise((resolve, reject) => {
          // The reply does not go back through comedy, where it would wait for another turn of the event loop.
          const handle = () => {
            const reply = deliver(message);
            reply.then(resolve, reject);
            return reply;
          };
          child.sendAndReceive(TOPIC, handle).catch(reject);
        }),
      remove: async () => {
        shelf.size--;
        await within(REMOVE_MS, child.destroy());
      },
    };
  }

  async print(): Promise<TreePrint> {
    const root = await this.#system.rootActor();
    return toPrint(await root.tree());
  }

  async destroy(): Promise<void> {
    await within(REMOVE_MS, this.#system.destroy());
  }

  #shelfOf(place: readonly string[], suits: (shelf: Shelf) => boolean): Shelf {
    const key = place.join('/');
    const shelves = this.#shelves.get(key) ?? [];
    this.#shelves.set(key, shelves);
    let shelf = shelves.find(suits);
    if (shelf === undefined) {
      const branch = place.at(-1) ?? '';
      const name = shelves.length === 0 ? branch : `${branch} ${shelves.length + 1}`;
      shelf = { actor: this.#createBranch(place.slice(0, -1), name), size: 0 };
      shelves.push(shelf);
    }
    return shelf;
  }

  async #createBranch(above: readonly string[], name: string): Promise<Actor> {
    // Branches are few: they all hang on the first shelf above them, however full it is.
    const parent = above.length === 0 ? this.#system.rootActor() : this.#shelfOf(above, () => true).actor;
    // A definition that keeps its own actor: a child's reference cannot create children, the actor itself can.
    let self: Actor | undefined;
    const keep = { initialize: (actor: Actor) => void (self = actor) };
    const reference: ActorRef = await (await parent).createChild(keep, { name, mode: 'in-memory' });
    if (self === undefined)
      throw new Error(`The branch ${reference.getName()} of the actor tree did not start.`);
    return self;
  }
}

/** comedy leaves the process at the first SIGINT or SIGTERM; the server has a drain of its own, so its listeners go. */
function createQuietSystem(): comedy.ActorSystem {
  const signals = ['SIGINT', 'SIGTERM'] as const;
  const before = new Map(signals.map((signal) => [signal, new Set<unknown>(process.listeners(signal))]));
  const silent = { isDebug: () => false, debug() {}, info() {}, warn() {}, error() {} };
  const system = comedy.createSystem({ config: {}, logger: silent });
  for (const signal of signals)
    for (const listener of process.listeners(signal))
      if (before.get(signal)?.has(listener) !== true) process.removeListener(signal, listener);
  return system;
}

async function within(ms: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
    timer.unref();
  });
  await Promise.race([Promise.resolve(work).catch(() => undefined), limit]);
  clearTimeout(timer);
}

function toPrint(node: unknown): TreePrint {
  const { name, children } = node as { name?: string; children?: unknown[] };
  return { name: name ?? 'guardian', children: (children ?? []).map(toPrint) };
}
