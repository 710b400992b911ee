import type { NodeManagerModel } from '../node-configuration/model.ts';

export type NodeManagerCommand =
  /** From the node configuration, and from the server at start: conform to this. */
  | { readonly type: 'configure'; readonly nodes: readonly NodeManagerModel[] }
  /** From an ADMIN: `<host>:<service>:<n>` is to run, or is to stop and stay so. */
  | { readonly type: 'startService'; readonly service: string }
  | { readonly type: 'stopService'; readonly service: string }
  /** From the dispatcher: so much work waits while so much runs. */
  | { readonly type: 'demand'; readonly queue: string; readonly wanted: number }
  /** From the dispatcher: this worker hangs. */
  | { readonly type: 'kill'; readonly worker: string; readonly reason: string }
  /** From the clock: these queues have work, waiting or held. Services on demand that had none for long may rest. */
  | { readonly type: 'look'; readonly busy: ReadonlySet<string> }
  /** From the server when it stops. */
  | { readonly type: 'stop' };

export type NodeManagerReply = 'done' | 'noSuchService' | 'stopping';

export const NODE_MANAGER_COMMANDS: ReadonlySet<NodeManagerCommand['type']> = new Set([
  'configure',
  'startService',
  'stopService',
  'demand',
  'kill',
  'look',
  'stop',
]);
