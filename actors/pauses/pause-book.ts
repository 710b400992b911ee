import { PAUSE_KINDS, type Pause, type PauseKind } from './model.ts';

type Paused = ReadonlyMap<string, Pause>;

/** What is paused now, as far as this server knows: other servers may have changed it a moment ago. */
export class PauseBook {
  readonly #server: string;
  #by: ReadonlyMap<PauseKind, Paused> = byKind([]);

  /** @param server name of this server's own node */
  constructor(server: string) {
    this.#server = server;
  }

  /** True: something is not paused any more. */
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

  /** Whether this server takes no new jobs and hands out no work. */
  get isDraining(): boolean {
    return this.find('server', this.#server) !== undefined;
  }

  /** Those of the queues from which this worker (`<host>:<service>:<n>#<start>`, or any other name) may be given work. */
  openQueues(queues: readonly string[], worker: string): readonly string[] {
    const service = worker.replace(/#\d+$/, '');
    const [node = ''] = service.split(':', 1);
    const drains = this.isDraining || this.#has('service', service) || this.#has('node', node);
    return drains ? [] : queues.filter((queue) => !this.#has('queue', queue));
  }

  /** Why no work of this queue is handed out, whoever asks for it; undefined: it is. */
  reason(queue: string): string | undefined {
    const pause = this.find('queue', queue);
    if (pause !== undefined) return `${pause.by} has paused the queue`;
    return this.isDraining ? `the server ${this.#server} is draining` : undefined;
  }

  /** Services and nodes that drain of those that run this service; '' when none does. */
  drainingFor(service: string | undefined): string {
    const services = this.all('service').filter(({ name }) => name.split(':')[1] === service);
    return [...this.all('node'), ...services].map(({ name }) => name).join(', ');
  }

  #has(kind: PauseKind, name: string): boolean {
    return this.#by.get(kind)!.has(name);
  }
}

/** A member of this name with who paused it and since when (ISO 8601); empty when it is not paused. */
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
