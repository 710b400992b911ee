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

/** Number of heartbeats within the silence time, so that one late heartbeat does not make a node silent. */
const BEATS_IN_SILENCE = 4;

export interface OwnNodeDeps extends Omit<NodeManagerDeps, 'deployed' | 'book' | 'link' | 'memoryOf'> {
  readonly store: Store;
  readonly owner: Owner;
  /** Version of the product. */
  readonly version: string;
  /** True if no other server uses the same store. */
  readonly alone: boolean;
  /** True if other servers are running now. */
  othersThere(): boolean;
  /** Time until a silent node counts as silent, in milliseconds. */
  readonly silenceMs: number;
  /** Milliseconds of silence for which the tokens of its processes stay valid. */
  readonly tokenMs: number;
  readonly link: Omit<NodeLink, 'reaches'>;
}

/** The node of a server: its manager, and the state that the server stores of it and of all other nodes. */
export interface OwnNode {
  readonly manager: NodeManager;
  /** The stored states of all nodes. */
  readonly states: NodeStates;
  /** All nodes that are not silent, at this or another server, as of the last `hear`. Empty for a server that is alone. */
  readonly heard: ReadonlySet<string>;
  /** Own nodes of other servers at that time, with their services. */
  readonly servers: ReadonlyMap<string, readonly DeployedServiceModel[]>;
  /** Stores a heartbeat of this node. Called repeatedly. */
  beat(): Promise<void>;
  /** Updates `heard` and `servers` from the stored states of all nodes. */
  hear(stored: readonly StoredNode[]): void;
  readonly beatMs: number;
  /** Revokes the tokens of silent nodes. */
  forgetSilent(): Promise<void>;
  /** Closes the manager and the report, after all processes have ended. */
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
