/** The tree that holds the actors of one server. */
export interface ActorTree {
  /** Adds an actor. Messages sent to its node arrive at `deliver`. */
  add(name: string, deliver: Deliver): Promise<TreeNode>;
  destroy(): Promise<void>;
}
export type Deliver = (message: unknown) => Promise<unknown>;
export interface TreeNode {
  deliver(message: unknown): Promise<unknown>;
  remove(): Promise<void>;
}
