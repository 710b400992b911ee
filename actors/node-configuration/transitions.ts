import { refuseWith, type Machine, type Outcome, type Refused } from '../runtime/machine.ts';
import type {
  ConfigurationEffect,
  ConfigurationRules,
  ConfigurationState,
  ConfigurationTypes,
  NodeManagerModel,
} from './model.ts';
import { unservedComponents, unservedSentence } from './unserved-components.ts';

/** Prefix of rows. Each host has one row, so that the snapshot of a large cluster stays small. */
export const ROWS = 'node/';
/** Maximum number of host names in a warning. */
const NAMED = 10;

/** The node configuration of the cluster (specification 2.4). */
export const NODE_CONFIGURATION_MACHINE: Machine<ConfigurationTypes> = {
  initial: { nodes: null },
  statusOf: ({ nodes }) => (nodes === null ? 'INITIAL' : 'POSTED'),
  on: {
    read: {
      from: ['INITIAL', 'POSTED'],
      to: { INITIAL: ['INITIAL'], POSTED: ['POSTED'] },
      apply: (state, _, { initial }) => ({
        reply: { kind: 'configuration', nodes: state.nodes ?? initial, isInitial: state.nodes === null },
      }),
    },
    save: {
      from: ['INITIAL', 'POSTED'],
      to: ['POSTED'],
      apply: (_, { nodes }, rules) => savedConfiguration(nodes, rules),
    },
  },
};

/** Accepts or refuses a configuration that an ADMIN posts. */
export function savedConfiguration(
  posted: readonly NodeManagerModel[],
  rules: ConfigurationRules,
): Outcome<ConfigurationTypes> | Refused<'INVALID'> {
  const message = objection(posted, rules) ?? rules.objectionTo?.(posted);
  if (message !== undefined) return refuseWith('INVALID', message);
  const nodes = firstOfEachHost(posted);
  return {
    reply: { kind: 'saved', warnings: warningsOf(posted, nodes, rules) },
    state: { nodes },
    effects: recoverConfiguration({ nodes }),
    removeRows: [ROWS],
    putRows: nodes.map(toRow),
    synced: true,
  };
}

export function recoverConfiguration({ nodes }: ConfigurationState): readonly ConfigurationEffect[] {
  return nodes === null ? [] : [{ type: 'apply', nodes }];
}

/** Returns the row of a host. Its number keeps the order in which the hosts were posted. */
const toRow = (node: NodeManagerModel, index: number) => ({
  key: `${ROWS}${String(index).padStart(8, '0')}`,
  body: node,
});

function warningsOf(
  posted: readonly NodeManagerModel[],
  kept: readonly NodeManagerModel[],
  { installed, thisHost, classes }: ConfigurationRules,
): readonly string[] {
  const warnings = [
    kept.length < posted.length ? describeDropped(posted, kept) : undefined,
    unservedSentence(unservedComponents([...kept, ...(classes?.() ?? [])], installed), thisHost),
  ];
  return warnings.filter((warning) => warning !== undefined);
}

/** Returns the reason why this cannot be a configuration, in a sentence with the place of the error. */
function objection(
  nodes: readonly NodeManagerModel[],
  { thisHost, ownServices, limits }: ConfigurationRules,
): string | undefined {
  if (nodes.length > limits.nodes)
    return `The configuration has ${nodes.length} hosts; ${limits.nodes} are allowed.`;
  let deployed = 0;
  for (const { host, services } of nodes) {
    if (services.length > limits.services)
      return `${host} has ${services.length} services; ${limits.services} are allowed.`;
    const seen = new Set<string>();
    for (const { serviceName, serviceCount } of services) {
      if (seen.has(serviceName))
        return `${host} has the service ${serviceName} more than once; give it once, with the serviceCount of all.`;
      seen.add(serviceName);
      deployed += serviceCount;
      if (serviceCount > limits.serviceCount)
        return `${serviceName} on ${host} has a serviceCount of ${serviceCount}; ${limits.serviceCount} are allowed.`;
      if (host === thisHost && ownServices.includes(serviceName))
        return `${serviceName} is a service of the server itself, which is always there; leave it out or give yours another name.`;
    }
  }
  return deployed <= limits.deployed
    ? undefined
    : `The configuration has ${deployed} services, by the sum of all serviceCounts; ${limits.deployed} are allowed.`;
}

function firstOfEachHost(nodes: readonly NodeManagerModel[]): readonly NodeManagerModel[] {
  const byHost = new Map<string, NodeManagerModel>();
  for (const node of nodes) if (!byHost.has(node.host)) byHost.set(node.host, node);
  return [...byHost.values()];
}

function describeDropped(all: readonly NodeManagerModel[], kept: readonly NodeManagerModel[]): string {
  const known = new Set(kept);
  const left = [...new Set(all.filter((node) => !known.has(node)).map(({ host }) => host))];
  const more = left.length > NAMED ? ` and ${left.length - NAMED} more` : '';
  return `Hosts that were given more than once keep their first entry; the later ones were left out: ${left.slice(0, NAMED).join(', ')}${more}.`;
}
