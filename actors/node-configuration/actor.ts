import type { Owner, Store } from '../../store/store.ts';
import { loadDurable } from '../runtime/durable.ts';
import type { DurableKind } from '../runtime/durable-kind.ts';
import { commandsOf, decide } from '../runtime/machine.ts';
import { DEFAULT_INTENSITY } from '../runtime/supervision.ts';
import type { ActorKind, Family } from '../runtime/system.ts';
import type {
  ConfigurationCommand,
  ConfigurationReply,
  ConfigurationRules,
  ConfigurationTypes,
  NodeClasses,
  NodeManagerModel,
} from './model.ts';
import { NODE_CONFIGURATION_MACHINE, recoverConfiguration, ROWS } from './transitions.ts';

export const NODE_CONFIGURATION = 'node-configuration';
/** The configuration of node classes: an actor of the same kind, with classes in place of hosts. */
export const NODE_CLASSES = 'node-classes';
type Name = typeof NODE_CONFIGURATION | typeof NODE_CLASSES;
const SCHEMA = 1;

export interface ConfigurationDeps {
  readonly store: Store;
  readonly owner: Owner;
  readonly rules: ConfigurationRules;
  /** Informs the node managers. */
  apply(nodes: readonly NodeManagerModel[]): void;
}

interface Saved {
  readonly firstSaved: number;
}

/** The node configuration of the cluster (specification 2.4): one actor, durable once an ADMIN has posted one. */
export function nodeConfigurationKind(
  deps: ConfigurationDeps,
  name: Name = NODE_CONFIGURATION,
): ActorKind<ConfigurationCommand, ConfigurationReply> {
  const durable = durableConfiguration(deps, name);
  return {
    name,
    accepts: commandsOf(NODE_CONFIGURATION_MACHINE),
    mailbox: 1_000,
    intensity: DEFAULT_INTENSITY,
    load: (id) => loadDurable(durable, deps.store, deps.owner, id),
  };
}

/** Returns the configuration that applies. An unreadable one is quarantined after the first attempt, and the initial one applies. */
export async function currentNodes(
  family: Family<ConfigurationCommand, ConfigurationReply>,
): Promise<readonly NodeManagerModel[]> {
  const reply = await readKind(family, NODE_CONFIGURATION);
  return reply.kind === 'configuration' ? reply.nodes : [];
}

/** Returns the configuration of node classes that applies. */
export async function currentClasses(
  family: Family<ConfigurationCommand, ConfigurationReply>,
): Promise<NodeClasses> {
  const reply = await readKind(family, NODE_CLASSES);
  return reply.kind === 'configuration'
    ? { classes: reply.nodes, isInitial: reply.isInitial }
    : { classes: [], isInitial: true };
}

async function readKind(
  family: Family<ConfigurationCommand, ConfigurationReply>,
  name: Name,
): Promise<ConfigurationReply> {
  const read = () => family.ask(name, { type: 'read' });
  return read().catch(read);
}

function durableConfiguration(
  { rules, apply }: ConfigurationDeps,
  kind: Name,
): DurableKind<Saved, ConfigurationTypes> {
  return {
    kind,
    schema: SCHEMA,
    rowsOf: () => ROWS,
    restore: (_record, _body, rows) => ({ nodes: rows.map(({ body }) => body as NodeManagerModel) }),
    snapshot: (_record, { nodes }) => ({ nodes: nodes?.length ?? 0 }),
    decide: (_, state, { command }) => decide(NODE_CONFIGURATION_MACHINE, state, command, rules),
    newRecord: (firstSaved) => ({ firstSaved }),
    recover: recoverConfiguration,
    perform: (_record, _state, effects) => {
      for (const { nodes } of effects) apply(nodes);
      return Promise.resolve();
    },
  };
}
