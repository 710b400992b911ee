/** The real service, and what a client says to it. */
import {
  closeSync,
  fstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readSync,
  realpathSync,
  rmSync,
  statSync,
} from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { packageRoot } from '../../../config/info.ts';
import type { DetailedJobInfo, SingleJobInfo } from '../../../actors/views/jobs/job-info.ts';
import { checkOf, type OpenApiCheck, type OpenApiDocument } from '../openapi.ts';
import { inheritSettings, type Environment as WholeEnvironment } from './environment.ts';
import { isAlive } from './processes.ts';
import type { DeathWish, UsedMemory } from './server-main.ts';
import { LentServer, ServerHere, ServerProcess, type End, type TestServer } from './test-server.ts';
import { ownToken } from '../tokens.ts';
import { until } from '../until.ts';

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The parsed body; undefined when it is no JSON. */
  readonly body: unknown;
}

/** A line of the log of all processes of a service, in the order in which they were written. */
export interface LogLine {
  readonly level: string;
  readonly time: number;
  readonly pid: number;
  readonly message: string;
  readonly [fact: string]: unknown;
}

export interface JobRequest {
  readonly media: readonly (string | { readonly mediaUri: string; readonly [field: string]: unknown })[];
  readonly pipelineName?: string;
  readonly [field: string]: unknown;
}

type Environment = Readonly<Record<string, string>>;
type TokenOf = (service: Service) => Promise<string>;

const DEFAULTS: Environment = {
  HOST: '127.0.0.1',
  PORT: '0',
  LOG_LEVEL: 'debug',
  JOB_ID_HOST: 'test-host',
  COMPONENT_PROCESSES: '1',
  HEARTBEAT_MS: '200',
  RESTART_DELAY_MS: '50',
  DRAIN_MS: '2000',
};
/** Who waits for the end of a job looks into the log after every pause of this length, */
const LOOK_MS = 20;
/** and asks the server after this: the log may not tell, as that of one server of two. */
const ASK_MS = 300;

/** Leaves out what is about the SQLite file, or about a server that is alone, in a run over Redis. */
export function withoutRedis(this: Mocha.Context): void {
  if (process.env['TEST_REDIS_URL'] !== undefined) this.skip();
}

export const sampleUri = (name: string) => pathToFileURL(join(packageRoot, 'samples', name)).href;

/** A service with a folder of its own and settings, or names of `TUNING`, started and stopped as often as a test likes; its data stay between starts. */
export class Service {
  /** Folder of everything this service and its test write. */
  readonly folder: string;
  readonly dataDir: string;
  /** A media root besides the samples. */
  readonly mediaDir: string;
  url = '';
  /** The folder of another version of the product, built with its tests, which is started in place of this one. */
  otherVersion: string | undefined;
  /** Variables of its process that are no settings. */
  surroundings: Environment | undefined;
  #env: Environment;
  #token = '';
  #server: TestServer | undefined;
  readonly #tokenOf: TokenOf;
  readonly #logFile: string;
  readonly #logged: LogLine[] = [];
  #loggedBytes = 0;
  /** How often the log tells of the end of a job, by its id. */
  readonly #ends = new Map<string, number>();

  /**
   * `tokenOf`: where the token of an ADMIN comes from when the server does not issue it itself. `lender`: whose server it uses; its own
   * media lie below those of the lender.
   */
  constructor(
    env: Environment = {},
    tokenOf: TokenOf = ({ url, dataDir }) => ownToken(url, dataDir),
    lender?: Service,
  ) {
    this.#tokenOf = tokenOf;
    this.folder = realpathSync(mkdtempSync(join(tmpdir(), 'troupe-test-')));
    this.dataDir = env['DATA_DIR'] ?? join(this.folder, 'data');
    if (lender === undefined) {
      this.#logFile = join(this.folder, 'log');
      this.mediaDir = join(this.folder, 'media');
      mkdirSync(this.mediaDir);
    } else {
      this.#logFile = lender.#logFile;
      this.mediaDir = mkdtempSync(join(lender.mediaDir, 'of-'));
    }
    this.#env = env;
  }

  static async start(env: Environment = {}, tokenOf?: TokenOf): Promise<Service> {
    const service = new Service(env, tokenOf);
    await service.start();
    return service;
  }

  /** The same in the process of the test: see `startHere`. */
  static async here(env: Environment = {}, tokenOf?: TokenOf): Promise<Service> {
    const service = new Service(env, tokenOf);
    await service.startHere();
    return service;
  }

  /**
   * A server with the settings of `here()` that all files share which run in this process; its components stay warm. It is for tests that
   * do not care which other jobs there are, and that leave pipelines, nodes, users and messages as they were. The folder, the media and
   * the lines of the log are the test's own. It cannot be stopped; `close` gives it back, and it ends with the process.
   */
  static async openShared(): Promise<Service> {
    const lender = await (lent ??= startLender());
    const service = new Service({ DATA_DIR: lender.dataDir }, undefined, lender);
    service.#server = new LentServer(lender.#runningProcess());
    service.#loggedBytes = statSync(lender.#logFile).size;
    await service.#greet();
    return service;
  }

  get token(): string {
    return this.#token;
  }

  get pid(): number {
    return this.#server?.pid ?? -1;
  }

  /** Starts the server in a process of its own; `env` adds to the settings given before. */
  async start(env: Environment = {}): Promise<void> {
    this.#env = { ...this.#env, ...env };
    this.#server = await ServerProcess.start(this.#environment(), this.#logFile, {
      root: this.otherVersion,
      surroundings: this.surroundings,
    });
    await this.#greet();
  }

  /**
   * Starts the server in the process of the test, which takes a fifth of what a process takes. It is for tests of what a service
   * answers, that neither kill it nor look at its process; stopped, it may be started again in a process, and the other way round. `env`
   * adds to the settings given before.
   */
  async startHere(env: Environment = {}): Promise<void> {
    this.#env = { ...this.#env, ...env };
    this.#server = await ServerHere.start(
      { ...this.#environment(), DRAIN_MS: '0', ...this.#env },
      this.#logFile,
    );
    await this.#greet();
  }

  /** The end of the server process: its exit code or the signal that ended it. */
  waitForExit(): Promise<End> {
    return this.#runningProcess().waitForExit();
  }

  /** Asks the server to stop and waits for its end; answers its exit code. */
  stop(): Promise<End> {
    return this.#runningProcess().stop();
  }

  kill9(): Promise<End> {
    return this.#runningProcess().kill9();
  }

  /** Has the server kill itself at a commit of a job, counted from now on. */
  async dieAt(wish: DeathWish): Promise<void> {
    await this.#runningProcess().tell({ type: 'die', wish });
  }

  /** The longest time for which the server computed without answering anybody, since it was last asked: milliseconds. */
  async longestBlockMs(): Promise<number> {
    const answer = await this.#runningProcess().tell({ type: 'measure' });
    return answer.type === 'obeyed' ? answer.longestBlockMs : 0;
  }

  /** What the server uses after all its garbage was collected. */
  async usedMemory(): Promise<UsedMemory> {
    const answer = await this.#runningProcess().tell({ type: 'collect' });
    if (answer.type !== 'collected') throw new Error(`The server answered ${answer.type}.`);
    return answer.memory;
  }

  /** Ends what still runs, but a shared server, and removes the folder. */
  async close(): Promise<void> {
    await this.#server?.close();
    if (!(this.#server instanceof LentServer)) await this.#componentsEnd();
    for (const folder of [this.folder, this.mediaDir])
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }

  async #componentsEnd(): Promise<void> {
    const pidsLeft = () => this.componentPids().filter(processLives);
    try {
      await until('no component process is left', pidsLeft, (pids) => pids.length === 0, {
        withinMs: 10_000,
      });
    } finally {
      for (const pid of pidsLeft()) process.kill(pid, 'SIGKILL');
    }
  }

  /**
   * A request with the token of an ADMIN. `body`: a text is sent as it is, anything else as JSON. The answer must be as the
   * server's OpenAPI document declares it.
   */
  async ask(
    method: string,
    path: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Answer> {
    const answer = await this.askUndeclared(method, path, body, headers);
    const objection = (await this.#check()).objection(method, path, answer);
    if (objection !== undefined) throw new Error(objection);
    return answer;
  }

  /** The same for what is asked on purpose though it is not declared: nothing holds the answer against the document. */
  async askUndeclared(
    method: string,
    path: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Answer> {
    const given = body === undefined ? {} : { 'content-type': 'application/json' };
    const response = await fetch(`${this.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${this.#token}`, ...given, ...headers },
      signal: AbortSignal.timeout(60_000),
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, body: parseJson(text) };
  }

  /** Creates a job that must be accepted; answers its id. */
  async submit(request: JobRequest): Promise<string> {
    const answer = await this.ask('POST', '/rest/jobs', bodyOf(request));
    if (answer.status !== 201) throw new Error(`The job was not accepted: ${answer.status} ${answer.text}`);
    return (answer.body as { jobId: string }).jobId;
  }

  /** Creates a job whatever comes of it. */
  create(request: JobRequest): Promise<Answer> {
    return this.ask('POST', '/rest/jobs', bodyOf(request));
  }

  /** undefined when there is no such job. */
  async job(id: string): Promise<SingleJobInfo | undefined> {
    const { status, body } = await this.ask('GET', `/rest/jobs/${id}`);
    return status === 200 ? (body as SingleJobInfo) : undefined;
  }

  /** The same with what the specification does not list. */
  async detailedJob(id: string): Promise<DetailedJobInfo | undefined> {
    const { status, body } = await this.ask('GET', `/rest/jobs/${id}?details=true`);
    return status === 200 ? (body as DetailedJobInfo) : undefined;
  }

  /** The path of a medium of the request, in REST and in the page: `media/31`. */
  async placeOf(id: string, n = 0): Promise<string> {
    return (await this.detailedJob(id))!.mediaHrefs![n]!;
  }

  /** Waits until the job is terminal. */
  async terminal(id: string, withinMs = 60_000): Promise<SingleJobInfo> {
    let ends = 0;
    const look = async () => {
      ends = await this.#endsTold(id, ends);
      return this.job(id);
    };
    const waitForExit = (job: SingleJobInfo | undefined) => job?.terminal === true;
    return (await until(`job ${id} is terminal`, look, waitForExit, { withinMs, everyMs: 0 }))!;
  }

  /**
   * Waits a moment for the log to tell of another end of a job than those that are known, and answers how many it tells of. A request
   * takes milliseconds of server and test, a look at the log next to nothing.
   */
  async #endsTold(id: string, known: number): Promise<number> {
    for (let waited = 0; ; waited += LOOK_MS) {
      this.#readLog();
      const ends = this.#ends.get(id) ?? 0;
      if (ends > known || waited >= ASK_MS) return ends;
      await pause(LOOK_MS);
    }
  }

  async document(id: string): Promise<DetectionDocument> {
    const { status, body, text } = await this.ask('GET', `/rest/jobs/${id}/output/detection`);
    if (status !== 200) throw new Error(`There is no document of job ${id}: ${status} ${text}`);
    return body as DetectionDocument;
  }

  /** Runs a job to its end and answers its document. */
  async run(request: JobRequest, withinMs?: number): Promise<DetectionDocument> {
    const id = await this.submit(request);
    await this.terminal(id, withinMs);
    return this.document(id);
  }

  cancel(id: string): Promise<Answer> {
    return this.ask('POST', `/rest/jobs/${id}/cancel`);
  }

  resubmit(id: string, query = ''): Promise<Answer> {
    return this.ask('POST', `/rest/jobs/${id}/resubmit${query}`);
  }

  log(message?: string): readonly LogLine[] {
    this.#readLog();
    return message === undefined
      ? [...this.#logged]
      : this.#logged.filter((line) => line.message === message);
  }

  /** Who waits looks many times: only what was written since the last time is read. */
  #readLog(): void {
    const bytes = bytesFrom(this.#logFile, this.#loggedBytes);
    const end = bytes.lastIndexOf('\n') + 1;
    const lines = bytes.toString('utf8', 0, end).split('\n').slice(0, -1);
    this.#loggedBytes += end;
    for (const line of lines.map((text) => JSON.parse(text) as LogLine)) {
      this.#logged.push(line);
      if (line.message !== 'a job has ended') continue;
      const id = String(line['jobId']);
      this.#ends.set(id, (this.#ends.get(id) ?? 0) + 1);
    }
  }

  /** Waits until a line of the log says `message` and fits. */
  async waitForLog(message: string, fits: (line: LogLine) => boolean = () => true): Promise<LogLine> {
    const look = () => this.log(message).find(fits);
    return (await until(`the log says "${message}"`, look))!;
  }

  /** The sub-jobs that were handed out, by id, as often as they were. */
  handedOut(): readonly { readonly subJob: string; readonly attempt: number; readonly worker: string }[] {
    return this.log('handed out a sub-job') as unknown as {
      subJob: string;
      attempt: number;
      worker: string;
    }[];
  }

  /** Process ids of all components that any server process of this service ever started. */
  componentPids(): readonly number[] {
    try {
      return this.log('component process started').map((line) => line.pid);
    } catch {
      return [];
    }
  }

  /** Names below a folder of DATA_DIR. */
  files(folder: string): Promise<readonly string[]> {
    return readdir(join(this.dataDir, folder)).catch(() => []);
  }

  /** One check serves all servers of a test run: they are of one build. */
  #check(): Promise<OpenApiCheck> {
    return checkOf(async () => {
      const { status, text, body } = await this.askUndeclared('GET', '/rest/openapi.json');
      if (status !== 200) throw new Error(`The OpenAPI document was not given: ${status} ${text}`);
      return body as OpenApiDocument;
    });
  }

  #environment(): WholeEnvironment {
    return {
      ...inheritSettings(),
      ...DEFAULTS,
      DATA_DIR: this.dataDir,
      MEDIA_ROOTS: `${join(packageRoot, 'samples')}:${this.mediaDir}`,
      ...this.#store(),
      ...this.#env,
    };
  }

  /** With TEST_REDIS_URL the tests run over that Redis, each service below a prefix of its own. */
  #store(): Environment {
    const { TEST_REDIS_URL: url } = process.env;
    return url === undefined ? {} : { STORE: 'redis', REDIS_URL: url, REDIS_PREFIX: basename(this.folder) };
  }

  async #greet(): Promise<void> {
    this.url = this.#runningProcess().url;
    this.#token = await this.#tokenOf(this);
    await this.#check();
  }

  #runningProcess(): TestServer {
    if (this.#server === undefined) throw new Error('The server was not started.');
    return this.#server;
  }
}

export interface DetectionDocument {
  readonly jobId: string;
  readonly status: string;
  readonly errors: readonly DocumentIssues[];
  readonly warnings: readonly DocumentIssues[];
  readonly media: readonly DocumentMedium[];
  readonly [field: string]: unknown;
}
export interface DocumentIssues {
  readonly mediaId?: number;
  readonly details: readonly { readonly source: string; readonly code: string; readonly message: string }[];
}
export interface DocumentMedium {
  readonly mediaId: number;
  readonly path: string;
  readonly mediaType: string;
  readonly status: string;
  readonly detectionProcessingErrors: Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>;
  readonly parentMediaId: number;
  readonly sha256: string;
  readonly mimeType: string;
  readonly mediaMetadata: Readonly<Record<string, string>>;
  readonly mediaProperties: Readonly<Record<string, string>>;
  readonly markupResult: {
    readonly id: number;
    readonly path: string;
    readonly status: string;
    readonly message: string | null;
  } | null;
  readonly output: Readonly<Record<string, readonly DocumentOutput[]>>;
  readonly [field: string]: unknown;
}
export interface DocumentOutput {
  readonly source: string;
  readonly algorithm: string;
  readonly tracks?: readonly DocumentTrack[];
}
export interface DocumentTrack {
  readonly id: string;
  readonly startOffsetFrame: number;
  readonly stopOffsetFrame: number;
  readonly startOffsetTime: number;
  readonly stopOffsetTime: number;
  readonly confidence: number;
  readonly type: string;
  readonly trackProperties: Readonly<Record<string, string>>;
  readonly exemplar: DocumentDetection;
  readonly detections: readonly DocumentDetection[];
}
export interface DocumentDetection {
  readonly offsetFrame: number;
  readonly offsetTime: number;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly confidence: number;
  readonly detectionProperties: Readonly<Record<string, string>>;
  readonly artifactExtractionStatus: string;
  /** Address of the picture of the detection. */
  readonly artifactPath: string | null;
}

/** All tracks of one type of a medium. */
export function tracksOf(medium: DocumentMedium | undefined, type: string): readonly DocumentTrack[] {
  return (medium?.output[type] ?? []).flatMap(({ tracks = [] }) => tracks);
}

/** Codes of the errors of a medium (or, without one, of the job as a whole). */
export function errorCodes(document: DetectionDocument, mediaId?: number): readonly string[] {
  return document.errors
    .filter((entry) => entry.mediaId === mediaId)
    .flatMap(({ details }) => details.map(({ code }) => code));
}

/** Codes of what components could not do, of all media. */
export const detectionCodes = ({ media }: DetectionDocument): readonly unknown[] =>
  media.flatMap(({ detectionProcessingErrors: all }) =>
    Object.values(all).flatMap((errors) => errors.map(({ code }) => code)),
  );

/** The service whose server `Service.shared` gives to others. */
let lent: Promise<Service> | undefined;

/** The end of the process ends the server and, with it, its components. */
async function startLender(): Promise<Service> {
  const lender = new Service({ IDLE_SERVICE_MS: '60000' });
  process.once('exit', () => rmSync(lender.folder, { recursive: true, force: true, maxRetries: 5 }));
  await lender.startHere();
  return lender;
}

function bytesFrom(path: string, position: number): Buffer {
  const file = openSync(path, 'r');
  try {
    const bytes = Buffer.allocUnsafe(Math.max(0, fstatSync(file).size - position));
    return bytes.subarray(0, readSync(file, bytes, 0, bytes.length, position));
  } finally {
    closeSync(file);
  }
}

function bodyOf({ media, ...rest }: JobRequest): object {
  return {
    media: media.map((medium) => (typeof medium === 'string' ? { mediaUri: medium } : medium)),
    ...rest,
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

const processLives = (pid: number) => isAlive({ pid });
