/**
 * Messages between a node on another host and its server: POST /node/v1/{node}/sync, repeated. The node sends its whole state each time.
 * The server answers with orders, at once or when there are some. Events have numbers and are sent again until the other side has
 * confirmed the number, so a lost answer loses nothing.
 */
import type { ServiceModel } from '../node-configuration/model.ts';
import type { ServiceLine } from '../service/service-logs.ts';
import type { DeployedServiceModel } from '../node-manager/node-state.ts';

export interface SyncRequest {
  /** Random at each start of the node: tells it from every other one of its name. */
  readonly instance: string;
  /** The start before this one, in the same folder: this one takes its place. */
  readonly formerly: string | null;
  /** Grows with each message of an instance: what comes late, after a later one, is not taken. */
  readonly turn: number;
  /** Version of the product. */
  readonly version: string;
  /** The start of the server that answered last; '': none has. */
  readonly server: string;
  /** Number of the last command of that server that was carried out. */
  readonly done: number;
  /** Version of the configuration that is in force; '': none is. */
  readonly configuration: string;
  readonly services: readonly DeployedServiceModel[];
  readonly processes: readonly NodeProcess[];
  /** What the server has not taken yet. */
  readonly news: readonly NumberedNews[];
  /** Services that may be configured: the components that are installed there. */
  readonly installed: readonly ServiceModel[];
  /** Absent: it runs what the node configuration gives to its name. */
  readonly nodeClass?: string | undefined;
  /** It is to end soon, and takes no new work. */
  readonly draining?: boolean | undefined;
  /** It goes down in order: nothing runs any more. */
  readonly leaving: boolean;
  /** Without anything to do, the answer may come after so many milliseconds. */
  readonly waitMs: number;
}

/** A component process of a node, and the hash of its token. */
export interface NodeProcess {
  readonly worker: string;
  readonly tokenHash: string;
}

export type NodeNews =
  | { readonly what: 'gone'; readonly worker: string; readonly counted: boolean; readonly reason: string }
  | { readonly what: 'unavailable'; readonly queue: string; readonly reason: string }
  | { readonly what: 'configured' }
  /** What a `tellLines` asked for; null: there is no such service. */
  | { readonly what: 'lines'; readonly request: string; readonly lines: readonly ServiceLine[] | null };
export type NumberedNews = NodeNews & { readonly number: number };

export interface SyncAnswer {
  /** Random at each start of the server: commands are numbered from 1 by each. */
  readonly server: string;
  /** Number of the last news that was taken. */
  readonly taken: number;
  /** When it is another one than the node has. */
  readonly configuration?: NodeConfiguration;
  readonly commands: readonly NumberedCommand[];
  /** By queue that has work, waiting or held: how many processes of this node are wanted for what waits. */
  readonly wanted: Readonly<Record<string, number>>;
  /** Of a node that drains: sub-jobs that its processes still work on; live streams do not count. */
  readonly working?: number;
  /** From now on the node shows this token instead of the one that it came with. */
  readonly token?: string;
}

export interface NodeConfiguration {
  readonly version: string;
  readonly services: readonly ServiceModel[];
  /** Queues that the processes of each service may serve. */
  readonly queues: Readonly<Record<string, readonly string[]>>;
}

export type NodeCommand =
  /** From an ADMIN. */
  | { readonly type: 'startService'; readonly service: string }
  | { readonly type: 'stopService'; readonly service: string }
  /** This process does not answer or does not stop. */
  | { readonly type: 'kill'; readonly worker: string; readonly reason: string }
  /** There is nothing to do for this process: the stream that it was started for has ended, or it has asked for one in vain. */
  | { readonly type: 'rest'; readonly worker: string }
  /** An ADMIN wants to read its last lines. */
  | { readonly type: 'tellLines'; readonly service: string; readonly request: string }
  /** This process has asked for work: it is up. */
  | { readonly type: 'cameUp'; readonly worker: string };
export type NumberedCommand = NodeCommand & {
  readonly number: number;
  /** Of servers that share a store, random: one that has lost its last commits may give a command another number. */
  readonly id?: string;
};

/** Who sends a message, by its token. */
export interface NodeAccess {
  /** As it is called at the provider, or by whoever issued the token. */
  readonly client: string;
  /** The only name that the token is for; null: any that is not another client's. */
  readonly node: string | null;
}
