/** Applies the faults of a run to real processes. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Balancer } from '../../support/servers/balancer.ts';
import type { NodeProcess } from '../../support/processes/node-process.ts';
import { isAlive } from '../../support/processes/processes.ts';
import type { TestRedis } from '../../support/redis/redis.ts';
import type { Service } from '../../support/processes/service.ts';
import type { Struck } from './chaos-history.ts';
import type { Direction, Link } from './chaos-link.ts';
import { FAR } from './chaos-node.ts';
import type { Clock, OwnFolder } from './chaos-surroundings.ts';
import type { Fault } from './chaos-plan.ts';

export interface Member {
  readonly service: Service;
  /** Its connection to Redis. */
  readonly link: Link;
  readonly clock?: Clock | undefined;
  state: 'up' | 'frozen' | 'cut off' | 'down';
}

/** A node on another host, with its connection to the servers. */
export interface FarNode {
  readonly process: NodeProcess;
  readonly balancer: Balancer;
  readonly link: Link;
  state: 'up' | 'struck';
}

export interface FaultsDeps {
  readonly redis: TestRedis;
  readonly members: readonly Member[];
  /** The data folder of all servers; absent: the folder has no faults. */
  readonly dataDir?: OwnFolder | undefined;
  node(): FarNode | undefined;
  /** Called when a server has restarted at another address. */
  onMoved(): void;
}

const AGAIN_MS = 300;
/** Tokens of clients are valid for longer than this. */
const LONGEST_JUMP_S = 60;
const SHARE_KILLED_IN_DRAIN = 0.4;
const KILLED_AFTER_MS = 5_000;

export class Faults {
  readonly struck: Struck[] = [];
  readonly #deps: FaultsDeps;
  #redisIsWell = true;
  #folderIsWell = true;
  /** Restarts and recoveries that are not yet complete. */
  readonly #underWay = new Set<Promise<void>>();

  constructor(deps: FaultsDeps) {
    this.#deps = deps;
  }

  /** Applies a fault and logs it. The recovery runs in the background. */
  strike(fault: Fault): void {
    const done = this.#strike(fault);
    const struck = this.struck.at(-1);
    if (done === undefined) return;
    const over = done.then(() => {
      if (struck !== undefined) Object.assign(struck, { until: Date.now() });
    });
    this.#underWay.add(over);
    void over.finally(() => this.#underWay.delete(over));
  }

  #strike(fault: Fault): Promise<void> | undefined {
    switch (fault.kind) {
      case 'killServer':
        return this.#onMember(fault, (member) => this.#killServer(member, fault.ms));
      case 'freezeServer':
        return this.#onMember(fault, (member) => this.#freezeServer(member, fault.ms));
      case 'stopServer':
        return this.#onMember(fault, (member) => this.#stopServer(member, fault));
      case 'cutServer':
        return this.#onMember(fault, (member) => this.#cutServer(member, fault.ms));
      case 'halfCutServer':
        return this.#onMember(fault, (member) =>
          this.#cutServer(member, fault.ms, fault.draw < 0.5 ? 'there' : 'back'),
        );
      case 'killNode':
        return this.#onNode(fault, async ({ process }) => {
          await process.kill9();
          await sleep(fault.ms);
          process.start();
        });
      case 'freezeNode':
        return this.#onNode(fault, async ({ process }) => {
          process.signal('SIGSTOP');
          await sleep(fault.ms);
          process.signal('SIGCONT');
        });
      case 'cutNode':
        return this.#onNode(fault, async ({ link }) => {
          link.cut();
          await sleep(fault.ms);
          link.mend();
        });
      case 'killRedis':
        return this.#onRedis(fault, async () => {
          await this.#deps.redis.kill();
          await sleep(fault.ms);
          await this.#deps.redis.start();
        });
      case 'freezeRedis':
        return this.#onRedis(fault, async () => {
          this.#deps.redis.freeze();
          await sleep(fault.ms);
          this.#deps.redis.thaw();
        });
      case 'refuseWrites':
        return this.#onRedis(fault, async () => {
          await this.#deps.redis.set('min-replicas-to-write', '1');
          await sleep(fault.ms);
          await this.#deps.redis.set('min-replicas-to-write', '0');
        });
      case 'jumpClock':
        return this.#onMember(fault, async ({ clock }) => {
          clock?.jump(Math.round((fault.draw - 0.5) * 2 * LONGEST_JUMP_S));
          await sleep(fault.ms);
          clock?.jump(0);
        });
      case 'hangFolder':
        return this.#onFolder(fault, (folder) => [() => folder.hang(), () => folder.resume()]);
      case 'fillFolder':
        return this.#onFolder(fault, (folder) => [() => folder.fill(), () => folder.empty()]);
      case 'killComponent':
        return this.#killComponent(fault.draw);
    }
  }

  #onMember(fault: Extract<Fault, { server: number }>, work: (member: Member) => Promise<void>) {
    const member = this.#deps.members[fault.server];
    if (member?.state !== 'up') return undefined;
    this.#note({ kind: fault.kind, server: fault.server });
    return work(member);
  }

  #onFolder(
    { kind, ms }: Extract<Fault, { readonly ms: number }>,
    change: (folder: OwnFolder) => readonly [begin: () => void, end: () => void],
  ): Promise<void> | undefined {
    const { dataDir } = this.#deps;
    if (dataDir === undefined || !this.#folderIsWell) return undefined;
    this.#folderIsWell = false;
    this.#note({ kind });
    const [begin, end] = change(dataDir);
    begin();
    return sleep(ms).then(() => {
      end();
      this.#folderIsWell = true;
    });
  }

  #onRedis({ kind }: Fault, work: () => Promise<void>): Promise<void> | undefined {
    if (!this.#redisIsWell) return undefined;
    this.#redisIsWell = false;
    this.#note({ kind });
    return work().finally(() => (this.#redisIsWell = true));
  }

  #onNode({ kind }: Fault, work: (node: FarNode) => Promise<void>): Promise<void> | undefined {
    const node = this.#deps.node();
    if (node?.state !== 'up') return undefined;
    node.state = 'struck';
    this.#note({ kind, worker: FAR });
    return work(node).finally(() => (node.state = 'up'));
  }

  async #killServer(member: Member, ms: number): Promise<void> {
    member.state = 'down';
    await member.service.kill9();
    await this.#startAgain(member, ms);
  }

  /** Stops in order, but some servers are killed during their drain. */
  async #stopServer(
    member: Member,
    { draw, ms }: { readonly draw: number; readonly ms: number },
  ): Promise<void> {
    member.state = 'down';
    const stopped = member.service.stop();
    if (draw < SHARE_KILLED_IN_DRAIN) {
      await Promise.race([stopped, sleep(KILLED_AFTER_MS * draw)]);
      if (isAlive(member.service)) await member.service.kill9();
    }
    await stopped;
    await this.#startAgain(member, ms);
  }

  async #cutServer(member: Member, ms: number, direction: Direction = 'both'): Promise<void> {
    member.state = 'cut off';
    member.link.cut(direction);
    await sleep(ms);
    member.link.mend();
    member.state = 'up';
  }

  async #startAgain(member: Member, ms: number): Promise<void> {
    await sleep(ms);
    // A server does not start without Redis, so this is repeated.
    while (
      !(await member.service.start().then(
        () => true,
        () => false,
      ))
    )
      await sleep(AGAIN_MS);
    this.#deps.onMoved();
    member.state = 'up';
  }

  async #freezeServer(member: Member, ms: number): Promise<void> {
    member.state = 'frozen';
    process.kill(member.service.pid, 'SIGSTOP');
    await sleep(ms);
    process.kill(member.service.pid, 'SIGCONT');
    member.state = 'up';
  }

  /**
   * Kills only a component that has had work: five exits before that would mark it as impossible to start.
   */
  #killComponent(draw: number): Promise<void> | undefined {
    const alive = this.#deps.members.flatMap(({ service }, server) => {
      const atWork = new Set(service.handedOut().map(({ worker }) => worker));
      return service
        .log('component process started')
        .filter(({ worker, pid }) => atWork.has(worker as string) && isAlive({ pid }))
        .map(({ worker, pid }) => ({ server, pid, worker: worker as string }));
    });
    const one = alive[Math.floor(draw * alive.length)];
    if (one === undefined) return undefined;
    process.kill(one.pid, 'SIGKILL');
    this.#note({ kind: 'killComponent', ...one });
    return undefined;
  }

  #note(what: Omit<Struck, 'at' | 'until'>): void {
    this.struck.push({ at: Date.now(), until: Date.now(), ...what });
  }

  /** Waits until all servers, nodes and Redis are available again. */
  async waitUntilSettled(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.all(this.#underWay);
  }
}
