/** Servers on one Redis and one folder, as processes that can be killed and frozen. */
import { mkdirSync, mkdtempSync, realpathSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { TestProvider } from '../access/support/provider.ts';
import { packageRoot } from '../../config/info.ts';
import { Balancer } from '../support/balancer.ts';
import { NodeProcess } from '../support/node-process.ts';
import { isAlive } from '../support/processes.ts';
import { TestRedis } from '../support/redis.ts';
import { settingsOf } from '../support/roles.ts';
import { Service } from '../support/service.ts';
import type { Struck } from './chaos-history.ts';
import { Link } from './chaos-link.ts';
import { configureNode, FAR } from './chaos-node.ts';
import type { Fault } from './chaos-plan.ts';

export const PREFIX = 'chaos';
export const LEASE_MS = 12_000;
/** With everysec a Redis that is killed while its disk is slow loses what it has answered in the last two seconds. */
const ALWAYS = ['--appendfsync', 'always'];
const AGAIN_MS = 300;
const TOKEN_MS = 240_000;
const SHARE_KILLED_IN_DRAIN = 0.4;
const KILLED_AFTER_MS = 5_000;

const nameOf = (server: number): string => `server-${server}`;

interface Member {
  readonly service: Service;
  /** Its way to Redis. */
  readonly link: Link;
  state: 'up' | 'frozen' | 'cut off' | 'down';
}

/** A host beside the servers, with its way to them. */
interface FarNode {
  readonly process: NodeProcess;
  readonly balancer: Balancer;
  readonly link: Link;
  state: 'up' | 'struck';
}

export class ChaosCluster {
  readonly redis: TestRedis;
  readonly folder: string;
  readonly struck: Struck[] = [];
  readonly #provider: TestProvider;
  readonly #members: Member[] = [];
  #far: FarNode | undefined;
  #redisIsWell = true;
  #token = { text: '', until: 0 };
  /** What is still to come up or to go on. */
  readonly #underWay = new Set<Promise<void>>();

  static async started(servers: number): Promise<ChaosCluster> {
    const cluster = new ChaosCluster(await TestRedis.started(ALWAYS), await TestProvider.start());
    try {
      for (let n = 0; n < servers; n++) {
        const link = await Link.to(cluster.redis.url);
        const service = cluster.#server(n, link);
        cluster.#members.push({ service, link, state: 'up' });
        await service.start();
      }
      await cluster.#startNode();
      return cluster;
    } catch (error) {
      await cluster.close();
      throw error;
    }
  }

  private constructor(redis: TestRedis, provider: TestProvider) {
    this.redis = redis;
    this.#provider = provider;
    this.folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'troupe-chaos-')));
    mkdirSync(this.mediaDir);
  }

  get services(): readonly Service[] {
    return this.#members.map(({ service }) => service);
  }

  get dataDir(): string {
    return path.join(this.folder, 'data');
  }

  get mediaDir(): string {
    return path.join(this.folder, 'media');
  }

  /** Of an ADMIN; tokens end before long runs do. */
  async token(): Promise<string> {
    if (Date.now() > this.#token.until)
      this.#token = { text: await this.#provider.token('admin'), until: Date.now() + TOKEN_MS };
    return this.#token.text;
  }

  async #startNode(): Promise<void> {
    const balancer = await Balancer.listening(this.#urls);
    const link = await Link.to(balancer.url);
    const process = new NodeProcess(FAR, {
      TROUPE_URL: `http://127.0.0.1:${link.port}`,
      TROUPE_ISSUER_URI: this.#provider.issuer,
      TROUPE_CLIENT_ID: 'rack',
      TROUPE_CLIENT_SECRET: 'secret of rack',
    });
    this.#far = { process, balancer, link, state: 'up' };
    process.start();
    await process.connected();
    await configureNode(
      this.services[0]!,
      this.#members.map((_, n) => nameOf(n)),
    );
  }

  get #urls(): readonly string[] {
    return this.#members.map(({ service }) => service.url);
  }

  #server(n: number, link: Link): Service {
    const environment = {
      ...settingsOf(this.#provider),
      FETCH_PRIVATE: 'true',
      CALLBACK_PRIVATE: 'true',
      STORE: 'redis',
      REDIS_URL: `redis://127.0.0.1:${link.port}/0`,
      REDIS_PREFIX: PREFIX,
      NODE_NAME: nameOf(n),
      OIDC_NODE_CLAIM_NAME: 'groups',
      OIDC_NODE_CLAIM_VALUE: 'media-nodes',
      NODE_SILENCE_MS: '2000',
      STREAM_RESTART_MS: '50',
      DATA_DIR: this.dataDir,
      MEDIA_ROOTS: `${path.join(packageRoot, 'samples')}:${this.mediaDir}`,
      SERVER_SILENCE_MS: '1000',
      // Less than Redis stands still: what is asked for is then carried out when nobody waits for it any more.
      REDIS_TIMEOUT_MS: '1000',
      HEARTBEAT_MS: '200',
      LEASE_MS: String(LEASE_MS),
      // However often a sub-job is hit, it is tried again.
      SUB_JOB_ATTEMPTS: '1000',
      RECONCILE_MS: '2000',
      CLEANING_MS: '2000',
      DELIVERY_FIRST_DELAY_MS: '100',
      DELIVERY_MAX_DELAY_MS: '1000',
    };
    return new Service(environment, () => this.token());
  }

  /** Carries a fault out, and says so; what follows from it later goes on by itself. */
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
          await this.redis.kill();
          await sleep(fault.ms);
          await this.redis.start();
        });
      case 'freezeRedis':
        return this.#onRedis(fault, async () => {
          this.redis.freeze();
          await sleep(fault.ms);
          this.redis.thaw();
        });
      case 'killComponent':
        return this.#killComponent(fault.draw);
    }
  }

  #onMember(fault: Extract<Fault, { server: number }>, work: (member: Member) => Promise<void>) {
    const member = this.#members[fault.server];
    if (member?.state !== 'up') return undefined;
    this.#note({ kind: fault.kind, server: fault.server });
    return work(member);
  }

  #onRedis({ kind }: Fault, work: () => Promise<void>): Promise<void> | undefined {
    if (!this.#redisIsWell) return undefined;
    this.#redisIsWell = false;
    this.#note({ kind });
    return work().finally(() => (this.#redisIsWell = true));
  }

  #onNode({ kind }: Fault, work: (node: FarNode) => Promise<void>): Promise<void> | undefined {
    const node = this.#far;
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

  /** In order, but that some are killed before they have drained. */
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

  async #cutServer(member: Member, ms: number): Promise<void> {
    member.state = 'cut off';
    member.link.cut();
    await sleep(ms);
    member.link.mend();
    member.state = 'up';
  }

  async #startAgain(member: Member, ms: number): Promise<void> {
    await sleep(ms);
    // Without Redis it does not start.
    while (
      !(await member.service.start().then(
        () => true,
        () => false,
      ))
    )
      await sleep(AGAIN_MS);
    this.#far?.balancer.serve(this.#urls);
    member.state = 'up';
  }

  async #freezeServer(member: Member, ms: number): Promise<void> {
    member.state = 'frozen';
    process.kill(member.service.pid, 'SIGSTOP');
    await sleep(ms);
    process.kill(member.service.pid, 'SIGCONT');
    member.state = 'up';
  }

  /** One that has had work: five ends in a row before that are those of a component that cannot be started. */
  #killComponent(draw: number): Promise<void> | undefined {
    const alive = this.services.flatMap((service, server) => {
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

  /** Waits until everybody is there again. */
  async settled(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.all(this.#underWay);
  }

  async close(): Promise<void> {
    await this.settled();
    await this.#far?.process.close();
    for (const { service } of this.#members) await service.close();
    await this.#far?.balancer.close();
    await this.#far?.link.close();
    await Promise.all(this.#members.map(({ link }) => link.close()));
    await this.redis.end();
    await this.#provider.close();
    await rm(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }
}
