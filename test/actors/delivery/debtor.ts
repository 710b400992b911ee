/** A small durable actor that owes notices, and the delivery of what it owes, over a real store and real HTTP. */
import { registerDelivery, type Delivery } from '../../../actors/delivery/actor.ts';
import { destinationOf, type HttpNotice, type NoticeReport } from '../../../actors/delivery/notice.ts';
import type { DeliveryPolicy } from '../../../actors/delivery/policy.ts';
import { systemClock } from '../../../actors/runtime/clock.ts';
import { ComedyTree } from '../../../actors/runtime/comedy-tree.ts';
import { loadDurable, type Decision, type DurableKind } from '../../../actors/runtime/durable.ts';
import { DEFAULT_INTENSITY } from '../../../actors/runtime/supervision.ts';
import { ActorSystem, type ActorKind, type Family } from '../../../actors/runtime/system.ts';
import { outgoingAgents } from '../../../egress/agent.ts';
import type { Send } from '../../../egress/request.ts';
import { createSend } from '../../../egress/send.ts';
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
export type DebtorReply = { readonly kind: 'done' | 'refused'; readonly debts: Debts };
type Kind = DurableKind<object, Debts, DebtorCommand, DebtorReply, string>;

const NONE: Debts = { owed: [], sent: [], failures: [] };

function decide(
  record: object | undefined,
  debts: Debts,
  command: DebtorCommand,
): Decision<object, Debts, DebtorReply, string> {
  const change = (state: Debts, put: readonly Notice[], remove: readonly string[]) => ({
    reply: { kind: 'done', debts: state } as const,
    change: { state, outbox: { put, remove }, ...(record === undefined ? { record: {} } : {}) },
    effects: put.map(({ destination }) => destination),
  });
  const without = (id: string) => debts.owed.filter((owed) => owed !== id);
  switch (command.type) {
    case 'look':
      return { reply: { kind: 'done', debts } };
    case 'owe':
      return change(
        { ...debts, owed: [...debts.owed, ...command.notices.map(({ id }) => id)] },
        command.notices,
        [],
      );
    case 'withdraw':
      return change(
        { ...debts, owed: debts.owed.filter((id) => !command.ids.includes(id)) },
        [],
        command.ids,
      );
    case 'noticeSent':
    case 'noticeFailed': {
      const { id } = command;
      if (!debts.owed.includes(id)) return { reply: { kind: 'refused', debts } };
      if (command.type === 'noticeSent')
        return change({ ...debts, owed: without(id), sent: [...debts.sent, id] }, [], [id]);
      const { reason, next } = command;
      const failures = [...debts.failures, { id, reason, next }];
      return next === null
        ? change({ ...debts, owed: without(id), failures }, [], [id])
        : change({ ...debts, failures }, [next], []);
    }
  }
}

export interface Stage {
  readonly system: ActorSystem;
  readonly debtors: Family<DebtorCommand, DebtorReply>;
  readonly delivery: Delivery;
  debts(id: string): Promise<Debts>;
  stop(): Promise<void>;
}

export interface StageOptions {
  readonly policy?: Partial<DeliveryPolicy>;
  readonly timeoutMs?: number;
  readonly idleMs?: number;
  /** Stands in the User-Agent. */
  readonly version?: string;
  /** Stands between the delivery and the network. */
  wrapSend?(send: Send): Send;
  /** Takes the place of the question to the debtor. */
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
  const kind: Kind = {
    kind: 'debtor',
    schema: 1,
    upcasters: {},
    rowsOf: () => undefined,
    restore: (_, body) => body as Debts,
    snapshot: (_, state) => state,
    decide: (record, state, { command }) => decide(record, state ?? NONE, command),
    recover: () => [],
    perform: (_, __, destinations) => {
      new Set(destinations).forEach(delivery.wake);
      return Promise.resolve();
    },
  };
  const actors: ActorKind<DebtorCommand, DebtorReply> = {
    name: 'debtor',
    accepts: new Set(['owe', 'withdraw', 'look', 'noticeSent', 'noticeFailed'] as const),
    mailbox: 10_000,
    intensity: DEFAULT_INTENSITY,
    load: (id) => loadDurable(kind, store, { server: 'here', epoch: 1 }, id),
  };
  const debtors = system.register(actors);
  const agents = outgoingAgents({ allowPrivate: true, allowedHosts: [] });
  const token = { get: () => Promise.resolve('secret'), drop: () => undefined };
  const send = createSend({ agents, token, timeoutMs, version });
  const report: Report = (entry, told, envelopeId) => debtors.ask(entry.actor.id, told, { envelopeId });
  const delivery = registerDelivery(system, {
    store,
    policy: { ...QUICK, ...policy },
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
    debts: async (id) => (await debtors.ask(id, { type: 'look' })).debts,
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
