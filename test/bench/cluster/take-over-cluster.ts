/** Servers that are killed one after the other, each while it has work of a certain kind, and restarted. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Redis } from 'ioredis';
import { TestProvider } from '../../access/support/provider.ts';
import { camera } from '../../cluster/chaos/chaos-streams.ts';
import { packageRoot } from '../../../config/info.ts';
import { TestRedis } from '../../support/redis/redis.ts';
import { settingsOf } from '../../support/roles.ts';
import { sampleUri, Service, type LogLine } from '../../support/processes/service.ts';
import { answer, Receiver } from '../../support/servers/receiver.ts';
import type { RtspServer } from '../../support/servers/rtsp-server.ts';
import { until } from '../../support/until.ts';

/**
 * Work of a killed server. `home`: it made the last commit of a job, and a client now sends a request about
 * this job.
 */
export const WORK = ['job', 'stream', 'delivery', 'home'] as const;
export type Work = (typeof WORK)[number];
/** Milliseconds until another server continues the work. */
export type TakenOver = ReadonlyMap<Work, number>;

const SERVERS = 3;
/** Clients that always have one job each. */
const CLIENTS = 24;
/** Kinds of work whose server is killed, in turn. */
const VICTIMS = ['job', 'stream', 'delivery'] as const;
const LIGHT = 'LIGHT PIPELINE';

interface Holders {
  readonly job: Service;
  readonly stream: Service;
  readonly delivery: Service;
}

export class TakeOverCluster {
  readonly #redis: TestRedis;
  readonly #asking: Redis;
  readonly #provider: TestProvider;
  readonly #camera: RtspServer;
  readonly #receiver: Receiver;
  readonly #folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'troupe-bench-')));
  readonly #services: readonly Service[];
  /** Callbacks without a response yet. */
  readonly #held: ServerResponse[] = [];
  #stream = '';
  #kills = 0;

  static async start(): Promise<TakeOverCluster> {
    const [redis, provider] = [await TestRedis.start(), await TestProvider.start()];
    const cluster = new TakeOverCluster(redis, provider, await camera(), await Receiver.start());
    for (const service of cluster.#services) await service.start();
    cluster.#stream = await cluster.#startStream();
    return cluster;
  }

  private constructor(redis: TestRedis, provider: TestProvider, eye: RtspServer, receiver: Receiver) {
    this.#redis = redis;
    this.#asking = new Redis(redis.url);
    this.#provider = provider;
    this.#camera = eye;
    this.#receiver = receiver;
    mkdirSync(path.join(this.#folder, 'media'));
    this.#services = Array.from(
      { length: SERVERS },
      (_, n) => new Service(this.#settingsOf(n), () => provider.token('admin')),
    );
  }

  /** How many running servers were wrongly declared dead. */
  get falseAlarms(): number {
    const lines = this.#services.flatMap((service) =>
      service.log('other servers stopped; the remaining servers take over their work'),
    );
    const dead = lines.flatMap(({ servers }) => servers as readonly string[]);
    return Math.max(0, dead.length - this.#kills);
  }

  async kill(kill: number): Promise<TakenOver> {
    const file = path.join(this.#folder, 'media', `go-${kill}`);
    const [job, called] = [await this.#submitWaiting(kill, file), await this.#submitWithCallback(kill)];
    const holders = await this.#holders(job, kill);
    const victim = holders[VICTIMS[kill % VICTIMS.length]!];
    const home = await this.#homeOf(job);
    const killed = Date.now();
    this.#kills++;
    await victim.kill9();
    const others = this.#services.filter((one) => one !== victim);
    const taken = await Promise.all([
      holders.job === victim ? this.#handedOut('job', others, 'DETECT', job, killed) : [],
      holders.stream === victim ? this.#handedOut('stream', others, 'STREAM', this.#stream, killed) : [],
      holders.delivery === victim ? this.#postedAgain(kill, killed) : [],
      home === victim ? this.#changePriority(job, others[0]!, killed) : [],
    ]);
    writeFileSync(file, '');
    this.#answerCallbacks();
    for (const id of [job, called]) await others[0]!.terminal(id);
    await victim.start();
    return new Map(taken.filter((one): one is readonly [Work, number] => one.length === 2));
  }

  /** Keeps all servers busy for this number of seconds. Returns the number of jobs. */
  async work(seconds: number): Promise<number> {
    const end = Date.now() + 1_000 * seconds;
    let jobs = 0;
    const client = async (n: number): Promise<void> => {
      const service = this.#services[n % SERVERS]!;
      for (; Date.now() < end; jobs++)
        await service.terminal(await service.submit({ media: [sampleUri('text.png')], pipelineName: LIGHT }));
    };
    await Promise.all(Array.from({ length: CLIENTS }, (_, n) => client(n)));
    return jobs;
  }

  async close(): Promise<void> {
    this.#asking.disconnect();
    for (const service of this.#services) await service.close();
    await Promise.all([
      this.#redis.end(),
      this.#provider.close(),
      this.#camera.close(),
      this.#receiver.close(),
    ]);
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #settingsOf(n: number) {
    return {
      ...settingsOf(this.#provider),
      STORE: 'redis',
      REDIS_URL: this.#redis.url,
      NODE_NAME: `server-${n}`,
      DATA_DIR: path.join(this.#folder, 'data'),
      MEDIA_ROOTS: `${path.join(packageRoot, 'samples')}:${path.join(this.#folder, 'media')}`,
      HEARTBEAT_MS: '1000',
      FETCH_PRIVATE: 'true',
      CALLBACK_PRIVATE: 'true',
    };
  }

  async #startStream(): Promise<string> {
    const { status, body, text } = await this.#services[0]!.ask('POST', '/rest/streaming/jobs', {
      enableOutputToDisk: false,
      stream: { streamUri: this.#camera.url, segmentSize: 10 },
      stallTimeout: -1,
      pipelineName: 'MOTION DETECTION PIPELINE',
    });
    if (status !== 201) throw new Error(`The stream was not created: ${status} ${text}`);
    return `stream.${(body as { readonly jobId: number }).jobId}`;
  }

  #submitWaiting(kill: number, file: string): Promise<string> {
    return this.#services[kill % SERVERS]!.submit({
      media: [sampleUri('astronaut.png')],
      pipelineName: 'TROUBLE PIPELINE',
      algorithmProperties: { TROUBLE: { TROUBLE: 'wait', TROUBLE_FILE: file } },
    });
  }

  /** The callback gets no response until another server has sent it again. */
  #submitWithCallback(kill: number): Promise<string> {
    this.#receiver.manner = (_, response) => void this.#held.push(response);
    return this.#services[(kill + 1) % SERVERS]!.submit({
      media: [sampleUri('text.png')],
      pipelineName: LIGHT,
      callbackURL: `${this.#receiver.url}/${kill}`,
    });
  }

  #answerCallbacks(): void {
    this.#receiver.manner = answer(200);
    for (const response of this.#held.splice(0)) response.writeHead(200).end();
  }

  async #holders(job: string, kill: number): Promise<Holders> {
    await until('its callback has come', () => this.#posts(kill).length > 0);
    const find = (kind: string, id: string) =>
      until(`a ${kind} of ${id} is handed out`, () => this.#holderOf(kind, id));
    const lock = await this.#asking.keys('*:a:lock/delivery/*');
    return {
      job: (await find('DETECT', job))!,
      stream: (await find('STREAM', this.#stream))!,
      delivery: await this.#ownerOf(lock[0]!),
    };
  }

  /** The server that assigned it last. */
  #holderOf(kind: string, id: string): Service | undefined {
    const last = this.#services.flatMap((service) => {
      const line = handedOut(service, kind, id).at(-1);
      return line === undefined ? [] : [{ service, time: line.time }];
    });
    return last.toSorted((a, b) => b.time - a.time)[0]?.service;
  }

  #homeOf(job: string): Promise<Service> {
    return this.#ownerOf(`{troupe}:a:batch-job/${job.split('-').at(-1)!}`);
  }

  async #ownerOf(key: string): Promise<Service> {
    const server = await this.#asking.hget(key, 'server');
    const names = await Promise.all(
      this.#services.map((_, n) => this.#asking.get(`{troupe}:w:node:server-${n}`)),
    );
    const owner = this.#services[names.indexOf(server)];
    if (owner === undefined) throw new Error(`Nobody is the owner of ${key}: ${server} of ${names.join()}`);
    return owner;
  }

  #posts(kill: number) {
    return this.#receiver.requests.filter((one) => one.path.startsWith(`/${kill}?`));
  }

  async #handedOut(work: Work, others: readonly Service[], kind: string, id: string, killed: number) {
    const lines = () =>
      others.flatMap((service) => handedOut(service, kind, id)).filter(({ time }) => time > killed);
    const [again] = await until(`another one goes on with the ${work}`, lines, (all) => all.length > 0);
    return [work, again!.time - killed] as const;
  }

  async #postedAgain(kill: number, killed: number) {
    await until('the callback comes again', () => this.#posts(kill).length > 1);
    return ['delivery', performance.timeOrigin + this.#posts(kill)[1]!.at - killed] as const;
  }

  async #changePriority(job: string, other: Service, killed: number) {
    const change = () => other.askUndeclared('PATCH', `/rest/jobs/${job}`, { priority: 7 });
    await until('its priority is changed', async () => (await change()).status === 200);
    return ['home', Date.now() - killed] as const;
  }
}

const handedOut = (service: Service, kind: string, id: string): readonly LogLine[] =>
  service
    .log('handed out a sub-job')
    .filter((line) => line['kind'] === kind && String(line['subJob']).startsWith(`${id}.`));
