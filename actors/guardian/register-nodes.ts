import { isStreamQueue } from '../../protocol/streams.ts';
import { ProcessNotes } from '../../processes/process-notes.ts';
import { processesFolder } from '../../results/layout.ts';
import { classRules, configurationRules, MAX_NODES } from './actor-settings.ts';
import type { DispatcherCommand } from '../dispatcher/model.ts';
import type { Nodes } from '../node-gateway/nodes.ts';
import type { Foundation } from './guardian-deps.ts';
import {
  currentClasses,
  currentNodes,
  NODE_CLASSES,
  nodeConfigurationKind,
} from '../node-configuration/actor.ts';
import type { NodeManagerModel } from '../node-configuration/model.ts';
import { unservedComponents, unservedSentence } from '../node-configuration/unserved-components.ts';
import { restartPolicy } from '../service/policy.ts';
import { ConditionMessages } from '../system-messages/condition-messages.ts';
import { NodeGateway, type OtherServers } from '../node-gateway/gateway.ts';
import { registerOwnNode, type OwnNode } from '../node-gateway/own-node.ts';
import { RemoteOrders } from '../node-gateway/remote-orders.ts';
import { nodeOfWorker } from '../node-gateway/rules.ts';
import { nodeOfService, ServiceOrders } from '../node-gateway/service-orders.ts';

/** Time after the last heartbeat of another node for which the tokens of its component processes stay valid. */
export const WORKER_TOKEN_MS = 60_000;

/** Sends commands to the dispatcher, which is registered later. */
export interface ToDispatcher {
  tell(command: DispatcherCommand): void;
  ask(command: DispatcherCommand): Promise<unknown>;
}

/** Registers the actors of nodes and services. @param undrain called when a drained node has ended */
export function registerNodes(
  base: Foundation,
  dispatcher: ToDispatcher,
  undrain: (node: string) => Promise<void>,
): Nodes {
  const conditionMessages = new ConditionMessages(base.systemMessages);
  const own = ownNode(base, dispatcher, (queue, reason) =>
    gateway.placement.unavailable(own.manager.host, queue, reason),
  );
  const gateway = gatewayOf(base, dispatcher, own, conditionMessages, {
    storedConfiguration: () => currentNodes(nodes.configuration),
    storedClasses: () => currentClasses(nodes.classes),
    undrain,
  });
  const { manager } = own;
  const { host, family } = manager;
  const killHere = (worker: string, reason: string): boolean => {
    if (nodeOfWorker(worker) !== host) return gateway.kill(worker, reason);
    family.tell(host, { type: 'kill', worker, reason });
    return true;
  };
  const restHere = (worker: string): boolean => {
    if (nodeOfWorker(worker) !== host) return gateway.rest(worker);
    family.tell(host, { type: 'rest', worker });
    return true;
  };
  /** Reports queues that nothing on this server serves, so that other servers do not wait for it before they give the work up. */
  const reportUnserved = (queues: Iterable<string>) => {
    for (const queue of queues)
      if (!manager.isFor(queue) && gateway.placement.isUnserved(queue))
        dispatcher.tell({ type: 'unavailable', queue, reason: '' });
  };
  base.cluster?.onOrder((order) => {
    if (order.type === 'kill') killHere(order.worker, order.reason);
    else if (order.type === 'rest') restHere(order.worker);
    else if (order.type === 'nodeChanged' || order.type === 'unavailable' || order.type === 'lines')
      gateway.hear(order);
  });
  const nodes: Nodes = {
    own,
    gateway,
    orders: new ServiceOrders({
      ...{ own, gateway, remoteOrders: ordersElsewhere(base, own) },
      isConfigured: async (node) =>
        (await currentNodes(nodes.configuration)).some(({ host: name }) => name === node),
    }),
    ...configurationsOf(base, conditionMessages, gateway, (models) => {
      family.tell(host, { type: 'configure', nodes: models });
      gateway.configure(models);
    }),
    async configure() {
      gateway.configureClasses(await currentClasses(nodes.classes));
      const models = await currentNodes(nodes.configuration);
      gateway.configure(models);
      await family.ask(host, { type: 'configure', nodes: models });
    },
    onOffer(queues) {
      for (const [queue, { waiting, held }] of queues) {
        if (base.pauseBook.find('node', host) !== undefined) break;
        const elsewhere = isStreamQueue(queue) ? gateway.placement.capacity(queue) : 0;
        family.tell(host, { type: 'demand', queue, wanted: Math.max(0, waiting + held - elsewhere) });
      }
      gateway.onOffer(queues);
      if (base.cluster !== undefined) reportUnserved(queues.keys());
    },
    kill(worker, reason) {
      if (!killHere(worker, reason)) base.cluster?.order({ type: 'kill', worker, reason });
    },
    rest(worker) {
      if (nodeOfWorker(worker) !== undefined && !restHere(worker))
        base.cluster?.order({ type: 'rest', worker });
    },
    isOnlyHere: (queue, variable) =>
      base.cluster === undefined &&
      manager.isFor(queue) &&
      !manager.setsVariable(queue, variable) &&
      !manager.workers.servesFromOutside(queue, base.system.clock.steady()) &&
      gateway.placement.isOnlyHere(queue),
    waitingReason(queue) {
      if (gateway.placement.serves(queue)) return undefined;
      const here = manager.waitingReason(queue);
      if (here !== undefined && gateway.placement.isAbleElsewhere(queue)) return 'its component is starting';
      return here === undefined || manager.isFor(queue)
        ? here
        : (gateway.placement.waitingReason(queue) ?? here);
    },
  };
  return nodes;
}

function ordersElsewhere(
  { cluster, system }: Foundation,
  { manager: { host, family, deployed, logs } }: OwnNode,
): RemoteOrders | undefined {
  if (cluster === undefined) return undefined;
  const isHere = (service: string) => nodeOfService(service) === host;
  return new RemoteOrders({
    cluster,
    clock: system.clock,
    async carryOut(type, service) {
      return isHere(service) && (await family.ask(host, { type, service })).kind === 'done';
    },
    linesOf(service) {
      if (!isHere(service)) return undefined;
      return deployed.get(service) === undefined ? null : logs.of(service);
    },
  });
}

function ownNode(
  base: Foundation,
  dispatcher: ToDispatcher,
  unavailable: (queue: string, reason: string) => void,
): OwnNode {
  const { system, store, owner, settings, logger, components, own, places } = base;
  return registerOwnNode(system, {
    host: settings.NODE_NAME,
    version: base.version,
    components,
    own,
    registeredQueue: (component) => base.catalog.component(component)?.algorithm,
    mayServe: base.catalog.mayServe,
    inherited: settings.childEnvironment,
    places,
    home: places.TROUPE_HOME,
    policy: (isInstalled) => restartPolicy(settings, isInstalled),
    startMs: settings.COMPONENT_START_MS,
    idleMs: settings.IDLE_SERVICE_MS,
    logLines: settings.SERVICE_LOG_LINES,
    maxMemory: settings.MAX_COMPONENT_MEMORY,
    silenceMs: settings.NODE_SILENCE_MS,
    tokenMs: WORKER_TOKEN_MS,
    alone: base.alone,
    othersThere: () => (base.cluster?.servers ?? 1) > 1,
    store,
    owner,
    clock: system.clock,
    logger,
    notes: new ProcessNotes(processesFolder(settings.DATA_DIR), base.serverId, base.alone),
    serverUrl: () => base.serverUrl(),
    link: {
      releaseWorker: (worker, counted, reason) =>
        dispatcher.tell({ type: 'workerGone', worker, counted, reason }),
      unavailable,
      onConfigured: () => dispatcher.tell({ type: 'announce' }),
    },
  });
}

function gatewayOf(
  base: Foundation,
  dispatcher: ToDispatcher,
  own: OwnNode,
  conditionMessages: ConditionMessages,
  {
    undrain,
    ...stored
  }: Pick<OtherServers, 'storedConfiguration' | 'storedClasses'> & {
    undrain(node: string): Promise<void>;
  },
): NodeGateway {
  const { manager, states } = own;
  const { system, store, settings, cluster } = base;
  const { clock } = system;
  return new NodeGateway({
    ...base,
    // Includes the own components of the server, whose services serve nothing on other nodes.
    components: [...base.components, ...base.own],
    states,
    clock,
    host: manager.host,
    ledger: store.work,
    silenceMs: settings.NODE_SILENCE_MS,
    maxNodes: MAX_NODES,
    registeredQueue: (component) => base.catalog.component(component)?.algorithm,
    mayServe: base.catalog.mayServe,
    ownCapacity: manager.capacity,
    servedFromOutside: (queue) => manager.workers.serves(queue, clock.steady()),
    livesElsewhere: (node) => own.heard.has(node),
    isDraining: (node) => base.pauseBook.find('node', node) !== undefined,
    servicesElsewhere: () => [...own.servers.values()].flat(),
    releaseWorker: (worker, counted, reason) =>
      dispatcher.ask({ type: 'workerGone', worker, counted, reason }),
    unavailable: (queue, reason) => dispatcher.tell({ type: 'unavailable', queue, reason }),
    announce: () => dispatcher.tell({ type: 'announce' }),
    warn: (about, sentence) => conditionMessages.tell(about, 'warning', sentence),
    onLeave: undrain,
    ...(cluster === undefined ? {} : { others: { order: (order) => cluster.order(order), ...stored } }),
  });
}

function configurationsOf(
  base: Foundation,
  conditionMessages: ConditionMessages,
  gateway: NodeGateway,
  configure: (nodes: readonly NodeManagerModel[]) => void,
): Pick<Nodes, 'configuration' | 'classes'> {
  const { system, store, owner, settings, logger } = base;
  /** Configurations that an ADMIN has posted; undefined if there is none. */
  const posted: { nodes?: readonly NodeManagerModel[]; classes?: readonly NodeManagerModel[] } = {};
  const rules = {
    ...configurationRules(settings, base.components, base.own),
    classes: () => [...(posted.classes ?? []), ...gateway.members],
  };
  const warnOfUnserved = () => {
    if (posted.nodes === undefined) return;
    const unserved = unservedComponents([...posted.nodes, ...rules.classes()], rules.installed);
    const sentence = unservedSentence(unserved, rules.thisHost);
    if (sentence !== undefined) logger.warn({ components: unserved }, sentence);
    conditionMessages.tell('components without service', 'warning', sentence);
  };
  const configuration = system.register(
    nodeConfigurationKind({
      store,
      owner,
      rules,
      apply: (nodes) => {
        configure(nodes);
        posted.nodes = nodes;
        warnOfUnserved();
      },
    }),
  );
  const apply = (classes: readonly NodeManagerModel[]) => {
    posted.classes = classes;
    gateway.configureClasses({ classes, isInitial: false });
    warnOfUnserved();
  };
  const ofClasses = { store, owner, rules: classRules(rules, () => gateway.byClass), apply };
  return { configuration, classes: system.register(nodeConfigurationKind(ofClasses, NODE_CLASSES)) };
}
