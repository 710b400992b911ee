import type { ActorTree, Deliver, TreeNode } from '../../../actors/runtime/tree.ts';

/** An actor tree without a library or hidden steps. The order of events depends only on the seed. */
export class PlainTree implements ActorTree {
  add(_: string, deliver: Deliver): Promise<TreeNode> {
    return Promise.resolve({ deliver, remove: () => Promise.resolve() });
  }

  destroy(): Promise<void> {
    return Promise.resolve();
  }
}
