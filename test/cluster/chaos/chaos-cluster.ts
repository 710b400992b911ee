/** Servers on one Redis and one folder, as processes that can be killed and frozen. */
import { mkdirSync, mkdtempSync, realpathSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { TestProvider } from '../../access/support/provider.ts';
import { packageRoot } from '../../../config/info.ts';
import { Balancer } from '../../support/servers/balancer.ts';
import { NodeProcess } from '../../support/processes/node-process.ts';
import { TestRedis } from '../../support/redis/redis.ts';
import { settingsOf } from '../../support/roles.ts';
import { Service } from '../../support/processes/service.ts';
import { Faults, type FarNode, type Member } from './chaos-faults.ts';
import type { Struck } from './chaos-history.ts';
import { Link } from './chaos-link.ts';
import { configureNode, FAR } from './chaos-node.ts';
import type { Fault } from './chaos-plan.ts';

export const PREFIX = 'chaos';
export const LEASE_MS = 12_000;
/** With everysec a Redis that is killed while its disk is slow loses what it has answered in the last two seconds. */
const ALWAYS = ['--appendfsync', 'always'];
const TOKEN_MS = 240_000;

const nameOf = (server: number): string => `server-${server}`;

export class ChaosCluster {
  readonly redis: TestRedis;
  readonly folder: string;
  readonly #provider: TestProvider;
  readonly #members: Member[] = [];
  #far: FarNode | undefined;
  #token = { text: '', until: 0 };
  readonly #faults: Faults;

  static async start(servers: number): Promise<ChaosCluster> {
    const cluster = new ChaosCluster(await TestRedis.start(ALWAYS), await TestProvider.start());
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
    this.#faults = new Faults({
      redis,
      members: this.#members,
      node: () => this.#far,
      onMoved: () => this.#far?.balancer.serve(this.#urls),
    });
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
    const balancer = await Balancer.listen(this.#urls);
    const link = await Link.to(balancer.url);
    const process = new NodeProcess(FAR, {
      TROUPE_URL: `http://127.0.0.1:${link.port}`,
      TROUPE_ISSUER_URI: this.#provider.issuer,
      TROUPE_CLIENT_ID: 'rack',
      TROUPE_CLIENT_SECRET: 'secret of rack',
    });
    this.#far = { process, balancer, link, state: 'up' };
    process.start();
    await process.waitUntilConnected();
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

  get struck(): readonly Struck[] {
    return this.#faults.struck;
  }

  strike(fault: Fault): void {
    this.#faults.strike(fault);
  }

  waitUntilSettled(): Promise<void> {
    return this.#faults.waitUntilSettled();
  }

  async close(): Promise<void> {
    await this.waitUntilSettled();
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
