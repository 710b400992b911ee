import type { NodeManagerModel } from '../node-configuration/model.ts';
import type { Reply } from '../runtime/machine.ts';
import type { ServiceCommand } from '../service/commands.ts';
import type { DeployedServices, DeployedService, WantedService } from './deployed-services.ts';

export interface NodeManagerState {
  readonly status: 'WORKING' | 'STOPPING';
  /** Time since which services are idle, by id, in milliseconds of the steady clock. */
  readonly idleSince: ReadonlyMap<string, number>;
}

export type NodeManagerCommand =
  /** From the node configuration, and from the server at start: sets the services of this node. */
  | { readonly type: 'configure'; readonly nodes: readonly NodeManagerModel[] }
  /** From an ADMIN: starts `<host>:<service>:<n>`, or stops it until it is started again. */
  | { readonly type: 'startService'; readonly service: string }
  | { readonly type: 'stopService'; readonly service: string }
  /** From the work ledger: this many processes are wanted for the queue. */
  | { readonly type: 'demand'; readonly queue: string; readonly wanted: number }
  /** From the dispatcher: this worker hangs. */
  | { readonly type: 'kill'; readonly worker: string; readonly reason: string }
  /** From the gateway of workers: this worker, which was started for a stream, has nothing to do. */
  | { readonly type: 'rest'; readonly worker: string }
  /** From the clock: these queues have waiting or leased work. Services on demand that were idle for long may end their processes. */
  | { readonly type: 'look'; readonly busy: ReadonlySet<string> }
  /** From the server when it stops. Components are killed after `withinMs`, or after the usual time if undefined. */
  | { readonly type: 'stop'; readonly withinMs?: number };

export type NodeManagerEffect =
  /** The configuration no longer has these services. */
  | { readonly type: 'leave'; readonly ids: readonly string[] }
  /** The configuration has these services. Each gets its settings, and confirms them before the next effect. */
  | { readonly type: 'want'; readonly services: readonly Wanted[] }
  /** Sends a command to each of these services. */
  | { readonly type: 'tell'; readonly ids: readonly string[]; readonly command: ServiceCommand }
  /** Sends a command to each of these services, and waits until each has carried it out. */
  | { readonly type: 'ask'; readonly ids: readonly string[]; readonly command: ServiceCommand }
  /** Other services can work now, so waiting work is announced again. */
  | { readonly type: 'configured' };

export interface Wanted {
  readonly service: WantedService;
  /** The definition of the service has changed. */
  readonly changed: boolean;
}

export interface NodeManagerTypes {
  readonly state: NodeManagerState;
  readonly command: NodeManagerCommand;
  readonly effect: NodeManagerEffect;
  readonly reply: never;
  readonly refusal: 'NO_SUCH_SERVICE';
  readonly context: {
    readonly host: string;
    /** Milliseconds of the steady clock. */
    readonly now: number;
    /** Milliseconds without work after which services on demand end their processes; 0: never. */
    readonly idleMs: number;
    /** The services of this host, configured and actual. */
    readonly deployed: Pick<DeployedServices, 'all' | 'get'>;
    /** Queues that the processes of a service serve. */
    queuesOf(service: string): readonly string[];
    /** Services whose processes serve this queue. */
    servicesOf(queue: string): readonly DeployedService[];
  };
  readonly status: NodeManagerState['status'];
}
export type NodeManagerReply = Reply<NodeManagerTypes>;
