import type { ConfigurationCommand, ConfigurationReply } from './commands.ts';
import type { ConfigurationEffect } from './effects.ts';
import type { NodeManagerModel } from './model.ts';
import type { ConfigurationState } from './state.ts';
import { unservedComponents, unservedSentence } from './unserved.ts';

export interface ConfigurationRules {
  /** In force until another one is posted. */
  readonly initial: readonly NodeManagerModel[];
  readonly thisHost: string;
  /** Services of the installed components. */
  readonly installed: readonly string[];
  /** Services of the server itself: they are always there and cannot be configured. */
  readonly ownServices: readonly string[];
  readonly limits: ConfigurationLimits;
}

export interface ConfigurationLimits {
  readonly nodes: number;
  /** Of one host. */
  readonly services: number;
  readonly serviceCount: number;
  /** Each service as often as its serviceCount says, on all hosts together: each is shown, and of this host kept, one by one. */
  readonly deployed: number;
}

export interface ConfigurationDecision {
  readonly reply: ConfigurationReply;
  readonly state?: ConfigurationState;
  readonly effects?: readonly ConfigurationEffect[];
}

/** Names of hosts that a warning lists. */
const NAMED = 10;

export function decideConfiguration(
  state: ConfigurationState | undefined,
  command: ConfigurationCommand,
  rules: ConfigurationRules,
): ConfigurationDecision {
  switch (command.type) {
    case 'read':
      return { reply: { kind: 'configuration', nodes: state?.nodes ?? rules.initial } };
    case 'save': {
      const message = objection(command.nodes, rules);
      if (message !== undefined) return { reply: { kind: 'refused', message } };
      const nodes = firstOfEachHost(command.nodes);
      const unserved = unservedComponents(nodes, rules.installed, rules.thisHost);
      const warnings = [
        nodes.length < command.nodes.length ? dropped(command.nodes, nodes) : undefined,
        unservedSentence(unserved, rules.thisHost),
      ];
      return {
        reply: { kind: 'saved', warnings: warnings.filter((warning) => warning !== undefined) },
        state: { nodes },
        effects: recoverConfiguration({ nodes }),
      };
    }
  }
}

export function recoverConfiguration({ nodes }: ConfigurationState): readonly ConfigurationEffect[] {
  return [{ type: 'apply', nodes }];
}

/** Why this cannot be a configuration, in a sentence that says where. */
function objection(
  nodes: readonly NodeManagerModel[],
  { thisHost, ownServices, limits }: ConfigurationRules,
): string | undefined {
  if (nodes.length > limits.nodes)
    return `The configuration has ${nodes.length} hosts; ${limits.nodes} are allowed (setting MAX_NODES).`;
  let deployed = 0;
  for (const { host, services } of nodes) {
    if (services.length > limits.services)
      return `${host} has ${services.length} services; ${limits.services} are allowed (setting MAX_NODE_SERVICES).`;
    const seen = new Set<string>();
    for (const { serviceName, serviceCount } of services) {
      if (seen.has(serviceName))
        return `${host} has the service ${serviceName} more than once; give it once, with the serviceCount of all.`;
      seen.add(serviceName);
      deployed += serviceCount;
      if (serviceCount > limits.serviceCount)
        return `${serviceName} on ${host} has a serviceCount of ${serviceCount}; ${limits.serviceCount} are allowed (setting MAX_SERVICE_COUNT).`;
      if (host === thisHost && ownServices.includes(serviceName))
        return `${serviceName} is a service of the server itself, which is always there; leave it out or give yours another name.`;
    }
  }
  return deployed <= limits.deployed
    ? undefined
    : `The configuration has ${deployed} services, by the sum of all serviceCounts; ${limits.deployed} are allowed (setting MAX_SERVICES).`;
}

function firstOfEachHost(nodes: readonly NodeManagerModel[]): readonly NodeManagerModel[] {
  const byHost = new Map<string, NodeManagerModel>();
  for (const node of nodes) if (!byHost.has(node.host)) byHost.set(node.host, node);
  return [...byHost.values()];
}

function dropped(all: readonly NodeManagerModel[], kept: readonly NodeManagerModel[]): string {
  const known = new Set(kept);
  const left = [...new Set(all.filter((node) => !known.has(node)).map(({ host }) => host))];
  const more = left.length > NAMED ? ` and ${left.length - NAMED} more` : '';
  return `Hosts that were given more than once keep their first entry; the later ones were left out: ${left.slice(0, NAMED).join(', ')}${more}.`;
}
