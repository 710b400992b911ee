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
  /** Called for each failure before it is handled. `counted` is true if the actor itself is at fault. */
  onFailure(error: unknown, counted: boolean): void;
  onRestart(error: unknown, delayMs: number): void;
  deadLetter(reason: DeliveryFailure, envelope: Envelope<Command>, message: string): DeliveryError;
  escalate(error: unknown): Promise<void>;
}

/** A kind of actor without its types. The family that made the cell has typed commands and replies. */
interface CellKind extends Pick<ActorKind<Command, unknown>, 'mailbox' | 'intensity'> {
  readonly idleMs?: number | undefined;
  load(id: string, isNew?: boolean): Promise<Behavior<never, unknown>>;
}

/** One actor: its mailbox, its node in the tree, its loaded behaviour and its recent failures. */
export class Cell {
  readonly #deps: CellDeps;
  readonly #mailbox: Mailbox<Envelope<Command>, unknown>;
  #node: Promise<TreeNode> | undefined;
  #behavior: Behavior<never, unknown> | undefined;
  #failures: readonly number[] = [];
  /** Messages in a row that failed because of a cause outside the actor. */
  #hindered = 0;
  #notBefore = 0;
  #lastMessage: number;
  /** The last message whose handling began, with its time on both clocks. */
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

  /** Returns the state of the actor, for operators. */
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

  /** True if the actor has been idle long enough to be unloaded. @param now time of the monotonic clock */
  idleSince(now: number): boolean {
    const { idleMs } = this.#deps.kind;
    return idleMs !== undefined && this.#mailbox.size === 0 && now - this.#lastMessage >= idleMs;
  }

  deliver(envelope: Envelope<Command>): Promise<unknown> {
    this.#lastMessage = this.#deps.clock.steady();
    return this.#mailbox.push(envelope);
  }

  /** Resolves when the mailbox is empty. */
  idle(): Promise<void> {
    if (this.#mailbox.size === 0) return Promise.resolve();
    return new Promise((resolve) => this.#idleWaiters.push(resolve));
  }

  /** Stops the actor. Errors are ignored. */
  async stop(why: string): Promise<void> {
    this.#stopped ??= why;
    const behavior = this.#behavior;
    this.#behavior = undefined;
    await behavior?.stop?.().catch(() => undefined);
    await this.#node?.then((node) => node.remove()).catch(() => undefined);
  }

  /** Passes a message through the tree, so that the node sees every message of its actor. */
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
      // The node refused the message, not the actor: the node is being removed.
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

  /** Unloads the actor. The next message loads it from its last snapshot after the back-off, unless the failure escalates. */
  async #fail(error: unknown): Promise<void> {
    const { clock, kind } = this.#deps;
    const behavior = this.#behavior;
    this.#behavior = undefined;
    // An error while stopping must not hide the first error.
    await behavior?.stop?.().catch(() => undefined);
    this.#deps.onFailure(error, !(error instanceof DeliveryError || isTransient(error)));
    // The failure of another actor is counted there.
    if (error instanceof DeliveryError) return;
    // The actor is not at fault, but it backs off: to load a large actor for every message while the disk is full would be slow.
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
