/**
 * A small durable actor that creates notices ("debtor"), and their delivery, with a real store and real HTTP.
 */
import { registerDelivery, type Delivery } from '../../../actors/delivery/actor.ts';
import { destinationOf, type HttpNotice, type NoticeReport } from '../../../actors/delivery/notice.ts';
import type { DeliveryPolicy } from '../../../actors/delivery/policy.ts';
import { systemClock } from '../../../actors/basics/clock.ts';
import { ComedyTree } from '../../../actors/runtime/comedy-tree.ts';
import { loadDurable } from '../../../actors/runtime/durable.ts';
import type { DurableKind } from '../../../actors/runtime/durable-kind.ts';
import {
  commandsOf,
  decide,
  refuseWith,
  type Machine,
  type Outcome,
  type Reply,
} from '../../../actors/runtime/machine.ts';
import { DEFAULT_INTENSITY } from '../../../actors/runtime/supervision.ts';
import { ActorSystem, type ActorKind, type Family } from '../../../actors/runtime/system.ts';
import { REACH_SETTINGS } from '../../../egress/http/addresses.ts';
import { outgoingAgents } from '../../../egress/http/agent.ts';
import type { Send } from '../../../egress/request.ts';
import { createSend } from '../../../egress/send.ts';
import { LOCAL_LOCKS, type ClusterLocks } from '../../../store/cluster-locks.ts';
import type { Notice, Store } from '../../../store/store.ts';

export interface Debts {
  readonly owed: readonly string[];
  readonly sent: readonly string[];
  readonly failures: readonly {
    readonly id: string;
    readonly reason: string;
    readonly next: Notice | null;
  }[];
}
export type DebtorCommand =
  | { readonly type: 'owe'; readonly notices: readonly Notice[] }
  | { readonly type: 'withdraw'; readonly ids: readonly string[] }
  | { readonly type: 'look' }
  | NoticeReport;
interface DebtorTypes {
  readonly state: Debts;
  readonly command: DebtorCommand;
  readonly effect: string;
  readonly reply: { readonly kind: 'done'; readonly debts: Debts };
  readonly refusal: 'NOT_OWED';
  readonly context: undefined;
  readonly status: never;
}
export type DebtorReply = Reply<DebtorTypes>;

const change = (state: Debts, put: readonly Notice[], remove: readonly string[]): Outcome<DebtorTypes> => ({
  reply: { kind: 'done', debts: state },
  state,
  outbox: { put, remove },
  effects: put.map(({ destination }) => destination),
});

const MACHINE: Machine<DebtorTypes> = {
  initial: { owed: [], sent: [], failures: [] },
  on: {
    look: { apply: (debts) => ({ reply: { kind: 'done', debts } }) },
    owe: {
      apply: (debts, { notices }) =>
        change({ ...debts, owed: [...debts.owed, ...notices.map(({ id }) => id)] }, notices, []),
    },
    withdraw: {
      apply: (debts, { ids }) =>
        change({ ...debts, owed: debts.owed.filter((id) => !ids.includes(id)) }, [], ids),
    },
    noticeSent: {
      apply: (debts, { id }) =>
        debts.owed.includes(id)
          ? change({ ...without(debts, id), sent: [...debts.sent, id] }, [], [id])
          : refuseWith('NOT_OWED'),
    },
    noticeFailed: {
      apply(debts, { id, reason, next }) {
        if (!debts.owed.includes(id)) return refuseWith('NOT_OWED');
        const failures = [...debts.failures, { id, reason, next }];
        return next === null
          ? change({ ...without(debts, id), failures }, [], [id])
          : change({ ...debts, failures }, [next], []);
      },
    },
  },
};

const without = (debts: Debts, id: string): Debts => ({
  ...debts,
  owed: debts.owed.filter((owed) => owed !== id),
});

export interface Stage {
  readonly system: ActorSystem;
  readonly debtors: Family<DebtorCommand, DebtorReply>;
  readonly delivery: Delivery;
  debts(id: string): Promise<Debts>;
  stop(): Promise<void>;
}

export interface StageOptions {
  /** Locks of a server in a cluster; absent: a single server. */
  readonly locks?: ClusterLocks;
  readonly policy?: Partial<DeliveryPolicy>;
  readonly timeoutMs?: number;
  readonly idleMs?: number;
  /** Sent in the User-Agent header. */
  readonly version?: string;
  /** Wraps the function that sends requests. */
  wrapSend?(send: Send): Send;
  /** Wraps the report to the debtor. */
  wrapReport?(report: Report): Report;
}
type Report = Parameters<typeof registerDelivery>[1]['report'];

const silent = { debug() {}, info() {}, warn() {}, error() {} };
export const QUICK: Omit<DeliveryPolicy, 'window'> = {
  concurrency: 4,
  firstDelayMs: 20,
  maxDelayMs: 200,
  quickAttempts: 6,
  giveUpMs: 60_000,
  breakerFailures: 5,
  breakerMaxDelayMs: 100,
};

export function stage(store: Store, options: StageOptions = {}): Stage {
  const { policy, timeoutMs = 2_000, idleMs = 10_000, version = '0' } = options;
  const system = new ActorSystem(new ComedyTree(), systemClock);
  const kind: DurableKind<object, DebtorTypes> = {
    kind: 'debtor',
    schema: 1,
    rowsOf: () => undefined,
    restore: (_, body) => body as Debts,
    snapshot: (_, state) => state,
    decide: (_, state, { command }) => decide(MACHINE, state, command, undefined),
    newRecord: () => ({}),
    recover: () => [],
    perform: (_, __, destinations) => {
      new Set(destinations).forEach(delivery.wake);
      return Promise.resolve();
    },
  };
  const actors: ActorKind<DebtorCommand, DebtorReply> = {
    name: 'debtor',
    accepts: commandsOf(MACHINE),
    mailbox: 10_000,
    intensity: DEFAULT_INTENSITY,
    load: (id) => loadDurable(kind, store, { server: 'here', epoch: 1 }, id),
  };
  const debtors = system.register(actors);
  const agents = outgoingAgents({ allowPrivate: true, settings: REACH_SETTINGS });
  const token = { get: () => Promise.resolve('secret'), drop: () => undefined };
  const send = createSend({ agents, token, timeoutMs, version, secrets: [] });
  const report: Report = (entry, told, envelopeId) => debtors.ask(entry.actor.id, told, { envelopeId });
  const delivery = registerDelivery(system, {
    store,
    policy: { ...QUICK, ...policy },
    locks: options.locks ?? LOCAL_LOCKS,
    clock: systemClock,
    logger: silent,
    idleMs,
    send: options.wrapSend?.(send) ?? send,
    report: options.wrapReport?.(report) ?? report,
  });
  return {
    system,
    debtors,
    delivery,
    async debts(id) {
      const reply = await debtors.ask(id, { type: 'look' });
      return reply.kind === 'done' ? reply.debts : MACHINE.initial;
    },
    async stop() {
      await system.stop(1_000);
      agents.close();
    },
  };
}

export function noticeTo(url: string, id: string, more: Partial<HttpNotice> = {}): Notice {
  const at = Date.now();
  const body: HttpNotice = {
    kind: 'callback',
    method: 'POST',
    url,
    body: { jobId: id },
    addToken: false,
    createdAt: at,
    attempts: 0,
    ...more,
  };
  return { id, destination: destinationOf(url), due: at, body };
}
