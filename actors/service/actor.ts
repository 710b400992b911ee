import type { Logger } from '../../config/logger.ts';
import { startComponent, type ComponentProcess, type Launch } from '../../node/component-process.ts';
import type { Clock } from '../runtime/clock.ts';
import { DEFAULT_INTENSITY } from '../runtime/supervision.ts';
import type { ActorKind, Behavior, Envelope } from '../runtime/system.ts';
import { SERVICE_COMMANDS, type ServiceCommand } from './commands.ts';
import type { ServiceEffect } from './effects.ts';
import { NEW_SERVICE, type ServiceState } from './state.ts';
import { decideService, type RestartPolicy } from './transitions.ts';

export const SERVICE = 'service';

export interface ServiceParts {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly policy: RestartPolicy;
  readonly stopMs: number;
  /** Time a process has from its start until it asks for work. */
  readonly startMs: number;
  /** How the process of this incarnation is started; makes its token. */
  launch(id: string, incarnation: number): Launch;
  /** Whether the process has asked for work by now. */
  isUp(worker: string): boolean;
  /** The same, asked once, when it has ended. */
  cameUp(worker: string): boolean;
  tell(id: string, command: ServiceCommand): void;
  gone(worker: string, counted: boolean, reason: string): void;
  unavailable(id: string, reason: string): void;
}

/** `<host>:<service>:<n>` and its incarnation: the name under which a process holds leases. */
export const workerName = (id: string, incarnation: number) => `${id}#${incarnation}`;

export function serviceKind(parts: ServiceParts): ActorKind<ServiceCommand, ServiceState> {
  // Outlives a restart of the actor: late news of an old process never fits a new one.
  const incarnations = new Map<string, number>();
  return {
    name: SERVICE,
    accepts: SERVICE_COMMANDS,
    mailbox: 1_000,
    intensity: DEFAULT_INTENSITY,
    load: (id) => Promise.resolve(new Service(id, parts, incarnations)),
  };
}

/** One component process and the decisions about it; the process dies with the actor. */
class Service implements Behavior<ServiceCommand, ServiceState> {
  readonly #id: string;
  readonly #parts: ServiceParts;
  readonly #incarnations: Map<string, number>;
  #state: ServiceState;
  #process: ComponentProcess | undefined;

  constructor(id: string, parts: ServiceParts, incarnations: Map<string, number>) {
    this.#id = id;
    this.#parts = parts;
    this.#incarnations = incarnations;
    this.#state = { ...NEW_SERVICE, incarnation: incarnations.get(id) ?? 0 };
  }

  handle({ command, at }: Envelope<ServiceCommand>): Promise<ServiceState> {
    const { state, effects } = decideService(this.#state, command, at, this.#parts.policy);
    this.#state = state;
    this.#incarnations.set(this.#id, state.incarnation);
    for (const effect of effects) this.#perform(effect);
    return Promise.resolve(state);
  }

  stop(): Promise<void> {
    this.#process?.signal('SIGKILL');
    return Promise.resolve();
  }

  #perform(effect: ServiceEffect): void {
    const { clock, tell, policy: _, ...parts } = this.#parts;
    switch (effect.type) {
      case 'spawn':
        return this.#spawn(effect.incarnation);
      case 'signal':
        return this.#process?.signal(effect.signal);
      case 'killLater': {
        const process = this.#process;
        clock.after(parts.stopMs, () => process?.signal('SIGKILL'));
        return;
      }
      case 'relaunchLater':
        clock.after(effect.delayMs, () =>
          tell(this.#id, { type: 'relaunch', incarnation: effect.incarnation }),
        );
        return;
      case 'gone':
        this.#process = undefined;
        return this.#parts.gone(workerName(this.#id, effect.incarnation), effect.counted, effect.reason);
      case 'unavailable':
        return this.#parts.unavailable(this.#id, effect.reason);
    }
  }

  #spawn(incarnation: number): void {
    const { logger, tell } = this.#parts;
    const worker = workerName(this.#id, incarnation);
    this.#process = startComponent(this.#parts.launch(this.#id, incarnation), {
      started: (pid) => {
        logger.info({ worker, pid }, 'component process started');
        this.#parts.clock.after(this.#parts.startMs, () => {
          const reason = `it did not ask for work within ${this.#parts.startMs} ms of its start`;
          if (!this.#parts.isUp(worker)) tell(this.#id, { type: 'kill', incarnation, reason });
        });
        tell(this.#id, { type: 'started', incarnation, pid });
      },
      ended: ({ code, signal, error }) => {
        const reason =
          error ??
          (signal === null ? `the process exited with code ${code}` : `the process was ended by ${signal}`);
        logger.info({ worker, reason }, 'component process ended');
        tell(this.#id, { type: 'ended', incarnation, cameUp: this.#parts.cameUp(worker), reason });
      },
      line: (stream, text) => logger.debug({ worker, stream }, text),
    });
  }
}
