/** Servers with a shared Redis and data folder, as processes that can be killed and frozen. */
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
import type { Fault, FaultPlan } from './chaos-plan.ts';
import { Clock, OwnFolder } from './chaos-surroundings.ts';

export const PREFIX = 'chaos';
export const LEASE_MS = 12_000;
/**
 * With `everysec`, a Redis that is killed while its disk is slow loses the acknowledged writes of the last
 * two seconds.
 */
const ALWAYS = ['--appendfsync', 'always'];
const TOKEN_MS = 240_000;

const nameOf = (server: number): string => `server-${server}`;

export class ChaosCluster {
  readonly redis: TestRedis;
  readonly folder: string;
  readonly #provider: TestProvider;
  readonly #ownFolder: OwnFolder | undefined;
  readonly #jumps: boolean;
  readonly #members: Member[] = [];
  #far: FarNode | undefined;
  #token = { text: '', until: 0 };
  readonly #faults: Faults;

  static async start({ servers, kinds }: Pick<FaultPlan, 'servers' | 'kinds'>): Promise<ChaosCluster> {
    const cluster = new ChaosCluster(await TestRedis.start(ALWAYS), await TestProvider.start(), kinds);
    try {
      for (let n = 0; n < servers; n++) await cluster.#startMember(n);
      await cluster.#startNode();
      return cluster;
    } catch (error) {
      await cluster.close();
      throw error;
    }
  }

  private constructor(redis: TestRedis, provider: TestProvider, kinds: FaultPlan['kinds']) {
    this.redis = redis;
    this.#provider = provider;
    this.folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'troupe-chaos-')));
    mkdirSync(this.mediaDir);
    this.#jumps = kinds.includes('jumpClock');
    if (kinds.some((kind) => kind.endsWith('Folder'))) this.#ownFolder = new OwnFolder(this.folder);
    this.#faults = new Faults({
      redis,
      members: this.#members,
      dataDir: this.#ownFolder,
      node: () => this.#far,
      onMoved: () => this.#far?.balancer.serve(this.#urls),
    });
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

  /** The token of an ADMIN. Tokens expire before long runs end, so it is renewed. */
  async token(): Promise<string> {
    if (Date.now() > this.#token.until)
      this.#token = { text: await this.#provider.token('admin'), until: Date.now() + TOKEN_MS };
    return this.#token.text;
  }

  async #startMember(n: number): Promise<void> {
    const link = await Link.to(this.redis.url);
    const clock = this.#jumps ? new Clock(this.folder, n) : undefined;
    const service = this.#server(n, link);
    service.surroundings = clock?.environment;
    // Two versions side by side, as during an upgrade.
    if (n === 0) service.otherVersion = process.env['OTHER_VERSION'];
    this.#members.push({ service, link, clock, state: 'up' });
    await service.start();
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
      ...(this.#ownFolder === undefined ? {} : { MIN_FREE_BYTES: '1000000' }),
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
      // Shorter than the freezes of Redis, so Redis processes some commands after their timeout.
      REDIS_TIMEOUT_MS: '1000',
      HEARTBEAT_MS: '200',
      LEASE_MS: String(LEASE_MS),
      // Sub-jobs are always retried, however often a fault hits them.
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
    this.#ownFolder?.close();
    await rm(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }
}
