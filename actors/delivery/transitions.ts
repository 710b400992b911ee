import type { OutboxEntry } from '../../store/store.ts';
import type { Machine, Outcome, Reply } from '../runtime/machine.ts';
import type { DeliveryCommand } from './commands.ts';
import type { DeliveryEffect } from './effects.ts';
import {
  breakerAfter,
  expiryOf,
  givenUp,
  lastingTrouble,
  noticeOf,
  reportOf,
  type DeliveryPolicy,
} from './policy.ts';
import { NEW_DELIVERY, type Breaker, type DeliveryState, type InHand, type Reporting } from './state.ts';

export interface DeliveryTypes {
  readonly state: DeliveryState;
  readonly command: DeliveryCommand;
  readonly effect: DeliveryEffect;
  readonly reply: never;
  readonly refusal: never;
  readonly context: {
    /** Milliseconds since the epoch. */
    readonly at: number;
    readonly policy: DeliveryPolicy;
  };
  /** IN_TROUBLE: the breaker is open. */
  readonly status: 'WELL' | 'IN_TROUBLE';
}
export type DeliveryReply = Reply<DeliveryTypes>;

/** A state with its effects. */
interface Planned {
  readonly state: DeliveryState;
  readonly effects: readonly DeliveryEffect[];
}
type Of<T extends DeliveryCommand['type']> = Extract<DeliveryCommand, { type: T }>;
type Context = DeliveryTypes['context'];

/** Most notices in hand at a time, as a multiple of the concurrent requests. */
const IN_HAND = 4;

/** For commands that are executed in both statuses and do not change the status. */
const EITHER = {
  from: ['WELL', 'IN_TROUBLE'],
  to: { WELL: ['WELL'], IN_TROUBLE: ['IN_TROUBLE'] },
} as const;

/** The changes of each command in the state of a destination. `plan` derives the next effects from the state. */
export const DELIVERY_MACHINE: Machine<DeliveryTypes> = {
  initial: NEW_DELIVERY,
  statusOf: ({ breaker }) => (breaker.open === null ? 'WELL' : 'IN_TROUBLE'),
  on: {
    wake: {
      ...EITHER,
      apply: (state) => ({ state: { ...state, knownUntil: -Infinity }, effects: [{ type: 'awake' }] }),
    },
    due: { ...EITHER, apply: () => ({}) },
    read: { ...EITHER, apply: (state, command, context) => ({ state: withRead(state, command, context) }) },
    unreadable: {
      ...EITHER,
      apply: (state, _, { at, policy }) => ({
        state: { ...state, readNotBefore: at + policy.firstDelayMs },
      }),
    },
    // Notices in hand are finished here. The other server delivers the rest.
    elsewhere: {
      ...EITHER,
      apply: (state, _, { at, policy }) => ({
        state: { ...state, waiting: [], ...unreadReport(at, policy) },
      }),
    },
    tried: {
      from: ['WELL', 'IN_TROUBLE'],
      to: ['WELL', 'IN_TROUBLE'],
      apply: applyAttempt,
    },
    settled: {
      ...EITHER,
      apply: (state, command, context) => ({ state: withSettled(state, command, context) }),
    },
  },
  conclude(outcome, before, _, { at, policy }) {
    const { state, effects } = plan(outcome.state ?? before, at, policy);
    return { state, effects: [...(outcome.effects ?? []), ...effects] };
  },
};

function withRead(
  state: DeliveryState,
  { entries, all }: Of<'read'>,
  { at, policy }: Context,
): DeliveryState {
  const forgotten = new Map(
    entries.filter(({ id, due }) => state.forgotten.get(id) === due).map(({ id, due }) => [id, due]),
  );
  const waiting = entries.filter(({ id }) => !forgotten.has(id) && !state.inHand.has(id));
  const knownUntil = all ? Infinity : entries.at(-1)!.due;
  // A whole page of notices that their jobs do not know: the notices behind it are read only after a pause.
  const stuck = waiting.length === 0 && knownUntil <= at;
  const readNotBefore = stuck ? at + policy.breakerMaxDelayMs : state.readNotBefore;
  return { ...state, waiting, forgotten, knownUntil, readNotBefore };
}

function applyAttempt(
  state: DeliveryState,
  { id, outcome, jitter }: Of<'tried'>,
  { at, policy }: Context,
): Outcome<DeliveryTypes> {
  const held = state.inHand.get(id);
  // A deliverer that was loaded again knows no trouble yet, so the known trouble stays until an attempt ends.
  const trouble = (breaker: Breaker): DeliveryEffect => ({
    type: 'trouble',
    reason: lastingTrouble(breaker, policy),
  });
  if (held?.stage !== 'sending') return { effects: [trouble(state.breaker)] };
  const report = reportOf(held.entry, outcome, at, jitter, policy);
  const breaker = breakerAfter(state.breaker, held.probe, outcome, at, policy);
  return {
    state: { ...state, breaker, inHand: new Map(state.inHand).set(id, toReporting(held.entry, report, at)) },
    effects: [trouble(breaker), ...breakerEffects(state.breaker, breaker)],
  };
}

function breakerEffects(before: Breaker, { open, reason }: Breaker): readonly DeliveryEffect[] {
  if ((before.open === null) === (open === null)) return [];
  return [{ type: 'turned', to: open === null ? 'WELL' : 'IN_TROUBLE', reason }];
}

function withSettled(
  state: DeliveryState,
  { id, answer }: Of<'settled'>,
  { at, policy }: Context,
): DeliveryState {
  const held = state.inHand.get(id);
  if (held === undefined) return state;
  if (answer === 'unknown' && held.stage !== 'sending')
    return { ...state, inHand: new Map(state.inHand).set(id, markUnanswered(held, at, policy)) };
  const inHand = new Map(state.inHand);
  inHand.delete(id);
  const after = { ...state, inHand };
  if (answer === 'unknown') return { ...after, ...unreadReport(at, policy) };
  if (answer === 'gone') return { ...after, knownUntil: -Infinity };
  if (answer === 'refused') return { ...after, forgotten: new Map(state.forgotten).set(id, held.entry.due) };
  return { ...after, waiting: withNext(state, held) };
}

/** Plans all effects that are possible now: give up expired notices, report to jobs, send, read on or set a timer. */
function plan(before: DeliveryState, at: number, policy: DeliveryPolicy): Planned {
  const aged = giveUpExpired(before, at, policy);
  const told = tell(aged, at);
  const sent = send(told.state, at, policy);
  const read = readAt(sent.state, policy);
  const last: DeliveryEffect =
    read <= at ? { type: 'read' } : { type: 'timer', at: timerAt(sent.state, read, at, policy) };
  return { state: sent.state, effects: [...told.effects, ...sent.effects, last] };
}

/** Gives up expired notices while the receiver fails. A receiver that works gets even an old notice once. */
function giveUpExpired(state: DeliveryState, at: number, policy: DeliveryPolicy): DeliveryState {
  if (state.breaker.open === null) return state;
  const old = state.waiting.filter((entry) => expiryOf(entry, policy) <= at).slice(0, room(state, policy));
  if (old.length === 0) return state;
  const given = old.map((entry) => toReporting(entry, givenUp(entry, at, state.breaker), at));
  return intoHand(state, given);
}

function tell(state: DeliveryState, at: number): Planned {
  const effects: DeliveryEffect[] = [];
  const told: InHand[] = [];
  for (const held of state.inHand.values()) {
    if (held.stage !== 'owing' || held.tellAt > at) continue;
    told.push({ ...held, stage: 'reporting' });
    effects.push({ type: 'report', entry: held.entry, report: held.report, look: held.unanswered > 0 });
  }
  return { state: intoHand(state, told), effects };
}

function send(state: DeliveryState, at: number, policy: DeliveryPolicy): Planned {
  const probe = state.breaker.open !== null;
  const ready = state.waiting.filter((entry) => entry.due <= at);
  const due = (probe ? leastTriedFirst(ready) : ready).slice(0, sendable(state, at, policy));
  return {
    state: intoHand(
      state,
      due.map((entry) => ({ stage: 'sending', entry, probe })),
    ),
    effects: due.map((entry) => ({ type: 'send', entry })),
  };
}

/** Prefers notices with few attempts for probes: a notice that failed before may itself be the reason why the receiver fails. */
const leastTriedFirst = (entries: readonly OutboxEntry[]) =>
  entries.toSorted((a, b) => noticeOf(a).attempts - noticeOf(b).attempts);

function intoHand(state: DeliveryState, taken: readonly InHand[]): DeliveryState {
  if (taken.length === 0) return state;
  const inHand = new Map(state.inHand);
  for (const held of taken) inHand.set(held.entry.id, held);
  return { ...state, inHand, waiting: state.waiting.filter(({ id }) => !inHand.has(id)) };
}

/** Number of notices that can be added in hand. While some are reported to jobs, others are sent. */
function room({ inHand }: DeliveryState, { concurrency }: DeliveryPolicy): number {
  return Math.max(0, IN_HAND * concurrency - inHand.size);
}

/** Number of notices that may be sent now. A failing receiver gets one at a time. */
function sendable(state: DeliveryState, at: number, policy: DeliveryPolicy): number {
  const { open } = state.breaker;
  const most = open === null ? policy.concurrency : open.probeAt <= at ? 1 : 0;
  return Math.max(0, Math.min(most - sendEffects(state), room(state, policy)));
}

const sendEffects = ({ inHand }: DeliveryState) =>
  [...inHand.values()].filter(({ stage }) => stage === 'sending').length;

/** Returns when the outbox must be read: as soon as a notice that is not known here could be sent. */
function readAt(state: DeliveryState, policy: DeliveryPolicy): number {
  const { waiting, knownUntil, readNotBefore } = state;
  const [first] = waiting;
  if (isBusy(state, policy) || (first !== undefined && first.due <= knownUntil)) return Infinity;
  return Math.max(knownUntil, readNotBefore);
}

/** True if no notice can be added before one in hand has ended. */
const isBusy = (state: DeliveryState, policy: DeliveryPolicy) =>
  room(state, policy) === 0 || sendEffects(state) >= policy.concurrency;

/** Returns the time of the next work that no current request or report triggers; null if there is none. */
function timerAt(state: DeliveryState, read: number, at: number, policy: DeliveryPolicy): number | null {
  const { waiting, inHand, breaker } = state;
  const times = [read];
  for (const held of inHand.values()) if (held.stage === 'owing') times.push(held.tellAt);
  const [first] = waiting;
  if (first !== undefined && !isBusy(state, policy)) {
    times.push(Math.max(first.due, breaker.open?.probeAt ?? -Infinity));
    if (breaker.open !== null) times.push(...waiting.map((entry) => expiryOf(entry, policy)));
  }
  // Notices that are already due wait for a notice in hand to end.
  const soonest = Math.min(...times.filter((time) => time > at));
  return soonest === Infinity ? null : soonest;
}

function toReporting(entry: OutboxEntry, report: Reporting['report'], at: number): Reporting {
  return { stage: 'owing', entry, report, unanswered: 0, tellAt: at };
}

function markUnanswered(held: Reporting, at: number, policy: DeliveryPolicy): Reporting {
  const delay = Math.min(policy.firstDelayMs * 2 ** held.unanswered, policy.breakerMaxDelayMs);
  return { ...held, stage: 'owing', unanswered: held.unanswered + 1, tellAt: at + delay };
}

const unreadReport = (at: number, { firstDelayMs }: DeliveryPolicy) => ({
  knownUntil: -Infinity,
  readNotBefore: at + firstDelayMs,
});

/** Adds the next attempt of a failed notice to the waiting ones if its due time is in the known range. */
function withNext({ waiting, knownUntil }: DeliveryState, held: InHand): readonly OutboxEntry[] {
  if (held.stage === 'sending' || held.report.type !== 'noticeFailed' || held.report.next === null)
    return waiting;
  const next: OutboxEntry = { ...held.report.next, actor: held.entry.actor };
  if (next.due >= knownUntil) return waiting;
  return [...waiting, next].toSorted((a, b) => a.due - b.due || (a.id < b.id ? -1 : 1));
}
