import type { Logger } from '../../config/logger.ts';
import { startComponent, type ComponentProcess, type Launch } from '../../processes/component-process.ts';
import type { ProcessNotes } from '../../processes/process-notes.ts';
import type { Owner, Store } from '../../store/store.ts';
import type { Clock } from '../runtime/clock.ts';
import { DEFAULT_INTENSITY } from '../runtime/supervision.ts';
import type { ActorKind, Behavior, Envelope } from '../runtime/system.ts';
import { SERVICE_COMMANDS, type ServiceCommand } from './commands.ts';
import type { ServiceEffect } from './effects.ts';
import { StoredMemory } from './memory.ts';
import { NEW_SERVICE, type ServiceState, type ServiceStatus } from './state.ts';
import { decideService, type RestartPolicy } from './transitions.ts';

export const SERVICE = 'service';

export interface ServiceDeps {
  /** The node manager that they belong to. */
  readonly manager: { readonly kind: string; readonly id: string };
  readonly store: Store;
  readonly owner: Owner;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly notes: ProcessNotes;
  policy(id: string): RestartPolicy;
  /** Time a process has from its start until it asks for work; undefined: it need never do so. */
  startMs(id: string): number | undefined;
  /** How the process of this incarnation is started; makes its token. */
  launch(id: string, incarnation: number): Launch;
  /** Whether the process has asked for work by now. */
  isUp(worker: string): boolean;
  /** The same, asked once, when it has ended. */
  cameUp(worker: string): boolean;
  /** After every command that changed something. */
  changed(id: string, state: ServiceState): void;
  tell(id: string, command: ServiceCommand): void;
  gone(worker: string, counted: boolean, reason: string): void;
  unavailable(id: string, reason: string): void;
  removed(id: string): void;
}

/** `<host>:<service>:<n>` and its incarnation: the name under which a process holds leases. */
export const workerName = (id: string, incarnation: number) => `${id}#${incarnation}`;

export function serviceKind(deps: ServiceDeps): ActorKind<ServiceCommand, ServiceState> {
  // Outlives a restart of the actor, which goes on where it was; its process was ended, and that news is on its way.
  const states = new Map<string, ServiceState>();
  return {
    name: SERVICE,
    accepts: SERVICE_COMMANDS,
    mailbox: 1_000,
    intensity: DEFAULT_INTENSITY,
    parent: deps.manager,
    load: async (id) => {
      const memory = new StoredMemory(deps.store, deps.owner, { kind: SERVICE, id }, deps.logger);
      const stored = await memory.load();
      return new Service(id, states.get(id) ?? stored, memory, {
        ...deps,
        changed: (_, state) => {
          states.set(id, state);
          deps.changed(id, state);
        },
      });
    },
  };
}

/** One component process and the decisions about it; the process dies with the actor. */
class Service implements Behavior<ServiceCommand, ServiceState> {
  readonly #id: string;
  readonly #deps: ServiceDeps;
  readonly #memory: StoredMemory;
  #state: ServiceState;
  #process: ComponentProcess | undefined;

  constructor(id: string, state: ServiceState, memory: StoredMemory, deps: ServiceDeps) {
    this.#id = id;
    this.#deps = deps;
    this.#memory = memory;
    this.#state = state;
    deps.changed(id, state);
  }

  get status(): ServiceStatus {
    return this.#state.status;
  }

  async handle({ command, at }: Envelope<ServiceCommand>): Promise<ServiceState> {
    const { state, effects } = decideService(this.#begin(command), command, at, this.#deps.policy(this.#id));
    this.#state = state;
    this.#deps.changed(this.#id, state);
    await this.#memory.keep(state);
    for (const effect of effects) this.#perform(effect);
    return state;
  }

  stop(): Promise<void> {
    this.#process?.signal('SIGKILL');
    return Promise.resolve();
  }

  /** A service that was removed and is configured once more begins a new life; only its processes are counted on. */
  #begin({ type }: ServiceCommand): ServiceState {
    const { status, incarnation } = this.#state;
    return type === 'configure' && status === 'DeleteInactive'
      ? { ...NEW_SERVICE, incarnation }
      : this.#state;
  }

  #perform(effect: ServiceEffect): void {
    const { clock, tell } = this.#deps;
    switch (effect.type) {
      case 'spawn':
        return this.#spawn(effect.incarnation);
      case 'signal':
        return this.#process?.signal(effect.signal);
      case 'killLater': {
        const process = this.#process;
        clock.after(effect.afterMs, () => process?.signal('SIGKILL'));
        return;
      }
      case 'relaunchLater':
        clock.after(effect.delayMs, () =>
          tell(this.#id, { type: 'relaunch', incarnation: effect.incarnation }),
        );
        return;
      case 'gone':
        this.#process = undefined;
        return this.#deps.gone(workerName(this.#id, effect.incarnation), effect.counted, effect.reason);
      case 'unavailable':
        return this.#deps.unavailable(this.#id, effect.reason);
      case 'removed':
        return this.#deps.removed(this.#id);
    }
  }

  #spawn(incarnation: number): void {
    const { logger, tell, notes } = this.#deps;
    let noted: number | undefined;
    const worker = workerName(this.#id, incarnation);
    this.#process = startComponent(this.#deps.launch(this.#id, incarnation), {
      started: (pid) => {
        logger.info({ worker, pid }, 'component process started');
        notes.add((noted = pid));
        this.#expectWork(worker, incarnation);
        tell(this.#id, { type: 'started', incarnation, pid });
      },
      ended: ({ code, signal, error, unstartable }) => {
        const reason =
          error ??
          (signal === null ? `the process exited with code ${code}` : `the process was ended by ${signal}`);
        logger.info({ worker, reason }, 'component process ended');
        if (noted !== undefined) notes.remove(noted);
        const cameUp = this.#deps.cameUp(worker);
        const never = unstartable === true ? { unstartable } : {};
        tell(this.#id, { type: 'ended', incarnation, cameUp, reason, ...never });
      },
      line: (stream, text) => logger.debug({ worker, stream }, text),
    });
  }

  #expectWork(worker: string, incarnation: number): void {
    const startMs = this.#deps.startMs(this.#id);
    if (startMs === undefined) return;
    this.#deps.clock.after(startMs, () => {
      const reason = `it did not ask for work within ${startMs} ms of its start`;
      if (!this.#deps.isUp(worker)) this.#deps.tell(this.#id, { type: 'kill', incarnation, reason });
    });
  }
}
