import type { Logger } from '../../config/logger.ts';
import type { ProcessNotes } from '../../processes/process-notes.ts';
import { SharedProcess } from '../../processes/shared-process.ts';
import { launchOf, type LaunchFacts } from '../service/launch.ts';
import { networkProcess, type ManagedComponent } from './components.ts';

export interface SharedNetworksDeps extends Pick<LaunchFacts, 'inherited' | 'places' | 'home' | 'maxMemory'> {
  /** Installed components, which a configuration may name. */
  readonly components: readonly ManagedComponent[];
  /** The server's own components, which always run. */
  readonly own: readonly ManagedComponent[];
  /** Notes of the running processes, for the next server on this host. */
  readonly notes: ProcessNotes;
  /** Milliseconds without work after which services on demand end their processes; 0: never. */
  readonly idleMs: number;
  readonly logger: Logger;
}

/** The process of this host that runs large networks for all live streams, so that each stream needs less memory. */
export class SharedNetworks {
  readonly #deps: SharedNetworksDeps;
  #process: SharedProcess | undefined;
  #isOpen = false;

  constructor(deps: SharedNetworksDeps) {
    this.#deps = deps;
  }

  /** Path of its socket, for the process of a stream. Undefined if there can be none; then each stream runs its own networks. */
  get path(): string | undefined {
    if (!this.#isOpen) {
      this.#isOpen = true;
      this.#process = this.#listen();
    }
    return this.#process?.path;
  }

  close(): void {
    this.#process?.close();
  }

  #listen(): SharedProcess | undefined {
    const { components, own, notes, idleMs, logger } = this.#deps;
    const model = networkProcess([...own, ...components]);
    if (model === undefined) return undefined;
    const service = model.serviceName;
    const facts = { ...this.#deps, bootstrap: {}, serverUrl: '', token: '', fullName: service };
    try {
      return SharedProcess.listen({
        ...{ path: notes.socketPath('networks'), idleMs },
        launch: () => ({ ...launchOf(model, facts), takesConnections: true }),
        onStart: (pid) => {
          logger.info({ service, pid }, 'process of the networks started');
          notes.add(pid);
        },
        onEnd: (pid, reason) => {
          logger.info({ service, reason }, 'process of the networks ended');
          if (pid !== undefined) notes.remove(pid);
        },
        line: (text) => logger.debug({ service }, text),
      });
    } catch (error) {
      logger.warn(
        { error: String(error) },
        'Each live stream runs its own networks, which takes more memory.',
      );
      return undefined;
    }
  }
}
