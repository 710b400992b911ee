import type { ActorTree, Deliver, TreeNode, TreePrint } from './tree.ts';

/** An actor tree of plain maps: no library, no hidden hops, for simulation and for tests of the runtime. */
export class PlainTree implements ActorTree {
  readonly #branches = new Map<string, Set<string>>();

  add(branch: string, name: string, deliver: Deliver): Promise<TreeNode> {
    const members = this.#branches.get(branch) ?? new Set();
    this.#branches.set(branch, members.add(name));
    return Promise.resolve({
      deliver,
      remove: () => {
        members.delete(name);
        return Promise.resolve();
      },
    });
  }

  print(): Promise<TreePrint> {
    const children = [...this.#branches].map(([name, members]) => ({
      name,
      children: [...members].map((member) => ({ name: member, children: [] })),
    }));
    return Promise.resolve({ name: 'guardian', children });
  }

  destroy(): Promise<void> {
    this.#branches.clear();
    return Promise.resolve();
  }
}
