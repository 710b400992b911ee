import type { Owner, Store } from '../../store/store.ts';
import { registerNodeManager, type NodeManager, type NodeManagerDeps } from '../node-manager/actor.ts';
import { DeployedServices, shownServices } from '../node-manager/deployed-services.ts';
import type { NodeLink } from '../node-manager/node-link.ts';
import { NodeReport } from '../node-manager/node-report.ts';
import { NodeStates, type DeployedServiceModel } from '../node-manager/node-state.ts';
import type { ActorSystem } from '../runtime/system.ts';
import { SERVICE } from '../service/actor.ts';
import { StoredMemory } from '../service/memory.ts';
import type { StoredNode } from './node-registry.ts';

/** One that is late does not make a node silent. */
const BEATS_IN_SILENCE = 4;

export interface OwnNodeDeps extends Omit<NodeManagerDeps, 'deployed' | 'book' | 'link' | 'memoryOf'> {
  readonly store: Store;
  readonly owner: Owner;
  /** Of the product. */
  readonly version: string;
  /** No other server works on the same store. */
  readonly alone: boolean;
  /** Other servers are there now. */
  othersThere(): boolean;
  /** A node that is not heard of for so long is silent. */
  readonly silenceMs: number;
  /** For so long its processes may go on. */
  readonly tokenMs: number;
  readonly link: Omit<NodeLink, 'reaches'>;
}

/** The node of a server: its manager, and what the server stores of it and of all other nodes. */
export interface OwnNode {
  readonly manager: NodeManager;
  /** What all nodes have told of themselves. */
  readonly states: NodeStates;
  /** All nodes that are heard of, here or at another server, as of `hear`; of a server that is alone: none. */
  readonly heard: ReadonlySet<string>;
  /** Other servers' own nodes then, with their services. */
  readonly servers: ReadonlyMap<string, readonly DeployedServiceModel[]>;
  /** Tells of this node, again and again. */
  beat(): Promise<void>;
  /** What servers have stored of all nodes. */
  hear(stored: readonly StoredNode[]): void;
  readonly beatMs: number;
  /** Takes the tokens of nodes away that are not heard of any more. */
  forgetSilent(): Promise<void>;
  /** Nothing runs any more, and nothing more is told. */
  close(): Promise<void>;
}

export function registerOwnNode(system: ActorSystem, deps: OwnNodeDeps): OwnNode {
  const { store, owner, logger, host } = deps;
  const deployed = new DeployedServices();
  const report = new NodeReport({ ...deps, node: host, services: () => shownServices(deployed) });
  const states = new NodeStates(deps);
  const manager = registerNodeManager(system, {
    ...deps,
    deployed,
    book: report,
    link: { ...deps.link, reaches: () => true },
    memoryOf: (id) => new StoredMemory(store, owner, { kind: SERVICE, id }, logger),
  });
  let heard: ReadonlySet<string> = new Set();
  let servers: OwnNode['servers'] = new Map();
  return {
    manager,
    states,
    get heard() {
      return heard;
    },
    get servers() {
      return servers;
    },
    beat: () => report.beat(),
    hear(stored) {
      const now = deps.clock.now();
      const isServer = ({ node, body }: StoredNode) =>
        node !== host && body !== undefined && body.about === undefined && !states.isSilent(body);
      const there = stored.filter(({ heardAt }) => now - heardAt < deps.silenceMs);
      heard = new Set(there.map(({ node }) => node));
      servers = new Map(there.filter(isServer).map(({ node, body }) => [node, body!.services]));
    },
    beatMs: Math.max(1, deps.silenceMs / BEATS_IN_SILENCE),
    forgetSilent: () => states.forgetSilent(host, owner),
    close: () => {
      manager.close();
      return report.close();
    },
  };
}
