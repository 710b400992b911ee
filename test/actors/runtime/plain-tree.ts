import type { ActorTree, Deliver, TreeNode, TreePrint } from '../../../actors/runtime/tree.ts';

interface Branch {
  readonly branches: Map<string, Branch>;
  readonly actors: Set<string>;
}
const newBranch = (): Branch => ({ branches: new Map(), actors: new Set() });

/** An actor tree of plain maps: no library, no hidden hops, so that the order of events is a pure function of the seed. */
export class PlainTree implements ActorTree {
  #root = newBranch();

  add(place: readonly string[], name: string, deliver: Deliver): Promise<TreeNode> {
    let branch = this.#root;
    for (const part of place) {
      const next = branch.branches.get(part) ?? newBranch();
      branch.branches.set(part, next);
      branch = next;
    }
    branch.actors.add(name);
    return Promise.resolve({
      deliver,
      remove: () => {
        branch.actors.delete(name);
        return Promise.resolve();
      },
    });
  }

  print(): Promise<TreePrint> {
    return Promise.resolve(printed('guardian', this.#root));
  }

  destroy(): Promise<void> {
    this.#root = newBranch();
    return Promise.resolve();
  }
}

function printed(name: string, { branches, actors }: Branch): TreePrint {
  const leaves = [...actors].map((actor) => ({ name: actor, children: [] }));
  return { name, children: [...leaves, ...[...branches].map(([part, branch]) => printed(part, branch))] };
}
