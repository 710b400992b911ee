/** The tree that holds the actors of one server. */
export interface ActorTree {
  /**
   * Adds an actor at a place: branches from the root, made on demand, which stay when the actors on them leave. Messages
   * given to the node come back through `deliver`.
   */
  add(place: readonly string[], name: string, deliver: Deliver): Promise<TreeNode>;
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
