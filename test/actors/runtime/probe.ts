/** An actor whose messages contain the function that it runs, and an actor system for it. */
import { VirtualClock } from '../../support/virtual-clock.ts';
import { ComedyTree } from '../../../actors/runtime/comedy-tree.ts';
import type { RestartIntensity } from '../../../actors/runtime/supervision.ts';
import { ActorSystem, type ActorKind, type DeadLetter, type Family } from '../../../actors/runtime/system.ts';
import type { ActorTree } from '../../../actors/runtime/tree.ts';
import { until } from '../../support/until.ts';
import { PlainTree } from './plain-tree.ts';

export const TREES: Readonly<Record<string, () => ActorTree>> = {
  'comedy tree': () => new ComedyTree(),
  'plain tree': () => new PlainTree(),
};

/** In-memory actors accept any object, so the message contains the work. */
export interface Do {
  readonly type: 'do';
  work(): unknown;
}

export interface ProbeOptions {
  readonly mailbox?: number;
  readonly intensity?: Partial<RestartIntensity>;
  readonly idleMs?: number;
  load?(id: string, loads: number): Promise<void>;
  stop?(id: string): Promise<void>;
  onEscalation?(id: string, error: unknown): Promise<void>;
}

export const INTENSITY: RestartIntensity = { restarts: 3, withinMs: 60_000, delayMs: 50, maxDelayMs: 150 };

export class Stage {
  readonly clock = new VirtualClock(1_000_000);
  readonly system: ActorSystem;
  readonly tree: ActorTree;
  readonly probes: Family<Do, unknown>;
  /** Number of loads, by id. */
  readonly loads = new Map<string, number>();
  readonly restarted: { actor: string; delayMs: number }[] = [];
  readonly escalated: string[] = [];
  readonly deadLetters: DeadLetter[] = [];
  readonly stopped: string[] = [];

  constructor(tree: ActorTree, options: ProbeOptions = {}) {
    this.tree = tree;
    this.system = new ActorSystem(tree, this.clock, {
      onRestart: (actor, _, delayMs) => this.restarted.push({ actor, delayMs }),
      onEscalation: (actor) => this.escalated.push(actor),
      deadLetter: (letter) => this.deadLetters.push(letter),
    });
    this.probes = this.system.register(this.#kind(options));
  }

  #kind(options: ProbeOptions): ActorKind<Do, unknown> {
    return {
      name: 'probe',
      accepts: new Set(['do'] as const),
      mailbox: options.mailbox ?? 100,
      intensity: { ...INTENSITY, ...options.intensity },
      ...(options.idleMs === undefined ? {} : { idleMs: options.idleMs }),
      load: async (id) => {
        const loads = this.loadsOf(id) + 1;
        this.loads.set(id, loads);
        await options.load?.(id, loads);
        return {
          handle: async ({ command }) => command.work(),
          stop: async () => {
            this.stopped.push(id);
            await options.stop?.(id);
          },
        };
      },
      ...(options.onEscalation === undefined ? {} : { onEscalation: options.onEscalation }),
    };
  }

  loadsOf(id: string): number {
    return this.loads.get(id) ?? 0;
  }

  ask(id: string, work: () => unknown, options?: { deadlineMs?: number }): Promise<unknown> {
    return this.probes.ask(id, { type: 'do', work }, options);
  }

  /** Sends a message and returns the reply, or the reason of the failure. */
  async outcome(id: string, work: () => unknown, options?: { deadlineMs?: number }): Promise<unknown> {
    return this.ask(id, work, options).catch((error: unknown) => reasonOf(error));
  }

  /** Advances the clock until the promise settles. */
  async passTime<T>(promise: Promise<T>, stepMs = 10): Promise<T> {
    let settled = false;
    const mark = () => {
      settled = true;
    };
    promise.then(mark, mark);
    await happens('the promise settles', async () => {
      if (!settled) await this.clock.advance(stepMs);
      return settled;
    });
    return promise;
  }
}

export const reasonOf = (error: unknown): unknown => (error as { reason?: unknown }).reason ?? error;

/** Checks the condition at every turn of the event loop. */
export function happens(what: string, look: () => boolean | Promise<boolean>): Promise<boolean> {
  return until(what, look, Boolean, { everyMs: 0, withinMs: 20_000 });
}

export interface Gate {
  readonly opened: Promise<void>;
  open(): void;
}

export function gate(): Gate {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

export const fail =
  (message = 'on purpose') =>
  () => {
    throw new Error(message);
  };

/** Waits several turns of the event loop, of each kind. */
export async function turns(n: number): Promise<void> {
  for (let i = 0; i < n; i++)
    await (i % 2 === 0 ? Promise.resolve() : new Promise((resolve) => setImmediate(resolve)));
}
