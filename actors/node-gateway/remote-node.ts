import type { NodeReport } from '../node-manager/node-report.ts';
import type { DeployedServiceModel, NodeAbout, TokenHolder } from '../node-manager/node-state.ts';
import type { ServiceModel } from '../node-configuration/model.ts';
import type { Clock } from '../basics/clock.ts';
import type { NodeCommand, NodeNews, NumberedNews, SyncRequest } from './messages.ts';
import type { NodeCommands, SentCommand } from './numbered-commands.ts';
import { serviceOfWorker } from './rules.ts';

export interface RemoteNodeDeps {
  readonly about: NodeAbout;
  readonly clock: Clock;
  /** It is silent when it has not been heard of for so long. */
  readonly silenceMs: number;
  readonly commands: NodeCommands;
  /** Stores what it tells of its processes; absent: whoever took its message in has stored it. */
  readonly report?: Pick<NodeReport, 'add' | 'remove'>;
  /** Queues that processes of this service may serve on this node. */
  queuesOf(service: string): readonly string[];
  /** Whether the processes of a service may do the work of a queue now: that of a registered component is not for others. */
  mayServe(service: string, queue: string): boolean;
}

/** What a node tells of itself. */
export type ToldOfNode = Pick<SyncRequest, 'turn' | 'services' | 'processes' | 'installed' | 'draining'>;

/** States in which a service can take no work, and in which none that waits starts it. */
const OUT: readonly DeployedServiceModel['lastKnownState'][] = [
  'InactiveNoStart',
  'ShuttingDownNoRestart',
  'Delete',
  'DeleteInactive',
];

/** Whether the service can process work now, or after a start. */
export const isAble = ({ unlaunchable, lastKnownState }: DeployedServiceModel): boolean =>
  !unlaunchable && !OUT.includes(lastKnownState);

/**
 * One start of a node on another host, as this server knows it, in memory. State that must outlive the server or that others need is stored
 * separately.
 */
export class RemoteNode {
  readonly about: NodeAbout;
  readonly #deps: RemoteNodeDeps;
  #services: readonly DeployedServiceModel[] = [];
  #installed: readonly ServiceModel[] = [];
  /** Processes by the hashes of their tokens. */
  #processes: ReadonlyMap<string, string> = new Map();
  /** Processes that have asked for work. */
  readonly #cameUp = new Set<string>();
  /** Queues that its services serve, by full name. */
  #queues: ReadonlyMap<string, readonly string[]> = new Map();
  #turn = -1;
  #taken = 0;
  #hearing: Promise<void> = Promise.resolve();
  /** How many processes it was last told are wanted, by queue; forgotten when its services change. */
  #told: ReadonlyMap<string, number> = new Map();
  #heardAt: number;
  #left = false;
  #draining = false;
  #woken = false;
  #resume = () => {};

  constructor(deps: RemoteNodeDeps) {
    this.#deps = deps;
    this.about = deps.about;
    this.#heardAt = deps.clock.steady();
  }

  /** It has said that it ends. */
  get left(): boolean {
    return this.#left;
  }

  /** It is to end soon: its processes get no new work. */
  get draining(): boolean {
    return this.#draining;
  }

  get silent(): boolean {
    return this.#left || this.silenceMs >= this.#deps.silenceMs;
  }

  /** Since it was heard of. */
  get silenceMs(): number {
    return this.#deps.clock.steady() - this.#heardAt;
  }

  get services(): readonly DeployedServiceModel[] {
    return this.#services;
  }

  get installed(): readonly ServiceModel[] {
    return this.#installed;
  }

  /** Number of the last news that was taken. */
  get taken(): number {
    return this.#taken;
  }

  /** What comes after a later message says nothing any more: false. */
  take(told: ToldOfNode): boolean {
    if (told.turn <= this.#turn) return false;
    this.#turn = told.turn;
    this.noteHeard(0);
    // Whoever waits for an answer to an earlier message has given up.
    this.wake();
    if (JSON.stringify(told.services) !== JSON.stringify(this.#services)) this.#told = new Map();
    this.#services = told.services;
    this.#queues = new Map(told.services.map(({ name }) => [name, this.#queuesOf(name)]));
    this.#installed = told.installed;
    this.#draining = told.draining === true;
    this.#takeProcesses(told);
    return true;
  }

  /** It was heard of so many milliseconds ago. */
  noteHeard(agoMs: number): void {
    this.#heardAt = this.#deps.clock.steady() - agoMs;
  }

  /** Has news heard, one after the other. Each is taken only then: the node repeats what was not, and what comes twice is heard once. */
  hear(news: readonly NumberedNews[], hear: (one: NodeNews) => Promise<void>): Promise<void> {
    this.#hearing = this.#hearing
      .catch(() => undefined)
      .then(async () => {
        for (const one of news) {
          if (one.number <= this.#taken) continue;
          await hear(one);
          this.#taken = one.number;
        }
      });
    return this.#hearing;
  }

  leave(): void {
    this.#left = true;
  }

  /** The process that this token belongs to; that it asks tells that it is up. */
  holderOf(tokenHash: string): TokenHolder | undefined {
    const worker = this.#processes.get(tokenHash);
    if (worker === undefined) return undefined;
    if (!this.#cameUp.has(worker)) {
      this.#cameUp.add(worker);
      const { stored, lost } = this.send({ type: 'cameUp', worker });
      // Said again when it asks again, or its node would end it.
      void stored.then((isStored) => isStored || this.#cameUp.delete(worker));
      void lost.then(() => this.#cameUp.delete(worker));
    }
    return { worker, queues: [...this.#queuesOf(worker)] };
  }

  /** Has the node do something. */
  send(command: NodeCommand): SentCommand {
    const sent = this.#deps.commands.add(command);
    this.wake();
    return sent;
  }

  get commands(): NodeCommands {
    return this.#deps.commands;
  }

  /** Services that can take work of this queue, now or when they are started. */
  capacity(queue: string): number {
    return this.#services.filter((service) => isAble(service) && this.#isServedBy(service.name, queue))
      .length;
  }

  /** Services of this queue that cannot be launched any more. */
  unlaunchable(queue: string): number {
    return this.#services.filter(({ name, unlaunchable }) => unlaunchable && this.#isServedBy(name, queue))
      .length;
  }

  /** A process that takes work of this queue is up; it may have asked another server. */
  serves(queue: string): boolean {
    const up = this.#services.filter(({ lastKnownState }) => lastKnownState === 'Running');
    return [...this.#cameUp, ...up.map(({ name }) => name)].some(
      (one) => this.#queuesOf(one).includes(queue) && this.#deps.mayServe(serviceOfWorker(one), queue),
    );
  }

  /** Whether it is configured to serve this queue. */
  isFor(queue: string): boolean {
    return [...this.#queues.keys()].some((name) => this.#isServedBy(name, queue));
  }

  #isServedBy(name: string, queue: string): boolean {
    const isFor = this.#queues.get(name)?.includes(queue) === true;
    return isFor && this.#deps.mayServe(serviceOfWorker(name), queue);
  }

  /** So many processes are wanted: is that more than it was told? */
  isNews(queue: string, wanted: number): boolean {
    return wanted > (this.#told.get(queue) ?? 0);
  }

  tell(wanted: ReadonlyMap<string, number>): void {
    this.#told = wanted;
  }

  /** Before every look for something to tell: what comes from then on wakes whoever waits after it. */
  look(): void {
    this.#woken = false;
  }

  wake(): void {
    this.#woken = true;
    this.#resume();
  }

  /** Settles when somebody has woken it since the last look, after `ms`, or when `gone` aborts. */
  wait(ms: number, gone: AbortSignal): Promise<void> {
    if (this.#woken || gone.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const done = () => {
        cancel();
        gone.removeEventListener('abort', done);
        resolve();
      };
      const cancel = this.#deps.clock.after(ms, done);
      gone.addEventListener('abort', done);
      this.#resume = done;
    });
  }

  /** Whether a message of a later turn has come. */
  isOver(turn: number): boolean {
    return turn < this.#turn;
  }

  /** Of a service or of one of its processes. */
  #queuesOf = (name: string) => this.#deps.queuesOf(serviceOfWorker(name));

  #takeProcesses({ processes }: ToldOfNode): void {
    const { report } = this.#deps;
    const before = this.#processes;
    this.#processes = new Map(processes.map(({ tokenHash, worker }) => [tokenHash, worker]));
    const gone = [...before.keys()].filter((hash) => !this.#processes.has(hash));
    for (const [hash, worker] of this.#processes)
      if (!before.has(hash)) report?.add(hash, () => ({ worker, queues: [...this.#queuesOf(worker)] }));
    for (const hash of gone) this.#cameUp.delete(before.get(hash)!);
    if (gone.length > 0) report?.remove(gone);
  }
}
