import type { Logger } from '../../config/logger.ts';
import type { WorkLedger } from '../../store/ledger.ts';
import type { Owner, Store } from '../../store/store.ts';
import type { NodeBody, NodeStates } from '../node-manager/node-state.ts';
import type { Clock } from '../basics/clock.ts';
import type { ConfiguredNodes } from './configured-nodes.ts';
import type { NodeAccess, SyncRequest } from './messages.ts';
import type { RemoteNode } from './remote-node.ts';
import { nodeOfWorker, objectionTo, wrongOwner, type KnownNode, type NodeObjection } from './rules.ts';

export interface NodeRegistryDeps {
  /** The server's own node. */
  readonly host: string;
  readonly serverId: string;
  readonly version: string;
  readonly store: Store;
  readonly ledger: WorkLedger;
  readonly owner: Owner;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly states: NodeStates;
  readonly silenceMs: number;
  readonly maxNodes: number;
  /** True if the processes of a service may do the work of a queue now. Other services may not serve a registered component. */
  mayServe(service: string, queue: string): boolean;
  /** Releases the leases of a process that has ended. */
  releaseWorker(worker: string, counted: boolean, reason: string): Promise<unknown>;
  /** Shows a warning to administrators until it is called with undefined. */
  warn(about: string, sentence: string | undefined): void;
}

/** The nodes on other hosts that this server knows. */
export interface NodeRegistry {
  readonly size: number;
  get(node: string): RemoteNode | undefined;
  all(): readonly RemoteNode[];
  /** Returns the nodes that are not silent. */
  live(): readonly (readonly [string, RemoteNode])[];
  /**
   * Handles a message, and stores what other servers need of it. `isNew` is false if a later message has already arrived.
   * @throws NodeRefused
   */
  take(node: string, access: NodeAccess, message: SyncRequest): Promise<TakenMessage>;
  /** Removes a node that has announced its end, after all its news is handled. */
  leave(node: string, remote: RemoteNode): Promise<void>;
  /** Reads the state that other servers have stored of this node. */
  look(node: string): Promise<void>;
  /** Reads the stored state of all nodes, and returns it. */
  refresh(): Promise<readonly StoredNode[]>;
}

/** The stored state of a node on another host or of a server's own node, for servers that share a store. */
export interface StoredNode {
  readonly node: string;
  /** Milliseconds since the epoch. */
  readonly heardAt: number;
  /** Undefined if this version cannot read it. */
  readonly body: NodeBody | undefined;
}

/** Nodes by their names, with what this server knows of each. */
export abstract class NodesByName<One extends { readonly remote: RemoteNode }> {
  protected readonly nodes = new Map<string, One>();

  get size(): number {
    return this.nodes.size;
  }

  get(node: string): RemoteNode | undefined {
    return this.nodes.get(node)?.remote;
  }

  all(): readonly RemoteNode[] {
    return [...this.nodes.values()].map(({ remote }) => remote);
  }

  live(): readonly (readonly [string, RemoteNode])[] {
    return [...this.nodes]
      .map(([name, { remote }]) => [name, remote] as const)
      .filter(([, { silent }]) => !silent);
  }
}

export interface TakenMessage {
  readonly remote: RemoteNode;
  readonly isNew: boolean;
}

/** Why a node was refused. */
export class NodeRefused extends Error {
  readonly objection: NodeObjection;
  constructor(objection: NodeObjection) {
    super(objection.message);
    this.name = 'NodeRefused';
    this.objection = objection;
  }
}

/** @throws NodeRefused */
export function refuseUnfit(
  deps: NodeRegistryDeps,
  node: string,
  access: NodeAccess,
  message: SyncRequest,
  known: KnownNode | undefined,
  { classes }: Pick<ConfiguredNodes, 'classes'>,
): void {
  const server = { host: deps.host, version: deps.version, classes };
  const objection = wrongOwner(node, message) ?? objectionTo(node, message, access, known, server);
  if (objection !== undefined) throw new NodeRefused(objection);
}

/** Removes silent nodes when there are too many. @throws NodeRefused when there still are */
export function makeRoom(nodes: Map<string, { readonly remote: RemoteNode }>, maxNodes: number): void {
  if (nodes.size < maxNodes) return;
  for (const [name, { remote }] of nodes) if (remote.silent) nodes.delete(name);
  if (nodes.size >= maxNodes)
    throw new NodeRefused({
      refusal: 'CONFLICT',
      message: `There are ${maxNodes} nodes already, which is the limit.`,
    });
}

/** Returns the stored state of a node that this server does not have in memory. */
export async function storedNode(
  { states }: NodeRegistryDeps,
  configured: ConfiguredNodes,
  node: string,
): Promise<KnownNode | undefined> {
  const seen = await states.findNode(node);
  if (seen?.about === undefined) return undefined;
  const { about, silent, seenAt } = seen;
  return { ...about, silent, left: seenAt === 0, configured: configured.has(node) };
}

/** Releases the leases of processes of earlier starts of a node, which have ended. `running`: the processes of this start. */
export async function takeBack(
  { ledger, releaseWorker }: NodeRegistryDeps,
  node: string,
  running: readonly string[] = [],
): Promise<void> {
  const leases = await ledger.leases();
  const workers = new Set(leases.map(({ worker }) => worker).filter((one) => nodeOfWorker(one) === node));
  for (const worker of workers)
    if (!running.includes(worker)) await releaseWorker(worker, false, 'its node was started again');
}
