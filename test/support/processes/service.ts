/** The real service, and requests of clients to it. */
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
  /** The parsed body; undefined if it is not JSON. */
  readonly body: unknown;
}

/** A line in the log of all processes of a service. Lines have the order in which they were written. */
export interface LogLine {
  readonly level: string;
  readonly time: number;
  readonly pid: number;
  readonly message: string;
  readonly [fact: string]: unknown;
}

interface HandedOut {
  readonly subJob: string;
  readonly attempt: number;
  readonly worker: string;
  readonly token: string;
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
/** While a test waits for the end of a job, it reads the log at this interval, */
const LOOK_MS = 20;
/** and asks the server at this interval, because the end can be in the log of another server. */
const ASK_MS = 300;

/** Skips tests of the SQLite file, or of a single server, when the tests run over Redis. */
export function withoutRedis(this: Mocha.Context): void {
  if (process.env['TEST_REDIS_URL'] !== undefined) this.skip();
}

export const sampleUri = (name: string) => pathToFileURL(join(packageRoot, 'samples', name)).href;

/** A service with its own folder. A test can start and stop it repeatedly; its data remain. */
export class Service {
  /** The folder of all files that this service and its test write. */
  readonly folder: string;
  readonly dataDir: string;
  /** A media root in addition to the samples. */
  readonly mediaDir: string;
  url = '';
  /** The folder of another version of Troupe, built with its tests. That version is started instead of this one. */
  otherVersion: string | undefined;
  /** Environment variables of its process that are no settings. */
  surroundings: Environment | undefined;
  #env: Environment;
  #token = '';
  #server: TestServer | undefined;
  readonly #tokenOf: TokenOf;
  readonly #logFile: string;
  readonly #logged: LogLine[] = [];
  #loggedBytes = 0;
  /** Number of ends of each job in the log, by job id. */
  readonly #ends = new Map<string, number>();

  /**
   * `tokenOf`: gets the token of an ADMIN if the server does not issue it. `lender`: the service whose server it uses. Its media folder is
   * then in the media folder of the lender.
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

  /** The same in the process of the test; see `startHere`. */
  static async here(env: Environment = {}, tokenOf?: TokenOf): Promise<Service> {
    const service = new Service(env, tokenOf);
    await service.startHere();
    return service;
  }

  /**
   * A server with the settings of `here()` that all test files in this process share, with components that already run. Use it for tests
   * that ignore the jobs of other tests, and leave pipelines, nodes, users and messages unchanged. The test has its own folder, media and
   * log lines. The server cannot be stopped and ends with the process; `close` releases it.
   */
  static async openShared(): Promise<Service> {
    const lender = await (lent ??= startLender());
    const service = new Service({ DATA_DIR: lender.dataDir }, undefined, lender);
    service.#server = new LentServer(lender.#runningProcess());
    service.#loggedBytes = statSync(lender.#logFile).size;
    await service.#greet();
    return service;
  }

  /** Ends the shared server of this process, if any. The next `openShared` starts another one. */
  static async closeShared(): Promise<void> {
    const lender = await lent;
    lent = undefined;
    await lender?.close();
  }

  get token(): string {
    return this.#token;
  }

  get pid(): number {
    return this.#server?.pid ?? -1;
  }

  /** Starts the server in a separate process. `env` adds to the earlier settings. */
  async start(env: Environment = {}): Promise<void> {
    this.#env = { ...this.#env, ...env };
    this.#server = await ServerProcess.start(this.#environment(), this.#logFile, {
      root: this.otherVersion,
      surroundings: this.surroundings,
    });
    await this.#greet();
  }

  /**
   * Starts the server in the process of the test, in a fifth of the time of a separate process. Use it for tests of answers that do not
   * kill the server or check its process. After a stop, it can start in either way. `env` adds to the earlier settings.
   */
  async startHere(env: Environment = {}): Promise<void> {
    this.#env = { ...this.#env, ...env };
    this.#server = await ServerHere.start(
      { ...this.#environment(), DRAIN_MS: '0', ...this.#env },
      this.#logFile,
    );
    await this.#greet();
  }

  /** Resolves when the server process ends: with its exit code or the signal that ended it. */
  waitForExit(): Promise<End> {
    return this.#runningProcess().waitForExit();
  }

  /** Stops the server, waits for its end and returns its exit code. */
  stop(): Promise<End> {
    return this.#runningProcess().stop();
  }

  kill9(): Promise<End> {
    return this.#runningProcess().kill9();
  }

  /** Makes the server kill itself at a commit of a job, counted from now on. */
  async dieAt(wish: DeathWish): Promise<void> {
    await this.#runningProcess().tell({ type: 'die', wish });
  }

  /** The longest block of the server's event loop since the last call, in milliseconds. */
  async longestBlockMs(): Promise<number> {
    const answer = await this.#runningProcess().tell({ type: 'measure' });
    return answer.type === 'obeyed' ? answer.longestBlockMs : 0;
  }

  /** Memory of the server after a garbage collection, in bytes. */
  async usedMemory(): Promise<UsedMemory> {
    const answer = await this.#runningProcess().tell({ type: 'collect' });
    if (answer.type !== 'collected') throw new Error(`The server answered ${answer.type}.`);
    return answer.memory;
  }

  /** Ends all processes except a shared server, and removes the folder. */
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
   * Sends a request with the token of an ADMIN. A text `body` is sent unchanged, other values as JSON. The answer must match the
   * server's OpenAPI document.
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

  /** The same for requests that the OpenAPI document does not declare. The answer is not checked. */
  async askUndeclared(
    method: string,
    path: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Answer> {
    const given = body === undefined ? {} : { 'content-type': 'application/json' };
    const send = () =>
      fetch(`${this.url}${path}`, {
        method,
        headers: { authorization: `Bearer ${this.#token}`, ...given, ...headers },
        signal: AbortSignal.timeout(60_000),
        ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      });
    const response = await send().catch((error: unknown) => {
      if (method === 'GET' && isIdleClosed(error)) return send();
      throw error;
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, body: parseJson(text) };
  }

  /** Creates a job that must be accepted, and returns its id. */
  async submit(request: JobRequest): Promise<string> {
    const answer = await this.ask('POST', '/rest/jobs', bodyOf(request));
    if (answer.status !== 201) throw new Error(`The job was not accepted: ${answer.status} ${answer.text}`);
    return (answer.body as { jobId: string }).jobId;
  }

  /** Sends the request for a job and returns the answer, also a refusal. */
  create(request: JobRequest): Promise<Answer> {
    return this.ask('POST', '/rest/jobs', bodyOf(request));
  }

  /** Returns undefined if the job does not exist. */
  async job(id: string): Promise<SingleJobInfo | undefined> {
    const { status, body } = await this.ask('GET', `/rest/jobs/${id}`);
    return status === 200 ? (body as SingleJobInfo) : undefined;
  }

  /** The same, including fields that are not in the specification. */
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
   * Waits a short time for a new end of the job in the log, and returns the number of its ends. Reading the log is much cheaper than a
   * request.
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

  /** Runs a job to its end and returns its document. */
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

  /** Reads only the lines that were written since the last call, because waiting tests call this often. */
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

  /** Waits for a line in the log with this message that meets the condition. */
  async waitForLog(message: string, fits: (line: LogLine) => boolean = () => true): Promise<LogLine> {
    const look = () => this.log(message).find(fits);
    return (await until(`the log says "${message}"`, look))!;
  }

  /** The ids of the sub-jobs that were handed out, once for each attempt. */
  handedOut(): readonly HandedOut[] {
    return this.log('handed out a sub-job') as unknown as readonly HandedOut[];
  }

  /** Process ids of all components that the servers of this service have ever started. */
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

  /** One check serves all servers of a test run, because they have the same build. */
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

  /** With TEST_REDIS_URL, the tests run over that Redis. Each service has its own prefix. */
  #store(): Environment {
    const { TEST_REDIS_URL: url } = process.env;
    return url === undefined ? {} : { STORE: 'redis', REDIS_URL: url, REDIS_PREFIX: basename(this.folder) };
  }

  async #greet(): Promise<void> {
    this.url = this.#runningProcess().url;
    await this.renewToken();
    await this.#check();
  }

  /** Gets a new token for requests. Tokens of the server are valid for one hour. */
  async renewToken(): Promise<void> {
    this.#token = await this.#tokenOf(this);
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

/** Codes of the errors of a medium, or of the job if no medium is given. */
export function errorCodes(document: DetectionDocument, mediaId?: number): readonly string[] {
  return document.errors
    .filter((entry) => entry.mediaId === mediaId)
    .flatMap(({ details }) => details.map(({ code }) => code));
}

/** Codes of the failures of components, of all media. */
export const detectionCodes = ({ media }: DetectionDocument): readonly unknown[] =>
  media.flatMap(({ detectionProcessingErrors: all }) =>
    Object.values(all).flatMap((errors) => errors.map(({ code }) => code)),
  );

/** The service whose server `Service.shared` shares. */
let lent: Promise<Service> | undefined;

/** The server and its components end with the process of the tests. */
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

/** True if the server closed an idle connection while this process was too busy to notice. */
const isIdleClosed = (error: unknown): boolean =>
  error instanceof Error &&
  CLOSED.includes((error.cause as { readonly code?: string } | undefined)?.code ?? '');
const CLOSED = ['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE'];
