import {
  parseTraceparent,
  partOf,
  traceFacts,
  traceparentFor,
  type FinishedSpan,
  type Traces,
} from '../../domain/job/trace.ts';
import { webhookId } from '../../domain/job/webhook.ts';
import type { Logger } from '../../config/logger.ts';
import type { OutgoingRequest, Outcome, Send } from '../../egress/request.ts';
import type { ClusterLocks } from '../../store/cluster-locks.ts';
import type { Notice, OutboxEntry, Store } from '../../store/store.ts';
import { assertNever } from '../basics/assert-never.ts';
import type { Clock } from '../basics/clock.ts';
import { inMemory } from '../runtime/in-memory.ts';
import type { Behavior } from '../runtime/system.ts';
import type { DeliveryCommand, Settlement } from './commands.ts';
import type { DeliveryEffect } from './effects.ts';
import type { NoticeReport } from './notice.ts';
import { noticeOf, policyFor, type DeliveryPolicy } from './policy.ts';
import { stillInOutbox } from './outbox-check.ts';
import { DELIVERY_MACHINE, type DeliveryReply, type DeliveryTypes } from './transitions.ts';

export interface DeliveryDeps {
  readonly store: Pick<Store, 'outbox' | 'destinations'>;
  readonly policy: Omit<DeliveryPolicy, 'window'>;
  readonly clock: Clock;
  /** With several servers, ensures that only one at a time delivers to a destination. */
  readonly locks: ClusterLocks;
  readonly logger: Logger;
  /** Must be longer than a request and its report take together. */
  readonly idleMs: number;
  readonly send: Send;
  /** Absent if no spans are reported. */
  readonly traces?: Traces | undefined;
  /** Reports to the actor of the notice. Resolves after its commit. */
  report(
    entry: OutboxEntry,
    report: NoticeReport,
    envelopeId: string,
  ): Promise<{ readonly kind: 'done' | 'refused' }>;
}

/** What a deliverer needs from its owner. */
export interface Self {
  /** Resolves when the command has been handled, or never will be. */
  tell(command: DeliveryCommand): Promise<void>;
  /** True if the server is stopping, so that nothing more is sent. */
  isClosed(): boolean;
  /** Tracks a request or a report until it ends. */
  track(work: Promise<void>): void;
  /** The wake-up has arrived. A new one is needed after this. */
  awake(): void;
  remind(ms: number | null): void;
  /** Reports why the destination has accepted no requests for longer than quick attempts take; undefined if it accepts them. */
  trouble(reason: string | undefined): void;
}

/** A final answer of an archive: it does not know the medium. */
const HOPELESS = 'could not identify referenced item';
const LEAST_WINDOW = 64;
const WINDOW_PER_REQUEST = 8;
const AFTER_A_FAILURE_MS = 1_000;

/** Sends the deliveries of one destination. Its state is only a cache of the outbox, from which it can be read again. */
export function deliverer(
  destination: string,
  deps: DeliveryDeps,
  self: Self,
): Behavior<DeliveryCommand, DeliveryReply> {
  const { concurrency } = deps.policy;
  const window = Math.max(LEAST_WINDOW, WINDOW_PER_REQUEST * concurrency);
  const policy = { ...policyFor(destination, deps.policy), window };
  const effects = new DelivererEffects(destination, deps, self, policy);
  const delivering = inMemory<DeliveryTypes>({
    machine: DELIVERY_MACHINE,
    context: ({ at }) => ({ at, policy }),
    perform: (wanted, { inHand }, { at }) => effects.perform(wanted, inHand.size, at),
    stop(state) {
      effects.stop();
      // After a failure: notices that were in hand are still in the outbox.
      if (state.inHand.size > 0) self.remind(AFTER_A_FAILURE_MS);
      return Promise.resolve();
    },
  });
  return withLockOf(delivering, effects);
}

/** Runs the deliverer only while this server holds the lock. While another server holds it, no new deliveries begin. */
function withLockOf(delivering: Deliverer, effects: DelivererEffects): Deliverer {
  return {
    ...delivering,
    async handle(envelope) {
      if (!(await effects.holdsLock()))
        await delivering.handle({ ...envelope, command: { type: 'elsewhere' } });
      const reply = await delivering.handle(envelope);
      await effects.leaveToOthers();
      return reply;
    },
  };
}
type Deliverer = Behavior<DeliveryCommand, DeliveryReply>;

/** The effects of a deliverer: it sends, reports, reads the outbox and sets its timer. */
class DelivererEffects {
  readonly #destination: string;
  readonly #lock: string;
  readonly #deps: DeliveryDeps;
  readonly #policy: DeliveryPolicy;
  readonly #self: Self;
  readonly #stopped = new AbortController();
  #inHand = 0;

  constructor(destination: string, deps: DeliveryDeps, self: Self, policy: DeliveryPolicy) {
    this.#destination = destination;
    this.#lock = `delivery/${destination}`;
    this.#deps = deps;
    this.#self = self;
    this.#policy = policy;
  }

  stop(): void {
    this.#stopped.abort();
  }

  /** Claims the lock again with each command. While notices are in hand, a command arrives within the time of the lock. */
  holdsLock(): Promise<boolean> {
    const { locks, idleMs } = this.#deps;
    return locks.claim(this.#lock, idleMs).catch(() => false);
  }

  /** Releases the lock if no notice is in hand, so that other servers can deliver. */
  async leaveToOthers(): Promise<void> {
    if (this.#inHand === 0) await this.#deps.locks.release(this.#lock).catch(() => undefined);
  }

  /** @param inHand number of notices in hand from now on */
  perform(
    effects: readonly DeliveryEffect[],
    inHand: number,
    at: number,
  ): Promise<DeliveryCommand | undefined> {
    this.#inHand = inHand;
    for (const effect of effects) this.#perform(effect, at);
    return effects.some(({ type }) => type === 'read') ? this.#read() : Promise.resolve(undefined);
  }

  #perform(effect: DeliveryEffect, at: number): void {
    switch (effect.type) {
      case 'send':
        return this.#self.isClosed() ? undefined : this.#self.track(this.#send(effect.entry));
      case 'report':
        return this.#self.track(this.#report(effect.entry, effect.report, effect.look));
      case 'timer':
        return this.#self.remind(effect.at === null ? null : effect.at - at);
      case 'awake':
        return this.#self.awake();
      case 'trouble':
        return this.#self.trouble(effect.reason);
      case 'turned':
        return this.#noteTurn(effect.to, effect.reason);
      case 'read':
        return;
      default:
        return assertNever(effect);
    }
  }

  #noteTurn(to: 'IN_TROUBLE' | 'WELL', reason: string): void {
    const { logger } = this.#deps;
    const destination = this.#destination;
    if (to === 'WELL') logger.info({ destination }, 'a receiver accepts requests again');
    else logger.warn({ destination, reason }, 'a receiver does not accept requests');
  }

  async #read(): Promise<DeliveryCommand> {
    const limit = this.#policy.window;
    try {
      const entries = await this.#deps.store.outbox(this.#destination, { limit });
      return { type: 'read', entries, all: entries.length < limit };
    } catch (error) {
      this.#deps.logger.error(
        { err: error, destination: this.#destination },
        'could not read pending callbacks',
      );
      return { type: 'unreadable' };
    }
  }

  /** Sends a notice. Never fails. Looks for it once more, because its job may have removed it from the outbox since it was read. */
  async #send(entry: OutboxEntry): Promise<void> {
    const { id } = entry;
    const found = await stillInOutbox(this.#deps.store, entry).catch(() => null);
    if (this.#stopped.signal.aborted) return;
    if (found === null || found === undefined) {
      const answer = found === null ? 'unknown' : 'gone';
      return this.#self.tell({ type: 'settled', id, answer });
    }
    const outcome = await this.#attempt(entry);
    if (this.#stopped.signal.aborted) return;
    await this.#self.tell({ type: 'tried', id, outcome, jitter: Math.random() });
  }

  async #attempt(entry: OutboxEntry): Promise<Outcome> {
    const { send, clock, traces } = this.#deps;
    const from = clock.now();
    try {
      const outcome = await send(requestOf(entry), this.#stopped.signal);
      for (const span of spansOfAttempt(entry, outcome, { from, to: clock.now() })) traces?.record(span);
      return outcome;
    } catch (error) {
      return { kind: 'failed', trouble: 'service', reason: String(error), final: false };
    }
  }

  /** Reports an attempt to the job. Never fails. */
  async #report(entry: OutboxEntry, report: NoticeReport, look: boolean): Promise<void> {
    const answer = await this.#answerTo(entry, report, look);
    if (this.#stopped.signal.aborted) return;
    await this.#self.tell({ type: 'settled', id: entry.id, answer });
  }

  async #answerTo(entry: OutboxEntry, report: NoticeReport, look: boolean): Promise<Settlement> {
    const { store, logger } = this.#deps;
    const { trace } = noticeOf(entry);
    const jobId = entry.id.replace(/\.\d+\.(?:callback|archive\.\d+)$/, '');
    const facts = { jobId, ...traceFacts(trace), notice: entry.id, destination: entry.destination };
    try {
      if (look && (await stillInOutbox(store, entry)) === undefined) return 'gone';
      const { kind } = await this.#deps.report(entry, report, envelopeOf(entry, report));
      if (kind === 'refused') logger.warn(facts, 'dropped a callback that its job no longer has');
      else if (report.type === 'noticeSent') logger.debug(facts, 'delivered a callback or archive post');
      else if (report.next === null)
        logger.warn({ ...facts, reason: report.reason }, 'gave up a callback or archive post');
      else
        logger.info(
          { ...facts, reason: report.reason, next: report.next.due },
          'a callback or archive post failed',
        );
      return kind;
    } catch (error) {
      logger.warn({ ...facts, err: error }, 'could not store the result of a callback or archive post');
      return 'unknown';
    }
  }
}

export function requestOf(entry: Notice): OutgoingRequest {
  const { kind, method, url, body, addToken, secrets, trace } = noticeOf(entry);
  const { headers: own = {} } = noticeOf(entry);
  const headers =
    trace === undefined ? own : { ...own, traceparent: traceparentFor(trace, attemptOf(entry)) };
  const request = { method, url, body, headers, addToken, idempotencyKey: entry.id };
  if (kind === 'mqtt') return { method, url, body, addToken, idempotencyKey: entry.id };
  if (kind === 'archive') return { ...request, finalAnswer: HOPELESS };
  const id = webhookId(entry.id);
  return { ...request, webhook: secrets === undefined ? { id } : { id, secrets } };
}

function spansOfAttempt(
  entry: Notice,
  outcome: Outcome,
  times: Pick<FinishedSpan, 'from' | 'to'>,
): readonly FinishedSpan[] {
  const { kind, method, attempts, trace } = noticeOf(entry);
  const context = trace === undefined ? undefined : partOf(trace, attemptOf(entry));
  const job = parseTraceparent(trace?.traceparent);
  if (context === undefined || job === undefined) return [];
  const attributes = {
    'http.request.method': method,
    'server.address': new URL(entry.destination).hostname,
    'troupe.delivery.id': webhookId(entry.id),
    'troupe.attempt': attempts + 1,
    ...(outcome.status === undefined ? {} : { 'http.response.status_code': outcome.status }),
  };
  const error = outcome.kind === 'failed' ? outcome.reason : undefined;
  return [{ name: kind, kind: 'client', context, parentId: job.spanId, ...times, attributes, error }];
}

/** Returns the id of an attempt. A callback that is delivered again has the same id, and its attempts count from 0 again. */
function attemptOf(entry: Notice): string {
  const { createdAt, attempts } = noticeOf(entry);
  return `${entry.id}.${createdAt}.${attempts}`;
}

/** Returns the same id for each report of one attempt, so that its job handles it once. */
function envelopeOf(entry: OutboxEntry, report: NoticeReport): string {
  const what = report.type === 'noticeSent' ? 'sent' : report.next === null ? 'givenUp' : 'failed';
  return `${attemptOf(entry)}.${what}`;
}
