import type { NodeCommand } from '../actors/node-gateway/messages.ts';
import { registerNodeManager, type NodeManager } from '../actors/node-manager/actor.ts';
import { streamComponent } from '../actors/node-manager/components.ts';
import { DeployedServices, shownServices } from '../actors/node-manager/deployed-services.ts';
import type { ServiceLine } from '../actors/service/service-logs.ts';
import { installedComponents, type ComponentFolder } from '../actors/node-manager/installed-components.ts';
import { delay, every, systemClock } from '../actors/basics/clock.ts';
import { ComedyTree } from '../actors/runtime/comedy-tree.ts';
import { ActorSystem } from '../actors/runtime/system.ts';
import { restartPolicy, STOP_COMPONENTS_MS } from '../actors/service/policy.ts';
import { packageRoot, readInfo } from '../config/info.ts';
import type { Logger } from '../config/logger.ts';
import type { NodeSettings } from '../config/node.ts';
import { BUILT_IN, HOST_SCRIPT } from '../config/places.ts';
import { ProcessNotes } from '../processes/process-notes.ts';
import { processesFolder } from '../results/layout.ts';
import { makeFolder } from '../files/folders.ts';
import { NodeFiles } from './node-files.ts';
import { nodeTokens } from './node-tokens.ts';
import { ServerExchange } from './server-exchange.ts';
import { ServerLink } from './server-link.ts';

export interface NodeOptions {
  readonly logger: Logger;
  readonly componentFolders?: readonly ComponentFolder[];
  /** Class of the services that the node runs. Absent: the services that the node configuration lists under its name. */
  readonly nodeClass?: string | undefined;
}

export interface RunningNode {
  /** Rejects if the server refuses this node, with a sentence that says why. */
  readonly ended: Promise<void>;
  /** Resolves when its processes have no more work after a drain, which the server may have started. */
  readonly drained: Promise<void>;
  /** Accepts no new work from now on. Returns the time limit in milliseconds that `troupe node drain` has set. */
  drain(): number;
  /** Ends all processes, and informs the server. */
  stop(): Promise<void>;
}

/** A node manager in its own process: settings -> actors -> link to the server. */
export function startNode(settings: NodeSettings, options: NodeOptions): RunningNode {
  for (const note of settings.nameNotes) options.logger.warn({}, note);
  makeFolder(settings.DATA_DIR, 0o700);
  const { logger } = options;
  const files = new NodeFiles(settings.DATA_DIR, logger);
  const tokens = nodeTokens(settings.credentials, files);
  const start = files.begin();
  const node = new Node(settings, options, { files, tokens, ...start });
  logger.info(
    { node: settings.NODE_NAME, server: settings.server, dataDir: settings.DATA_DIR },
    'the node is up',
  );
  // Keeps the process alive, because the other timers do not.
  const alive = setInterval(() => undefined, 2 ** 30);
  let stopping: Promise<void> | undefined;
  const stop = () => (stopping ??= node.stop().finally(() => clearInterval(alive)));
  return { ended: node.run(), drained: node.drained, drain: () => node.drain(), stop };
}

interface Started {
  readonly files: NodeFiles;
  readonly tokens: ReturnType<typeof nodeTokens>;
  readonly instance: string;
  readonly formerly: string | null;
}

/** Default time for an orderly stop. It is shorter than that of most orchestrators. */
export const DRAIN_WITHIN_MS = 25_000;
const MAILBOXES_MS = 2_000;
const LOOK_MS = 25;

class Node {
  readonly #files: NodeFiles;
  readonly #system: ActorSystem;
  readonly #link: ServerLink;
  readonly #manager: NodeManager;
  /** Queues with work, as last reported by the server. */
  #busy: ReadonlySet<string> = new Set();
  readonly #stopLooking: () => void;
  #onDrained = () => {};
  readonly drained = new Promise<void>((resolve) => (this.#onDrained = resolve));

  constructor(
    settings: NodeSettings,
    { logger, componentFolders = [BUILT_IN], nodeClass }: NodeOptions,
    started: Started,
  ) {
    this.#files = started.files;
    this.#system = actorSystem(logger);
    const installed = installedComponents({
      package: componentFolders,
      outside: settings.COMPONENT_FOLDERS,
      ownServices: [],
      host: HOST_SCRIPT,
      faceEmbedding: settings.FACE_EMBEDDING,
    });
    for (const problem of installed.problems) logger.error({}, problem);
    const streams = installed.streaming.map((one) => streamComponent(one, settings.MAX_STREAMS));
    const components = [...installed.components, ...streams];
    const deployed = new DeployedServices(() => this.#link.noteChange());
    const { instance, formerly, tokens } = started;
    this.#link = new ServerLink({
      fixed: {
        ...{ instance, formerly, version: readInfo().version },
        ...(nodeClass === undefined ? {} : { nodeClass }),
        installed: components.map(({ model }) => model),
      },
      exchange: new ServerExchange(settings.server, settings.NODE_NAME),
      ...{ tokens, clock: systemClock, logger },
      services: () => shownServices(deployed),
      configuration: () => this.#files.configuration?.version ?? '',
      configure: async (wanted) => {
        this.#files.configuration = wanted;
        await this.#conform();
      },
      carryOut: (command) => this.#carryOut(command),
      onWanted: (processes) => this.#want(processes),
      onDrained: this.#onDrained,
    });
    this.#manager = registerNodeManager(this.#system, {
      host: settings.NODE_NAME,
      components,
      own: [],
      registeredQueue: (component) => this.#files.configuration?.queues[component]?.[0],
      // The server decides what is wanted, and hands out the work.
      mayServe: () => true,
      inherited: settings.childEnvironment,
      places: { TROUPE_NODE: process.execPath, TROUPE_HOME: packageRoot },
      home: packageRoot,
      policy: (isInstalled) => restartPolicy(settings, isInstalled),
      startMs: settings.COMPONENT_START_MS,
      idleMs: settings.IDLE_SERVICE_MS,
      maxMemory: settings.MAX_COMPONENT_MEMORY,
      logLines: settings.SERVICE_LOG_LINES,
      ...{ deployed, book: this.#link, link: this.#link, logger, clock: systemClock },
      memoryOf: (service) => this.#files.memoryOf(service),
      // No other node uses this folder.
      notes: new ProcessNotes(processesFolder(settings.DATA_DIR), instance, true),
      serverUrl: () => settings.server,
    });
    this.#manager.endLeftovers();
    this.#stopLooking = every(systemClock, this.#manager.lookMs, () => Promise.resolve(this.#look()));
  }

  /** Runs the node with its last configuration, until the server sends another one. */
  async run(): Promise<void> {
    if (this.#files.configuration !== undefined) await this.#conform();
    await this.#link.run();
  }

  drain(): number {
    this.#link.drain();
    return this.#files.takeDrainOrder() ?? DRAIN_WITHIN_MS;
  }

  async stop(): Promise<void> {
    this.#stopLooking();
    const { family, running, host } = this.#manager;
    await family.ask(host, { type: 'stop' });
    const until = systemClock.steady() + STOP_COMPONENTS_MS + 1_000;
    while (running.size > 0 && systemClock.steady() < until) await delay(systemClock, LOOK_MS);
    await this.#link.end();
    await this.#system.stop(MAILBOXES_MS);
    this.#manager.close();
  }

  async #conform(): Promise<void> {
    const { family, host } = this.#manager;
    const services = this.#files.configuration?.services ?? [];
    await family.ask(host, { type: 'configure', nodes: [{ host, services }] });
  }

  /** Executes a command. Commands for missing services are ignored. */
  async #carryOut(command: NodeCommand): Promise<void> {
    if (command.type === 'cameUp') this.#manager.workers.cameUp(command.worker);
    else if (command.type === 'tellLines') this.#link.lines(command.request, this.#linesOf(command.service));
    else await this.#manager.family.ask(this.#manager.host, command);
  }

  #linesOf(service: string): readonly ServiceLine[] | null {
    const { deployed, logs } = this.#manager;
    return deployed.get(service) === undefined ? null : logs.of(service);
  }

  #want(processes: Readonly<Record<string, number>>): void {
    const { family, host } = this.#manager;
    this.#busy = new Set(Object.keys(processes));
    for (const [queue, wanted] of Object.entries(processes))
      if (wanted > 0) family.tell(host, { type: 'demand', queue, wanted });
  }

  /** Starts services for waiting work. Without the server the waiting work is unknown, so nothing changes. */
  #look(): void {
    const { family, host } = this.#manager;
    if (this.#link.reaches()) family.tell(host, { type: 'look', busy: this.#busy });
  }
}

const actorSystem = (logger: Logger): ActorSystem =>
  new ActorSystem(new ComedyTree(), systemClock, {
    onRestart: (actor, err, delayMs) =>
      logger.warn({ actor, err, delayMs }, 'an actor failed and is started again'),
    onEscalation: (actor, err) => logger.error({ actor, err }, 'an actor failed too often'),
    deadLetter: (letter) => logger.debug(letter, 'dead letter'),
  });
