import type {
  NodeCommand,
  NodeConfiguration,
  NodeNews,
  NodeProcess,
  NumberedNews,
  SyncAnswer,
  SyncRequest,
} from '../actors/node-gateway/messages.ts';
import type { NodeLink } from '../actors/node-manager/node-link.ts';
import { MOST_LINES_TEXT, newest, type ServiceLine } from '../actors/service/service-logs.ts';
import type { TokenBook } from '../actors/node-manager/workers.ts';
import { delay, type Clock } from '../actors/basics/clock.ts';
import { ConfigurationError } from '../config/error.ts';
import type { Logger } from '../config/logger.ts';
import { CompletedCommands } from './completed-commands.ts';
import type { NodeTokens } from './node-tokens.ts';
import { ServerRefusal, type ServerExchange } from './server-exchange.ts';
import { isTurnedAway, ConnectionProblem } from './connection-problem.ts';

/** Constant data of this node. */
type Fixed = Pick<SyncRequest, 'instance' | 'formerly' | 'version' | 'installed' | 'nodeClass'>;

export interface ServerLinkDeps {
  readonly fixed: Fixed;
  readonly exchange: ServerExchange;
  readonly tokens: NodeTokens;
  readonly clock: Clock;
  readonly logger: Logger;
  services(): SyncRequest['services'];
  /** Version of the effective configuration; '' if there is none. */
  configuration(): string;
  configure(configuration: NodeConfiguration): Promise<void>;
  carryOut(command: NodeCommand): Promise<void>;
  onWanted(processes: SyncAnswer['wanted']): void;
  /** Called when the node shall end and none of its processes works any more. */
  onDrained(): void;
}

/** Maximum time between two messages of an idle node. The server may delay its answer by at most this time. */
const WAIT_MS = 2_500;
/** The same for a node that waits until its processes have no more work. */
const DRAIN_WAIT_MS = 500;
/**
 * Number of consecutive answers without work after which the node is drained. Servers of a cluster may hand out work before they know of
 * the drain.
 */
const DRAINED_ANSWERS = 2;
/** Changes within this time are reported in one message. */
const TOGETHER_MS = 5;
const FIRST_PAUSE_MS = 100;
const MAX_PAUSE_MS = 3_000;
/** Maximum time for which a server that does not answer delays a process. */
const KNOWN_MS = 3_000;
/** Maximum number of unreported messages. Older ones are dropped, because the server gets the current state anyway. */
const MOST_NEWS = 10_000;

/** The connection of a node to its server: reports each change of the node's state, and executes the server's commands. */
export class ServerLink implements NodeLink, TokenBook {
  readonly #deps: ServerLinkDeps;
  readonly #processes = new Map<string, string>();
  /** Callbacks that wait until the server knows a token, by its hash. */
  readonly #known = new Map<string, () => void>();
  #news: readonly NumberedNews[] = [];
  #number = 0;
  #turn = 0;
  #server = '';
  #done = 0;
  readonly #completedCommands = new CompletedCommands();
  #connected = false;
  /** True if there is something to report. */
  #changed = true;
  /** Controller of a request that the server holds open. It is aborted when there is something to report. */
  #waiting: AbortController | undefined;
  #ended = false;
  /** True if the node shall end soon. */
  #draining = false;
  #idleAnswers = 0;
  /** The message that is being sent. */
  #sending: Promise<void> = Promise.resolve();
  readonly #connectionProblem: ConnectionProblem;
  #pauseMs = FIRST_PAUSE_MS;

  constructor(deps: ServerLinkDeps) {
    this.#deps = deps;
    this.#connectionProblem = new ConnectionProblem(deps.logger);
  }

  reaches(): boolean {
    return this.#connected;
  }

  releaseWorker(worker: string, counted: boolean, reason: string): void {
    this.#tell({ what: 'gone', worker, counted, reason });
  }

  unavailable(queue: string, reason: string): void {
    this.#tell({ what: 'unavailable', queue, reason });
  }

  onConfigured(): void {
    this.#tell({ what: 'configured' });
  }

  /** Answers a request of the server for output lines, with as many of the newest as fit into a message. */
  lines(request: string, lines: readonly ServiceLine[] | null): void {
    this.#tell({ what: 'lines', request, lines: lines && newest(lines, MOST_LINES_TEXT) });
  }

  add(tokenHash: string, holder: () => { readonly worker: string }): Promise<void> | void {
    this.#processes.set(tokenHash, holder().worker);
    this.noteChange();
    if (!this.#connected) return undefined;
    return new Promise((resolve) => {
      const cancel = this.#deps.clock.after(KNOWN_MS, resolve);
      this.#known.set(tokenHash, () => {
        cancel();
        resolve();
      });
    });
  }

  remove(tokenHashes: readonly string[]): void {
    for (const hash of tokenHashes) this.#processes.delete(hash);
    this.noteChange();
  }

  /** Notes that the state of a service has changed. */
  noteChange(): void {
    this.#changed = true;
    this.#waiting?.abort();
  }

  /** Stays connected to the server until `end`. @throws ServerRefusal, ConfigurationError if the node can only stop */
  async run(): Promise<void> {
    while (!this.#ended) {
      try {
        await (this.#sending = this.#once());
        this.#pauseMs = FIRST_PAUSE_MS;
        await delay(this.#deps.clock, TOGETHER_MS);
      } catch (error) {
        if (this.#waiting?.signal.aborted === true) continue;
        this.#handleFailure(error);
        await delay(this.#deps.clock, this.#pauseMs);
        this.#pauseMs = Math.min(2 * this.#pauseMs, MAX_PAUSE_MS);
      } finally {
        this.#waiting = undefined;
      }
    }
  }

  /** The processes of this node get no new work from now on. `onDrained` is called when they have none left. */
  drain(): void {
    this.#draining = true;
    this.noteChange();
  }

  /** Reports that nothing runs any more, if the server is reachable. */
  async end(): Promise<void> {
    this.#ended = true;
    this.#waiting?.abort();
    // After the last message, the server would take another one as a sign that the node is alive.
    await this.#awaitSent();
    const { tokens, exchange } = this.#deps;
    try {
      if (this.#connected) {
        const message = { ...this.#message(0), leaving: true };
        await exchange.send(message, await tokens.current(), AbortSignal.timeout(KNOWN_MS));
      }
    } catch {
      // The server notices the missing heartbeats.
    }
    exchange.close();
  }

  /** Resolves when the message that is being sent was answered, or after a time limit. */
  async #awaitSent(): Promise<void> {
    let cancel = () => {};
    const late = new Promise<void>((resolve) => (cancel = this.#deps.clock.after(KNOWN_MS, resolve)));
    await Promise.race([this.#sending.catch(() => undefined), late]);
    cancel();
  }

  async #once(): Promise<void> {
    const { exchange, tokens } = this.#deps;
    const waitMs = this.#changed || !this.#connected ? 0 : this.#draining ? DRAIN_WAIT_MS : WAIT_MS;
    this.#changed = false;
    const token = await tokens.current();
    if (this.#ended) return;
    const controller = new AbortController();
    // Only a request that is held open may be aborted. Otherwise no answer would arrive while many changes happen.
    if (waitMs > 0) this.#waiting = controller;
    const message = this.#message(waitMs);
    try {
      await this.#take(await exchange.send(message, token, controller.signal), message);
    } catch (error) {
      if (
        error instanceof ServerRefusal &&
        [401, 403].includes(error.status) &&
        tokens.renewAfterRefusal(token)
      )
        return;
      throw error;
    }
  }

  #message(waitMs: number): SyncRequest {
    const { fixed, services, configuration } = this.#deps;
    const processes = [...this.#processes].map(([tokenHash, worker]): NodeProcess => ({ tokenHash, worker }));
    return {
      ...fixed,
      turn: ++this.#turn,
      server: this.#server,
      done: this.#done,
      configuration: configuration(),
      services: services(),
      processes,
      news: this.#news,
      ...(this.#draining ? { draining: true } : {}),
      leaving: false,
      waitMs,
    };
  }

  async #take(answer: SyncAnswer, { processes }: SyncRequest): Promise<void> {
    const { logger, tokens, configure, onWanted } = this.#deps;
    if (!this.#connected) logger.info({ server: answer.server }, 'the node is connected to its server');
    this.#connected = true;
    this.#connectionProblem.over();
    if (answer.server !== this.#server) [this.#server, this.#done] = [answer.server, 0];
    if (answer.token !== undefined) tokens.onToken(answer.token);
    this.#news = this.#news.filter(({ number }) => number > answer.taken);
    for (const { tokenHash } of processes) {
      this.#known.get(tokenHash)?.();
      this.#known.delete(tokenHash);
    }
    if (this.#ended) return;
    if (answer.configuration !== undefined) {
      await configure(answer.configuration);
      this.#changed = true;
    }
    await this.#carryOut(answer);
    onWanted(answer.wanted);
    this.#countIdle(answer);
  }

  #countIdle({ working }: SyncAnswer): void {
    // An operator drains the node.
    if (working !== undefined) this.#draining = true;
    this.#idleAnswers = working === 0 ? this.#idleAnswers + 1 : 0;
    if (this.#idleAnswers === DRAINED_ANSWERS) this.#deps.onDrained();
  }

  async #carryOut({ commands }: SyncAnswer): Promise<void> {
    const { carryOut, logger } = this.#deps;
    for (const { number, id, ...command } of commands.filter((one) => one.number > this.#done)) {
      if (id === undefined || this.#completedCommands.add(id))
        await carryOut(command as NodeCommand).catch((err: unknown) =>
          logger.warn({ err, command }, 'an order of the server failed'),
        );
      this.#done = number;
      this.#changed = true;
    }
  }

  #tell(news: NodeNews): void {
    this.#news = [...this.#news, { ...news, number: ++this.#number }].slice(-MOST_NEWS);
    this.noteChange();
  }

  /** @throws ServerRefusal if a retry is useless */
  #handleFailure(error: unknown): void {
    const isStrange = isTurnedAway(error) && this.#server === '';
    const isTaken = error instanceof ServerRefusal && error.status === 409;
    if (isStrange || isTaken || error instanceof ConfigurationError) throw error;
    this.#connectionProblem.say(error as Error);
    this.#connected = false;
    this.#changed = true;
  }
}
