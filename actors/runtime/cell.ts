import { delay, type Clock } from '../basics/clock.ts';
import { DeliveryError, isTransient, type DeliveryFailure } from '../basics/errors.ts';
import { Mailbox } from './mailbox.ts';
import type { CellLook } from './roster.ts';
import { backOff, onFailure } from './supervision.ts';
import type { ActorTree, TreeNode } from './tree.ts';
import type { ActorKind, Behavior, Command, Envelope } from './behavior.ts';

export interface CellDeps {
  readonly kind: CellKind;
  readonly id: string;
  readonly name: string;
  readonly tree: ActorTree;
  readonly clock: Clock;
  /** Every failure, before anything follows from it. `counted`: the actor itself is to blame. */
  onFailure(error: unknown, counted: boolean): void;
  onRestart(error: unknown, delayMs: number): void;
  deadLetter(reason: DeliveryFailure, envelope: Envelope<Command>, message: string): DeliveryError;
  escalate(error: unknown): Promise<void>;
}

/** A kind of actor without its types: the family that made the cell is the one that types commands and replies. */
interface CellKind extends Pick<ActorKind<Command, unknown>, 'mailbox' | 'intensity'> {
  readonly idleMs?: number | undefined;
  load(id: string, isNew?: boolean): Promise<Behavior<never, unknown>>;
}

/** One actor: its mailbox, its node in the tree, its loaded behaviour and the memory of its failures. */
export class Cell {
  readonly #deps: CellDeps;
  readonly #mailbox: Mailbox<Envelope<Command>, unknown>;
  #node: Promise<TreeNode> | undefined;
  #behavior: Behavior<never, unknown> | undefined;
  #failures: readonly number[] = [];
  /** Messages in a row that something outside of the actor has made fail. */
  #hindered = 0;
  #notBefore = 0;
  #lastMessage: number;
  /** The message that was begun last, by both clocks. */
  #begun: { readonly type: string; readonly at: number; readonly steady: number } | undefined;
  #isHandling = false;
  #loadedAt: number | undefined;
  #stopped: string | undefined;
  #idleWaiters: (() => void)[] = [];

  constructor(deps: CellDeps) {
    this.#deps = deps;
    this.#lastMessage = deps.clock.steady();
    this.#mailbox = new Mailbox(
      deps.kind.mailbox,
      (envelope) => this.#pass(envelope),
      () => this.#idleWaiters.splice(0).forEach((wake) => wake()),
    );
  }

  get full(): boolean {
    return this.#mailbox.full;
  }

  /** How it stands, for people. */
  look(): CellLook {
    const { clock, kind } = this.#deps;
    const now = clock.steady();
    const { size } = this.#mailbox;
    const begun = this.#begun;
    const calm = size > 0 ? 'WORKING' : 'IDLE';
    return {
      state: now < this.#notBefore ? 'BACKING_OFF' : calm,
      status: this.#behavior?.status,
      waiting: size - (this.#isHandling ? 1 : 0),
      recentFailures: this.#failures.filter((at) => now - at < kind.intensity.withinMs).length,
      lastMessage: begun && { type: begun.type, at: begun.at },
      runningMs: begun !== undefined && this.#isHandling ? now - begun.steady : undefined,
      loadedAt: this.#behavior === undefined ? undefined : this.#loadedAt,
    };
  }

  /** `now`: of the steady clock. */
  idleSince(now: number): boolean {
    const { idleMs } = this.#deps.kind;
    return idleMs !== undefined && this.#mailbox.size === 0 && now - this.#lastMessage >= idleMs;
  }

  deliver(envelope: Envelope<Command>): Promise<unknown> {
    this.#lastMessage = this.#deps.clock.steady();
    return this.#mailbox.push(envelope);
  }

  /** Settles when the mailbox has run empty. */
  idle(): Promise<void> {
    if (this.#mailbox.size === 0) return Promise.resolve();
    return new Promise((resolve) => this.#idleWaiters.push(resolve));
  }

  /** Never fails: what cannot be stopped properly is let go. */
  async stop(why: string): Promise<void> {
    this.#stopped ??= why;
    const behavior = this.#behavior;
    this.#behavior = undefined;
    await behavior?.stop?.().catch(() => undefined);
    await this.#node?.then((node) => node.remove()).catch(() => undefined);
  }

  /** Through the tree, so that the node sees every message of its actor. */
  async #pass(envelope: Envelope<Command>): Promise<unknown> {
    const { clock, tree, name } = this.#deps;
    if (this.#stopped !== undefined) throw this.#deps.deadLetter('STOPPED', envelope, this.#stopped);
    this.#node ??= tree.add(name, (message) => this.#handle(message as Envelope<Command>));
    this.#begun = { type: envelope.command.type, at: clock.now(), steady: clock.steady() };
    this.#isHandling = true;
    try {
      return await (await this.#node).deliver(envelope);
    } catch (error) {
      if (error instanceof DeliveryError) throw error;
      // Not the actor, but its node refused: it is on its way out.
      throw this.#deps.deadLetter('STOPPED', envelope, this.#stopped ?? messageOf(error));
    } finally {
      this.#isHandling = false;
    }
  }

  async #handle(envelope: Envelope<Command>): Promise<unknown> {
    if (this.#stopped !== undefined) throw this.#deps.deadLetter('STOPPED', envelope, this.#stopped);
    try {
      const behavior = this.#behavior ?? (await this.#load(envelope.isNew));
      const reply = await behavior.handle(envelope as Envelope<never>);
      this.#hindered = 0;
      return reply;
    } catch (error) {
      await this.#fail(error);
      throw new DeliveryError(
        'FAILED',
        this.#deps.name,
        `${this.#deps.name} failed: ${messageOf(error)}`,
        error,
      );
    }
  }

  async #load(isNew: boolean | undefined): Promise<Behavior<never, unknown>> {
    const { clock, kind, id } = this.#deps;
    const wait = this.#notBefore - clock.steady();
    if (wait > 0) await delay(clock, wait);
    this.#behavior = await kind.load(id, isNew);
    this.#loadedAt = clock.now();
    return this.#behavior;
  }

  /** The next message finds the actor loaded afresh from its last snapshot, after the back-off; or the failure escalates. */
  async #fail(error: unknown): Promise<void> {
    const { clock, kind } = this.#deps;
    const behavior = this.#behavior;
    this.#behavior = undefined;
    // What went wrong is told by the first error; a second one on the way out must not hide it.
    await behavior?.stop?.().catch(() => undefined);
    this.#deps.onFailure(error, !(error instanceof DeliveryError || isTransient(error)));
    // Another actor that did not answer answers for itself.
    if (error instanceof DeliveryError) return;
    // Nobody is to blame, but to load a large actor for every message while the disk is full helps nobody either.
    if (isTransient(error)) return this.#restart(error, backOff(++this.#hindered, kind.intensity));
    const { failures, verdict } = onFailure(this.#failures, clock.steady(), kind.intensity);
    this.#failures = failures;
    if (verdict.kind === 'restart') return this.#restart(error, verdict.delayMs);
    this.#stopped = `${this.#deps.name} failed ${failures.length} times in a row.`;
    await this.#deps.escalate(error).catch(() => undefined);
    // Not awaited: the node waits for its handlers, and this is one.
    void this.#node?.then((node) => node.remove()).catch(() => undefined);
  }

  #restart(error: unknown, delayMs: number): void {
    this.#notBefore = this.#deps.clock.steady() + delayMs;
    this.#deps.onRestart(error, delayMs);
  }
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));
