import type { NodeManagerModel } from '../node-configuration/model.ts';
import type { Reply } from '../runtime/machine.ts';
import type { ServiceCommand } from '../service/commands.ts';
import type { DeployedServices, DeployedService, WantedService } from './deployed-services.ts';

export interface NodeManagerState {
  readonly status: 'WORKING' | 'STOPPING';
  /** Since when services have had nothing to do, by id: milliseconds of the steady clock. */
  readonly idleSince: ReadonlyMap<string, number>;
}

export type NodeManagerCommand =
  /** From the node configuration, and from the server at start: conform to this. */
  | { readonly type: 'configure'; readonly nodes: readonly NodeManagerModel[] }
  /** From an ADMIN: `<host>:<service>:<n>` is to run, or is to stop and stay so. */
  | { readonly type: 'startService'; readonly service: string }
  | { readonly type: 'stopService'; readonly service: string }
  /** From the work ledger: so much work waits while so much runs. */
  | { readonly type: 'demand'; readonly queue: string; readonly wanted: number }
  /** From the dispatcher: this worker hangs. */
  | { readonly type: 'kill'; readonly worker: string; readonly reason: string }
  /** From the gateway of workers: there is nothing to do for this one, which was started for a stream. */
  | { readonly type: 'rest'; readonly worker: string }
  /** From the clock: these queues have work, waiting or held. Services on demand that had none for long may rest. */
  | { readonly type: 'look'; readonly busy: ReadonlySet<string> }
  /** From the server when it stops. Components are killed after `withinMs`; absent: after the usual time. */
  | { readonly type: 'stop'; readonly withinMs?: number };

export type NodeManagerEffect =
  /** These services are in the configuration no more. */
  | { readonly type: 'leave'; readonly ids: readonly string[] }
  /** These are: each is told what it runs from now on, and answers before the next effect. */
  | { readonly type: 'want'; readonly services: readonly Wanted[] }
  /** Each of these services is sent a command. */
  | { readonly type: 'tell'; readonly ids: readonly string[]; readonly command: ServiceCommand }
  /** The same, and each has carried it out before the next effect. */
  | { readonly type: 'ask'; readonly ids: readonly string[]; readonly command: ServiceCommand }
  /** Other services are able to work now: whoever knows what waits says so again. */
  | { readonly type: 'configured' };

export interface Wanted {
  readonly service: WantedService;
  /** What it runs is another thing than before. */
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
    /** Of the steady clock. */
    readonly now: number;
    /** Services on demand end their processes after so many milliseconds without work; 0: never. */
    readonly idleMs: number;
    /** The services of this host, wanted and real. */
    readonly deployed: Pick<DeployedServices, 'all' | 'get'>;
    /** Queues that the processes of a service serve. */
    queuesOf(service: string): readonly string[];
    /** Services whose processes serve this queue. */
    servicesOf(queue: string): readonly DeployedService[];
  };
  readonly status: NodeManagerState['status'];
}
export type NodeManagerReply = Reply<NodeManagerTypes>;
