import { PAUSE_KINDS, type Pause, type PauseKind } from './model.ts';

type Paused = ReadonlyMap<string, Pause>;

/** The current pauses, as far as this server knows. Other servers may have changed them a moment ago. */
export class PauseBook {
  readonly #server: string;
  #by: ReadonlyMap<PauseKind, Paused> = byKind([]);

  /** @param server name of this server's own node */
  constructor(server: string) {
    this.#server = server;
  }

  /** Returns true if a pause has ended. */
  replace(pauses: readonly Pause[]): boolean {
    const before = this.#by;
    this.#by = byKind(pauses);
    return PAUSE_KINDS.some((kind) =>
      [...before.get(kind)!.keys()].some((name) => this.find(kind, name) === undefined),
    );
  }

  find(kind: PauseKind, name: string): Pause | undefined {
    return this.#by.get(kind)!.get(name);
  }

  all(kind: PauseKind): readonly Pause[] {
    return [...this.#by.get(kind)!.values()];
  }

  /** True if this server accepts no new jobs and hands out no work. */
  get isDraining(): boolean {
    return this.find('server', this.#server) !== undefined;
  }

  /** The queues from which this worker may get work. Workers are named `<host>:<service>:<n>#<start>`, or otherwise. */
  openQueues(queues: readonly string[], worker: string): readonly string[] {
    const service = worker.replace(/#\d+$/, '');
    const [node = ''] = service.split(':', 1);
    const drains = this.isDraining || this.#has('service', service) || this.#has('node', node);
    return drains ? [] : queues.filter((queue) => !this.#has('queue', queue));
  }

  /** Why no component gets work of this queue. Undefined if components get work. */
  reason(queue: string): string | undefined {
    const pause = this.find('queue', queue);
    if (pause !== undefined) return `${pause.by} has paused the queue`;
    return this.isDraining ? `the server ${this.#server} is draining` : undefined;
  }

  /** Names of draining nodes, and of draining processes of this service. '' if there are none. */
  drainingFor(service: string | undefined): string {
    const services = this.all('service').filter(({ name }) => name.split(':')[1] === service);
    return [...this.all('node'), ...services].map(({ name }) => name).join(', ');
  }

  #has(kind: PauseKind, name: string): boolean {
    return this.#by.get(kind)!.has(name);
  }
}

/** An object with one member of this name: the user who paused it, and the time (ISO 8601). Empty if there is no pause. */
export const pausedSince = <N extends string>(
  name: N,
  pause: Pause | undefined,
): { readonly [K in N]?: { readonly since: string; readonly by: string } } =>
  pause === undefined
    ? {}
    : ({ [name]: { since: new Date(pause.at).toISOString(), by: pause.by } } as {
        readonly [K in N]: { readonly since: string; readonly by: string };
      });

const byKind = (pauses: readonly Pause[]): ReadonlyMap<PauseKind, Paused> =>
  new Map(
    PAUSE_KINDS.map((kind) => [
      kind,
      new Map(pauses.filter((pause) => pause.kind === kind).map((pause) => [pause.name, pause])),
    ]),
  );
