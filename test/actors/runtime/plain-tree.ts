import type { ActorTree, Deliver, TreeNode } from '../../../actors/runtime/tree.ts';

/** An actor tree without a library and without hidden hops, so that the order of events is a pure function of the seed. */
export class PlainTree implements ActorTree {
  add(_: string, deliver: Deliver): Promise<TreeNode> {
    return Promise.resolve({ deliver, remove: () => Promise.resolve() });
  }

  destroy(): Promise<void> {
    return Promise.resolve();
  }
}
