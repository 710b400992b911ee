/**
 * The supervision tree that holds the actors of one server. `comedy-tree.ts` is the real one; `plain-tree.ts` serves
 * simulation, where the order of events must be a pure function of the seed.
 */
export interface ActorTree {
  /** Adds an actor below `branch` (made on demand). Messages given to the node come back through `deliver`. */
  add(branch: string, name: string, deliver: Deliver): Promise<TreeNode>;
  /** The tree by branch and name, for people. */
  print(): Promise<TreePrint>;
  destroy(): Promise<void>;
}
export type Deliver = (message: unknown) => Promise<unknown>;
export interface TreeNode {
  deliver(message: unknown): Promise<unknown>;
  remove(): Promise<void>;
}
export interface TreePrint {
  readonly name: string;
  readonly children: readonly TreePrint[];
}
