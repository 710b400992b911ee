import type { LeaseSettings, WorkItem } from '../../ledger.ts';

/** What a server can read and do, as it announces it to the others. */
export interface Knowledge {
  /** The newest schema of snapshots, by the kind of actor. */
  readonly schemas: Readonly<Record<string, number>>;
  /** The server handles fair shares of users; older servers do not. */
  readonly shares: 1;
  /** The server counts its commits by kind of actor; older servers do not. */
  readonly changes: 1;
}

export interface RedisLedgerDeps {
  readonly settings: LeaseSettings;
  /** Id of this server. Its own components and their leases end with it. */
  readonly server: string;
  /** Milliseconds of a clock of this server that clock changes do not affect. */
  now(): number;
  /** Leases use the clock of Redis, which is the same for all servers. A test provides its own clock. */
  readonly clock?: 'redis' | 'now';
  /** If no server has checked leases for longer than this, all leases are extended by that time. */
  readonly gapMs?: number;
  /** If Redis was away for longer than this, servers may have lost their connections to it. */
  readonly lostMs?: number;
  /** Time that a server may need to connect to Redis again. It does not count as dead before. */
  readonly returnMs?: number;
  /** Queues that each server has for itself: items that it offers there are only for its own components and are deleted with it. */
  readonly ownQueues?: readonly string[];
  /** Newest snapshot schema by kind. Work of an actor with a newer one is left to other servers. Other kinds are not checked. */
  readonly schemas?: Knowledge['schemas'];
  /** Weight of an item's user in comparison to other users. */
  readonly weightOf?: (item: WorkItem) => number;
}

export interface ServersFound {
  /** Ids of dead servers. Each dead server is reported to only one server. */
  readonly dead: readonly string[];
  readonly servers: number;
  /** The other server that has the node's name. If it is set, the other servers ignore this server. */
  readonly holder?: string;
  /** True if this server was not registered before: it is new, or other servers considered it dead. */
  readonly wasAbsent?: boolean;
  /** Position of this server in an order that is the same for all servers, from 0. */
  readonly rank: number;
}
