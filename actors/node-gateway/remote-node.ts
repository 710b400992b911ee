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
  /** Time without a message until the node counts as silent, in milliseconds. */
  readonly silenceMs: number;
  readonly commands: NodeCommands;
  /** Stores the processes that the node reports. Undefined if the receiver of its message has stored them. */
  readonly report?: Pick<NodeReport, 'add' | 'remove'>;
  /** Returns the queues that processes of this service may serve on this node. */
  queuesOf(service: string): readonly string[];
  /** True if the processes of a service may do the work of a queue now. Other services may not serve a registered component. */
  mayServe(service: string, queue: string): boolean;
}

/** The state that a node reports of itself. */
export type ToldOfNode = Pick<SyncRequest, 'turn' | 'services' | 'processes' | 'installed' | 'draining'>;

/** States in which a service can take no work, and in which waiting work does not start it. */
const OUT: readonly DeployedServiceModel['lastKnownState'][] = [
  'InactiveNoStart',
  'ShuttingDownNoRestart',
  'Delete',
  'DeleteInactive',
];

/** True if the service can process work now, or after a start. */
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
  /** Queues that the services of the node serve, by their full names. */
  #queues: ReadonlyMap<string, readonly string[]> = new Map();
  #turn = -1;
  #taken = 0;
  #hearing: Promise<void> = Promise.resolve();
  /** Number of wanted processes in the last answer to the node, by queue. Forgotten when the services of the node change. */
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

  /** True if the node has announced its end. */
  get left(): boolean {
    return this.#left;
  }

  /** True if the node ends soon, so that its processes get no new work. */
  get draining(): boolean {
    return this.#draining;
  }

  get silent(): boolean {
    return this.#left || this.silenceMs >= this.#deps.silenceMs;
  }

  /** Milliseconds since the last message of the node. */
  get silenceMs(): number {
    return this.#deps.clock.steady() - this.#heardAt;
  }

  get services(): readonly DeployedServiceModel[] {
    return this.#services;
  }

  get installed(): readonly ServiceModel[] {
    return this.#installed;
  }

  /** Number of the last handled news. */
  get taken(): number {
    return this.#taken;
  }

  /** Takes the reported state. Returns false if a later message has already arrived. */
  take(told: ToldOfNode): boolean {
    if (told.turn <= this.#turn) return false;
    this.#turn = told.turn;
    this.noteHeard(0);
    // The sender of an earlier message no longer waits for its answer.
    this.wake();
    if (JSON.stringify(told.services) !== JSON.stringify(this.#services)) this.#told = new Map();
    this.#services = told.services;
    this.#queues = new Map(told.services.map(({ name }) => [name, this.#queuesOf(name)]));
    this.#installed = told.installed;
    this.#draining = told.draining === true;
    this.#takeProcesses(told);
    return true;
  }

  /** Notes that the node's last message arrived `agoMs` milliseconds ago. */
  noteHeard(agoMs: number): void {
    this.#heardAt = this.#deps.clock.steady() - agoMs;
  }

  /** Handles news one after the other. The node repeats news that is not confirmed, and news that arrives twice is handled once. */
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

  /** Returns the process with this token. The request itself shows that the process is up. */
  holderOf(tokenHash: string): TokenHolder | undefined {
    const worker = this.#processes.get(tokenHash);
    if (worker === undefined) return undefined;
    if (!this.#cameUp.has(worker)) {
      this.#cameUp.add(worker);
      const { stored, lost } = this.send({ type: 'cameUp', worker });
      // The next request of the process repeats the command. Otherwise its node would end the process.
      void stored.then((isStored) => isStored || this.#cameUp.delete(worker));
      void lost.then(() => this.#cameUp.delete(worker));
    }
    return { worker, queues: [...this.#queuesOf(worker)] };
  }

  /** Sends a command to the node. */
  send(command: NodeCommand): SentCommand {
    const sent = this.#deps.commands.add(command);
    this.wake();
    return sent;
  }

  get commands(): NodeCommands {
    return this.#deps.commands;
  }

  /** Returns the number of services that can take work of this queue, now or after a start. */
  capacity(queue: string): number {
    return this.#services.filter((service) => isAble(service) && this.#isServedBy(service.name, queue))
      .length;
  }

  /** Returns the number of services of this queue that can no longer be launched. */
  unlaunchable(queue: string): number {
    return this.#services.filter(({ name, unlaunchable }) => unlaunchable && this.#isServedBy(name, queue))
      .length;
  }

  /** True if a process that takes work of this queue is up. It may have asked another server. */
  serves(queue: string): boolean {
    const up = this.#services.filter(({ lastKnownState }) => lastKnownState === 'Running');
    return [...this.#cameUp, ...up.map(({ name }) => name)].some(
      (one) => this.#queuesOf(one).includes(queue) && this.#deps.mayServe(serviceOfWorker(one), queue),
    );
  }

  /** True if the node is configured to serve this queue. */
  isFor(queue: string): boolean {
    return [...this.#queues.keys()].some((name) => this.#isServedBy(name, queue));
  }

  #isServedBy(name: string, queue: string): boolean {
    const isFor = this.#queues.get(name)?.includes(queue) === true;
    return isFor && this.#deps.mayServe(serviceOfWorker(name), queue);
  }

  /** True if more processes are wanted than the last answer said. */
  isNews(queue: string, wanted: number): boolean {
    return wanted > (this.#told.get(queue) ?? 0);
  }

  tell(wanted: ReadonlyMap<string, number>): void {
    this.#told = wanted;
  }

  /** Called before every check for something to send. Events after this call end the next wait at once. */
  look(): void {
    this.#woken = false;
  }

  wake(): void {
    this.#woken = true;
    this.#resume();
  }

  /** Settles after a wake since the last look, after `ms`, or when `gone` aborts. */
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

  /** True if a message of a later turn has arrived. */
  isOver(turn: number): boolean {
    return turn < this.#turn;
  }

  /** Returns the queues of a service or of one of its processes. */
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
