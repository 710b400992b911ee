import type { Logger } from '../../config/logger.ts';
import { startComponent, type ComponentProcess, type Launch } from '../../processes/component-process.ts';
import type { ProcessNotes } from '../../processes/process-notes.ts';
import type { ServiceLine } from './service-logs.ts';
import { assertNever } from '../basics/assert-never.ts';
import type { Clock } from '../basics/clock.ts';
import { inMemory } from '../runtime/in-memory.ts';
import { commandsOf } from '../runtime/machine.ts';
import { DEFAULT_INTENSITY } from '../runtime/supervision.ts';
import type { ActorKind } from '../runtime/system.ts';
import type { ServiceCommand } from './commands.ts';
import type { ServiceEffect } from './effects.ts';
import type { MemoryOf } from './memory.ts';
import type { ServiceState } from './state.ts';
import { SERVICE_MACHINE, type RestartPolicy, type ServiceReply, type ServiceTypes } from './transitions.ts';

export const SERVICE = 'service';

export interface ServiceDeps {
  /** The node manager of these services. */
  readonly manager: { readonly kind: string; readonly id: string };
  readonly memoryOf: MemoryOf;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly notes: ProcessNotes;
  policy(id: string): RestartPolicy;
  /** Time from the start of a process until it must claim work. Undefined if it need not claim work. */
  startMs(id: string): number | undefined;
  /** Makes the command line of the process of this incarnation, and its token. */
  launch(id: string, incarnation: number): Launch;
  /** True if the process has claimed work. */
  isUp(worker: string): boolean;
  /** True if the process can reach its server. */
  couldAsk(): boolean;
  /** Like `isUp`, called once after the end of the process. */
  cameUp(worker: string): boolean;
  /** Called after every command that changed the state. */
  onChange(id: string, state: ServiceState): void;
  tell(id: string, command: ServiceCommand): void;
  releaseWorker(worker: string, counted: boolean, reason: string): void;
  unavailable(id: string, reason: string): void;
  /** Called with output and events of the process. */
  line(id: string, line: ServiceLine): void;
  onRemoved(id: string): void;
}

/** `<host>:<service>:<n>` and its incarnation: the worker name under which a process holds leases. */
export const workerName = (id: string, incarnation: number) => `${id}#${incarnation}`;

export function serviceKind(deps: ServiceDeps): ActorKind<ServiceCommand, ServiceReply> {
  // The states survive a restart of the actor, which continues from them. Its process was ended, and the actor is about to get that
  // message.
  const states = new Map<string, ServiceState>();
  return {
    name: SERVICE,
    accepts: commandsOf(SERVICE_MACHINE),
    mailbox: 1_000,
    intensity: DEFAULT_INTENSITY,
    parent: deps.manager,
    load: async (id) => {
      const memory = deps.memoryOf(id);
      const stored = await memory.load();
      const state = states.get(id) ?? stored;
      const show = (after: ServiceState) => {
        states.set(id, after);
        deps.onChange(id, after);
      };
      show(state);
      const process = new ServiceProcess(id, deps);
      return inMemory<ServiceTypes>({
        machine: SERVICE_MACHINE,
        state,
        context: ({ at }) => ({ at, policy: deps.policy(id) }),
        onChange: (after) => {
          show(after);
          return memory.keep(after);
        },
        perform: (effects) => {
          for (const effect of effects) process.perform(effect);
          return Promise.resolve(undefined);
        },
        status: ({ status }) => status,
        stop: () => process.end(),
      });
    },
  };
}

/** The component process of a service. It ends with the actor. */
class ServiceProcess {
  readonly #id: string;
  readonly #deps: ServiceDeps;
  #process: ComponentProcess | undefined;

  constructor(id: string, deps: ServiceDeps) {
    this.#id = id;
    this.#deps = deps;
  }

  end(): Promise<void> {
    this.#process?.signal('SIGKILL');
    return Promise.resolve();
  }

  perform(effect: ServiceEffect): void {
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
        return this.#deps.releaseWorker(
          workerName(this.#id, effect.incarnation),
          effect.counted,
          effect.reason,
        );
      case 'unavailable':
        return this.#deps.unavailable(this.#id, effect.reason);
      case 'removed':
        return this.#deps.onRemoved(this.#id);
      default:
        return assertNever(effect);
    }
  }

  #spawn(incarnation: number): void {
    const { logger, tell, notes } = this.#deps;
    let noted: number | undefined;
    const worker = workerName(this.#id, incarnation);
    const line = (source: ServiceLine['source'], text: string) =>
      this.#deps.line(this.#id, { at: this.#deps.clock.now(), worker, source, text });
    this.#process = startComponent(this.#deps.launch(this.#id, incarnation), {
      onStart: (pid) => {
        logger.info({ worker, pid }, 'component process started');
        line('process', `The process was started, with pid ${pid}.`);
        notes.add((noted = pid));
        this.#expectWork(worker, incarnation);
        tell(this.#id, { type: 'started', incarnation, pid });
      },
      onEnd: ({ code, signal, error, unstartable }) => {
        const reason =
          error ??
          (signal === null ? `the process exited with code ${code}` : `the process was ended by ${signal}`);
        logger.info({ worker, reason }, 'component process ended');
        line('process', `The process has ended: ${reason}.`);
        if (noted !== undefined) notes.remove(noted);
        const cameUp = this.#deps.cameUp(worker);
        const never = unstartable === true ? { unstartable } : {};
        tell(this.#id, { type: 'ended', incarnation, cameUp, reason, ...never });
      },
      line: (stream, text) => {
        logger.debug({ worker, stream }, text);
        line(stream, text);
      },
    });
  }

  #expectWork(worker: string, incarnation: number): void {
    const startMs = this.#deps.startMs(this.#id);
    if (startMs === undefined) return;
    this.#deps.clock.after(startMs, () => {
      if (this.#deps.isUp(worker)) return;
      if (!this.#deps.couldAsk()) return this.#expectWork(worker, incarnation);
      const reason = `it did not ask for work within ${startMs} ms of its start`;
      this.#deps.tell(this.#id, { type: 'kill', incarnation, reason });
    });
  }
}
