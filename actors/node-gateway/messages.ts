/**
 * Messages between a node on another host and its server: POST /node/v1/{node}/sync, repeated. The node sends its whole state each time.
 * The server answers with orders, at once or when there are some. Events have numbers and are sent again until the other side has
 * confirmed the number, so a lost answer loses nothing.
 */
import type { ServiceModel } from '../node-configuration/model.ts';
import type { ServiceLine } from '../service/service-logs.ts';
import type { DeployedServiceModel } from '../node-manager/node-state.ts';

export interface SyncRequest {
  /** Random at each start of the node. Distinguishes this start from all others of its name. */
  readonly instance: string;
  /** The start before this one in the same folder, which this start replaces. */
  readonly formerly: string | null;
  /** Grows with each message of an instance. A message that arrives after a later one is ignored. */
  readonly turn: number;
  /** Version of the product. */
  readonly version: string;
  /** The `server` of the last answer; '' before the first answer. */
  readonly server: string;
  /** Number of the last command of that server that the node has carried out. */
  readonly done: number;
  /** Version of the configuration that the node has; '' if it has none. */
  readonly configuration: string;
  readonly services: readonly DeployedServiceModel[];
  readonly processes: readonly NodeProcess[];
  /** News that the server has not confirmed yet. */
  readonly news: readonly NumberedNews[];
  /** Services that may be configured: the components that are installed on the node. */
  readonly installed: readonly ServiceModel[];
  /** If undefined, the node runs what the node configuration gives to its name. */
  readonly nodeClass?: string | undefined;
  /** The node ends soon, and takes no new work. */
  readonly draining?: boolean | undefined;
  /** The node shuts down in order, and runs no more processes. */
  readonly leaving: boolean;
  /** Milliseconds after which the server answers even if there is nothing to do. */
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
  /** The answer to `tellLines`; null if there is no such service. */
  | { readonly what: 'lines'; readonly request: string; readonly lines: readonly ServiceLine[] | null };
export type NumberedNews = NodeNews & { readonly number: number };

export interface SyncAnswer {
  /** Random id of the numbering of commands. Each numbering starts at 1. */
  readonly server: string;
  /** Number of the last news that the server has handled. */
  readonly taken: number;
  /** Present if it differs from the configuration of the node. */
  readonly configuration?: NodeConfiguration;
  readonly commands: readonly NumberedCommand[];
  /** Number of processes of this node that are wanted for waiting work, by queue that has waiting or leased work. */
  readonly wanted: Readonly<Record<string, number>>;
  /** For a draining node: number of sub-jobs that its processes still work on, without live streams. */
  readonly working?: number;
  /** Token that the node uses from now on, instead of the token with which it first connected. */
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
  /** This process has nothing to do: the stream that it was started for has ended, or there was no stream for it. */
  | { readonly type: 'rest'; readonly worker: string }
  /** An ADMIN asks for the last output lines of a service. */
  | { readonly type: 'tellLines'; readonly service: string; readonly request: string }
  /** This process has asked for work, so it is up. */
  | { readonly type: 'cameUp'; readonly worker: string };
export type NumberedCommand = NodeCommand & {
  readonly number: number;
  /** Random id for servers that share a store. A server that has lost its last commits may give a command another number. */
  readonly id?: string;
};

/** The sender of a message, by its token. */
export interface NodeAccess {
  /** Name of the client at the identity provider, or as given by the issuer of the token. */
  readonly client: string;
  /** The only node name that the token allows. Null allows any name that belongs to no other client. */
  readonly node: string | null;
}
