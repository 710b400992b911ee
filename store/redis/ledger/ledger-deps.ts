import type { LeaseSettings, WorkItem } from '../../ledger.ts';

/** The formats that a server announces it can read. */
export interface Knowledge {
  /** The newest schema of snapshots, by the kind of actor. */
  readonly schemas: Readonly<Record<string, number>>;
  /** It keeps the turns of users; an older server does not. */
  readonly shares: 1;
  /** It counts its commits by the kind of actor; an older server does not. */
  readonly changes: 1;
}

export interface RedisLedgerDeps {
  readonly settings: LeaseSettings;
  /** Of this server: its own components end with it, and so do their leases. */
  readonly server: string;
  /** Milliseconds that no clock change moves, on this server. */
  now(): number;
  /** The clock of leases is that of Redis, the same for all servers; a test brings its own. */
  readonly clock?: 'redis' | 'now';
  /** When no server has looked after leases for longer, they are all given that time again. */
  readonly gapMs?: number;
  /** When Redis was away for longer, servers may have lost their connections to it. */
  readonly lostMs?: number;
  /** So long a server may need to find Redis again when its connection is lost: it is not taken for dead before. */
  readonly returnMs?: number;
  /** Queues of which each server has one of its own: what it offers there is for its own components alone, and goes with it. */
  readonly ownQueues?: readonly string[];
  /** Work of actors whose snapshot is of a newer schema is left to servers that know it; kinds that are not named are not looked at. */
  readonly schemas?: Knowledge['schemas'];
  /** Share of an item's user in comparison to others. */
  readonly weightOf?: (item: WorkItem) => number;
}

export interface ServersFound {
  /** Each is told to one server. */
  readonly dead: readonly string[];
  readonly servers: number;
  /** The server that has the node's name; this one is then not there for the others. */
  readonly holder?: string;
  /** It was not there before: it is new, or others took it for dead. */
  readonly wasAbsent?: boolean;
  /** So many of the others come before this one, in an order that all of them know. */
  readonly rank: number;
}
